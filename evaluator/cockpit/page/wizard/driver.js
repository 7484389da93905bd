// The seat of the person who drives a task: what they want and know, words, and control words.

import { button, element } from "../dom.js";
import { clock, composer, conversation } from "./log.js";

export function mountDriver(root, app, send) {
  const log = conversation(), waits = clock();
  let asked = false, meanings = {};

  const input = composer("What the driver says", say);
  const speak = button("Say", "primary", say);
  const lines = element("div", "phrases");
  const words = element("div", "words");
  const brief = element("div", "brief");
  const reason = element("input");
  reason.type = "text";
  reason.placeholder = "Reason (optional)";
  reason.setAttribute("aria-label", "Reason for the control word");

  const talk = element("div", "seat-talk card");
  const keys = element("p", "keys", "Enter: say it. /: go to the input.");
  talk.append(waits.node, log.node, input, element("div", "row", speak), keys);
  const side = element("div", "seat-side card");
  side.append(brief, element("h2", "", "Suggested sentences"), lines, element("h2", "", "End the conversation"), reason, words);
  const seat = element("div", "seat-view");
  seat.append(talk, side);
  root.append(seat);
  document.addEventListener("keydown", hotkey);
  turn(false);

  function hotkey(event) {
    if (!seat.isConnected) document.removeEventListener("keydown", hotkey);
    const typing = event.target.closest?.("input, textarea, select, dialog");
    if (event.key !== "/" || typing || app.view !== "wizard") return;
    event.preventDefault();
    input.focus();
  }

  function say() {
    const said = input.value.trim();
    if (asked && said) send({ kind: "decide", word: "CONTINUE", say: said });
  }

  function turn(mine, opening = false) {
    asked = mine;
    seat.classList.toggle("asked", mine);
    for (const each of [speak, ...lines.querySelectorAll("button")]) each.disabled = !mine;
    for (const each of words.querySelectorAll("button")) each.disabled = !mine || opening;
    waits.say(mine ? "your turn" : "the assistant's turn");
  }

  function begin(message) {
    log.clear();
    brief.replaceChildren(
      element("h2", "", "What you want"), element("p", "wish", message.goal),
      element("h2", "", "Who you are"), element("p", "", message.persona),
      ...(message.advice ? [element("h2", "", "Advice"), element("p", "advice", message.advice)] : []),
    );
    meanings = message.words;
    lines.replaceChildren(...message.lines.map((line) => {
      const made = button("", "", () => send({ kind: "decide", word: "CONTINUE", say: line.text }));
      made.append(element("i", "", line.when), line.text);
      return made;
    }));
    words.replaceChildren(...Object.entries(message.words).filter(([word]) => word !== "CONTINUE").map(([word, meaning]) => {
      const made = button("", "", () => send({ kind: "decide", word, reason: reason.value.trim() }));
      made.dataset.word = word;
      made.append(element("b", "", meaning), element("small", "", `control word ${word}`));
      return made;
    }));
    turn(false);
    app.aloud(`What you want: ${message.goal}`);
  }

  const HANDLERS = {
    driver_part: begin,
    heard(message) {
      log.said("agent", message.text || "(says nothing)");
      for (const call of message.done) log.call(call.name, call.arguments, { sign: "", done: true });
      app.aloud(`The assistant says: ${message.text || "nothing"}`);
    },
    asked: (message) => turn(true, message.opening),
    not_asked: () => turn(false),
    decided(message) {
      if (message.say) log.said("driver", message.say);
      else log.note(`ended: ${meanings[message.word] || message.word}`);
      if (message.say === input.value.trim().replace(/\s+/g, " ")) input.value = "";
      reason.value = "";
    },
    scored: (message) => log.note(message.text),
    trouble(message) {
      log.note(message.text, true);
      app.aloud(message.text);
    },
  };
  return { receive: (message) => HANDLERS[message.kind]?.(message) };
}
