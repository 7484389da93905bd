// The seat of the person who plays the assistant: what the driver said, words, phrases, tools.

import { button, element } from "../dom.js";
import { seenIds, toolForm } from "./forms.js";
import { clock, composer, conversation } from "./log.js";

// What is going on while it is not the turn of the assistant.
const DRIVERS_TURN = "it is the driver's";
const YOU_SPEAK = "your own sentence is being spoken";
const CAR_ACTS = "the car carries out a call";

export function mountAssistant(root, app, send) {
  const log = conversation(), waits = clock(), ids = seenIds();
  let asked = false, begun = false, waiting = "", tools = [];

  const input = composer("What the assistant says", say);
  const phrases = element("div", "phrases");
  const handOver = button("Say and end my turn", "primary", () => say(false));
  const keep = button("Say and keep my turn", "", () => say(true));
  const silent = button("End my turn without a word", "", () => send({ kind: "send" }));
  const search = element("input");
  search.type = "search";
  search.placeholder = "Find a tool";
  search.setAttribute("aria-label", "Find a tool");
  const list = element("div", "tool-list");
  const instructions = element("details", "instructions");
  const text = element("p", "text");
  instructions.append(element("summary", "", "Instructions of the assistant"), text);

  const talk = element("div", "seat-talk card");
  const keys = element("p", "keys", "Enter: say and end the turn. Shift+Enter: say and keep it. /: go to the input. F: find a tool.");
  const buttons = element("div", "row", handOver, keep, silent);
  talk.append(waits.node, log.node, phrases, input, buttons, keys);
  const side = element("div", "seat-side card");
  side.append(instructions, search, list, ids.node);
  const seat = element("div", "seat-view");
  seat.append(talk, side);
  root.append(seat);
  const hint = log.note("");
  turn(false);
  explain();
  for (const kind of ["hello", "stage", "usable"]) app.on(kind, explain);
  app.on("status", ({ lane, who, doing }) => {
    const mine = app.hello?.lanes?.find((each) => each.lane === lane)?.agent === "wizard";
    if (mine && (who === "driver" ? doing === "speaking" : doing === "listening")) during(DRIVERS_TURN);
  });

  search.addEventListener("input", filter);
  search.addEventListener("keydown", (event) => {
    if (event.key === "Enter") list.querySelector("details:not([hidden]) summary")?.focus();
  });
  document.addEventListener("keydown", hotkey);

  function explain() {
    const chosen = app.hello?.chosen;
    const plays = !chosen || [chosen.agent, chosen.agent_b].includes("wizard");
    seat.classList.toggle("unused", !plays);
    hint.replaceChildren(plays ? "The tools appear with the first words of the driver."
      : `The assistant is ${chosen.agent}. You can play it yourself: the driver's words, the tools and the clock are then here.`);
    if (plays) return;
    const take = button("Play the assistant", "primary", () => app.send({ kind: "choose", agent: "wizard", ...(chosen.agent_b === "wizard" ? { agent_b: null } : {}) }));
    take.disabled = Boolean(app.blocked);
    take.title = app.blocked || "The scenario begins anew, with you as its assistant";
    hint.append(take);
  }

  function hotkey(event) {
    const typing = event.target.closest?.("input, textarea, select, dialog");
    if (!seat.isConnected) document.removeEventListener("keydown", hotkey);
    if (app.view !== "wizard" || typing || event.ctrlKey || event.metaKey || event.altKey) return;
    const to = { "/": input, f: search, F: search }[event.key];
    if (!to) return;
    event.preventDefault();
    to.focus();
  }

  function say(keepsTurn) {
    const said = input.value.trim();
    if (!asked || !said) return;
    send({ kind: "send", text: said, keeps_turn: keepsTurn });
  }

  function turn(mine) {
    asked = mine;
    seat.classList.toggle("asked", mine);
    for (const each of [handOver, keep, silent, ...phrases.querySelectorAll("button"), ...list.querySelectorAll("[type=submit]")]) each.disabled = !mine;
    waits.say(mine ? "your turn: the driver waits" : begun ? `not your turn: ${waiting}` : "no conversation yet");
  }

  function during(what) {
    waiting = what;
    turn(asked);
  }

  function filter() {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const each of list.children) {
      each.hidden = !words.every((word) => each.dataset.text.includes(word));
    }
  }

  function begin(message) {
    begun = true;
    waiting = DRIVERS_TURN;
    log.clear();
    text.textContent = message.instructions;
    waits.limits(message.limits);
    waits.stop();
    phrases.replaceChildren(...message.phrases.map((each) => {
      const made = button(each.text, each.keeps_turn ? "keeps" : "", () => send({ kind: "send", text: each.text, keeps_turn: each.keeps_turn }));
      if (each.keeps_turn) made.title = "keeps the turn";
      return made;
    }));
    const names = message.tools.map((tool) => tool.name).join();
    if (names !== tools.join()) {
      tools = message.tools.map((tool) => tool.name);
      list.replaceChildren(...message.tools.map(entry));
      filter();
    }
    turn(false);
  }

  function entry(tool) {
    const made = element("details", "tool-entry");
    made.dataset.text = `${tool.name} ${tool.name.replaceAll("_", " ")} ${tool.description || ""}`.toLowerCase();
    made.dataset.tool = tool.name;
    made.append(element("summary", "", element("b", "", tool.name), element("small", "", tool.description || "")));
    made.addEventListener("toggle", () => {
      if (!made.open || made.querySelector("form")) return;
      const form = toolForm(tool, (given) => {
        if (asked) send({ kind: "send", calls: [{ name: tool.name, arguments: given }] });
      });
      form.querySelector("[type=submit]").disabled = !asked;
      made.append(form);
    });
    return made;
  }

  const HANDLERS = {
    assistant: begin,
    driver(message) {
      log.said("driver", message.text);
      waits.run(message.since_ms);
      app.aloud(`The driver says: ${message.text}`);
    },
    asked: () => turn(true),
    not_asked: () => turn(false),
    sent(message) {
      if (message.text) log.said("agent", message.text, message.keeps_turn || message.calls.length ? "aside" : "");
      for (const call of message.calls) log.call(call.name, call.arguments);
      if (!message.text && !message.calls.length) log.note("turn ended without a word");
      if (message.text === input.value.trim().replace(/\s+/g, " ")) input.value = "";
      if (message.text) waits.stop();
      during(message.text ? YOU_SPEAK : message.calls.length ? CAR_ACTS : DRIVERS_TURN);
    },
    answered(message) {
      [...log.node.querySelectorAll(".act:not(.done, .refused)")].pop()?.remove();
      const { name, arguments: given } = message.call;
      log.call(name, given, { sign: "", output: message.output, done: message.succeeded });
      ids.add(message.output);
      app.aloud(`${name}: ${message.succeeded ? "done" : "refused"}`);
    },
    interrupted(message) {
      waits.stop();
      during(DRIVERS_TURN);
      log.note(`The driver interrupted, or waited no longer, and has heard: ${message.heard || "nothing"}`, true);
    },
    over() {
      begun = false;
      waits.stop();
      log.note("The conversation is over.");
      turn(false);
    },
    scored: (message) => log.note(message.text),
    trouble(message) {
      log.note(message.text, true);
      app.aloud(message.text);
    },
  };
  return { receive: (message) => HANDLERS[message.kind]?.(message) };
}
