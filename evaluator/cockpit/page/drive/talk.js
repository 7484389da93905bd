// The conversation of one lane: words as they are heard, calls, changes, and the time of each turn.

import { callLine } from "../call_line.js";
import { button, element, fragment, indented, seconds } from "../dom.js";
import { resultOf } from "./verdict.js";
import { waterfall } from "./waterfall.js";

const LAYOUT = `
<div class="lines" tabindex="0" role="log" aria-live="off" aria-label="Conversation, calls and changes"></div>`;

const FREE = {
  title: "Talk to the car.",
  text: "Type what you would say as the driver. Every word, call and change appears here as it happens. Places, people and roads are invented.",
  hints: ["Open the sunroof halfway", "It's cold, warm up my seat", "Set it to 22 degrees", "Make the ambient light blue", "What's the weather like?", "Turn on the fog lights"],
};

const ENDINGS = {
  call_placed: "The call was placed.", driver_hung_up: "New conversation",
  agent_failed: "The assistant failed.", infra_error: "The conversation failed: an infrastructure error.",
};
const HANDS = { person: "by hand", task: "by the task", fault: "by a fault", driving: "while driving" };
const COPED = { noticed: "The assistant noticed this fault", recovered: "The assistant recovered from this fault", overlooked: "The assistant did not notice this fault" };
const WORDS = ["say", "interrupt"];  // messages with words of the driver
const MOST_LINES = 400;
const NEAR_END = 140;  // pixels that count as the end

export function mountTalk(root, lane) {
  root.append(fragment(LAYOUT));
  const lines = root.querySelector(".lines");
  let turn = null;           // the turn under way: when speech ended here, its bubble, what is heard
  let speaking = null;       // the timer that turns words solid
  let calls = new Map();
  const faults = new Map();  // their states by id
  let moving = new Set();    // values that change by themselves while it drives
  let nouns = {};
  let greeting = null;       // the first words, shown until the driver has said something
  let judged = false;        // whether the final verdict has its line
  let atEnd = true, following = null, top = 0;  // whether to stay at the last line, the frame that scrolls there, and the position before

  // What is still to be said comes last: the first words, or those that wait.
  function add(node) {
    lines.insertBefore(node, lines.querySelector(".welcome, .waiting"));
    while (lines.children.length > MOST_LINES) lines.firstChild.remove();
    follow();
    return node;
  }

  // Scrolls to the last line, unless somebody reads further up. Once a frame, since reading heights makes the browser lay out the page.
  function follow() {
    if (!atEnd || following) return;
    following = requestAnimationFrame(() => {
      following = null;
      lines.scrollTop = lines.scrollHeight;
    });
  }

  function note(content, bad) {
    add(element("p", bad ? "note bad" : "note", content));
  }

  function reset(hello) {
    const rows = (hello.groups || []).flatMap((group) => group.rows);
    moving = new Set(rows.filter((row) => row[2]).map((row) => row[0]));
    nouns = Object.fromEntries(rows.map((row) => [row[0], row[3]]));
    lines.replaceChildren();
    greeting = lane.name === "a" ? welcome(hello) : null;
    if (greeting) lines.append(greeting);
    usable();
    judged = false;
    turn = null;
    stopSpeaking();
    calls = new Map();
    faults.clear();
  }

  function driver(message) {
    greeting?.remove();
    lines.querySelector(".said.driver.waiting")?.remove();
    for (const old of lines.querySelectorAll(".latest")) old.classList.remove("latest");
    add(element("p", "said driver latest", message.text));
  }

  function began(message) {
    const since = message.since_ms === undefined ? null : performance.now() - message.since_ms;
    turn = { since, bubble: null, words: [] };
    lane.turn = turn;
  }

  function words(message) {
    if (!turn) return;
    if (!turn.bubble || turn.bubble.dataset.message !== message.message) {
      turn.bubble = add(element("p", `said agent latest${message.aside ? " aside" : ""}`));
      turn.bubble.dataset.message = message.message;
    }
    for (const piece of message.text.match(/\s*\S+\s*|\s+/g) || []) {
      const word = element("i", turn.since === null ? "spoken" : "", piece);
      turn.words.push(word);
      turn.bubble.append(word);
    }
    speak();
    follow();
  }

  // Words turn solid at the pace they are heard.
  function speak() {
    if (speaking || !turn?.heard || turn.since === null) return;
    const of = turn;
    speaking = setInterval(() => {
      const next = of.words.find((word) => word.className === "");
      if (next) next.className = "spoken";
      else stopSpeaking();
    }, lane.app.hello.word_ms);
  }

  function stopSpeaking() {
    clearInterval(speaking);
    speaking = null;
  }

  function heard() {
    if (!turn) return;
    turn.heard = true;
    speak();
  }

  function called(message) {
    const { line } = callLine(message.tool, message.arguments, "…");
    calls.set(message.call, line);
    add(line);
  }

  function answered(message) {
    const line = calls.get(message.call);
    if (!line) return;
    calls.delete(message.call);
    line.classList.add(message.succeeded ? "done" : "refused");
    line.querySelector(".sign").textContent = `${message.after_ms.toFixed(1)} ms`;
    line.querySelector("details").append(element("pre", "", indented(message.output) || "(no output)"));
    if (!message.succeeded) line.querySelector("summary").append(element("span", "why", message.why || "refused"));
  }

  function changed(message) {
    if (message.first) return;
    const news = element("p", "news");
    if (message.by) news.dataset.by = message.by;
    for (const [name, entry] of Object.entries(message.values)) {
      if (!entry.before || moving.has(name) && message.by === "driving") continue;
      const noun = nouns[name] || name;
      const chip = element("span", "", `${noun[0].toUpperCase()}${noun.slice(1)} `);
      if (entry.before !== entry.text) chip.append(element("s", "", `${entry.before} → `));
      chip.append(element("b", "", entry.text));
      news.append(chip);
    }
    if (!news.childNodes.length) return;
    if (!message.past) document.dispatchEvent(new CustomEvent("changes", { detail: news.childNodes.length }));
    if (HANDS[message.by]) news.append(element("em", "", HANDS[message.by]));
    add(news);
  }

  function turnOver(message) {
    const took = element("details", "took"), summary = element("summary");
    for (const [label, span, name] of [["first speech", "upl", "first_speech"], ["first content", "upl_content", "content"], ["effect in the car", "effect_latency", "effect"], ["both heard for", "overlap"], ["silent after", "barge_stop"]]) {
      const ms = message.spans_ms[span], mark = message.verdict[name];
      if (ms == null && mark !== "missing" || name === "content" && mark === "n/a") continue;
      const part = element("span", "", `${label} `);
      part.append(element("b", mark, seconds(ms)));
      summary.append(part);
    }
    took.append(summary);
    const steps = waterfall(message), beside = lane.app.hello.lanes?.length > 1;
    for (const old of lines.querySelectorAll(".took[open]")) old.open = false;
    if (steps) { took.append(steps); took.open = !message.past && !beside; }
    else took.classList.add("plain");
    if (summary.childNodes.length) add(took);
    settleWords(message);
    if (turn && turn.since !== null) lane.app.aloud(message.heard || "The assistant said nothing.");
    turn = null;
    stopSpeaking();
  }

  // What was not heard, because the driver interrupted, stays pale and is struck through.
  function settleWords(message) {
    if (!turn) return;
    const said = turn.words.filter((word) => word.textContent.trim());
    const heard = (message.heard || "").split(/\s+/).filter(Boolean);
    const skipped = said.length && heard.length && said[0].textContent.trim() !== heard[0]
      ? said.filter((word) => word.closest(".aside")).length : 0;
    const end = message.handed_over === false ? skipped + heard.length : said.length;
    said.forEach((word, at) => { word.className = at < end ? "spoken" : "unheard"; });
  }

  function over(message) {
    const line = add(element("p", "note", ENDINGS[message.reason] || "The conversation is over."));
    line.classList.toggle("break", message.reason === "driver_hung_up");
    turn = null;
    stopSpeaking();
  }

  function fault(message) {
    const text = message.text || message.fault_kind;
    if (faults.get(message.id) === message.state) return;
    faults.set(message.id, message.state);
    if (message.state === "active" && message.fault_kind !== "offline") note(`Fault: ${text}`, true);
    else if (COPED[message.state]) note(`${COPED[message.state]}: ${text}`, message.state === "overlooked");
  }

  function verdict(message) {
    if (!message.final || judged) return;
    judged = true;
    const { text, state } = resultOf(message);
    const line = add(element("p", "note verdict", text));
    line.dataset.state = state;
    if (state === "wrong" && message.reason) line.append(`: ${message.reason}`);
  }

  function usable() {
    for (const hint of lines.querySelectorAll(".hints button")) hint.disabled = Boolean(lane.app.silent);
  }

  // What a fault did has its own line, and so has what a person changed on this page. What the
  // task changed is in the line before, which then says who did it.
  function event(message) {
    if (message.event === "fault" || message.detail?.by === "driver") return;
    const told = message.detail?.set && lines.querySelector(":scope > .news[data-by=task]:is(:last-child, :nth-last-child(2)) em");
    if (told) told.textContent = message.text;
    else note(message.text);
  }

  const SHOW = {
    driver, began, words, heard, called, answered, changed, turn: turnOver, over, fault, event, verdict,
    presence: (message) => note(`The car is ${message.online ? "online again" : "offline"}.`, !message.online),
    trouble: (message) => note(message.text, true),
  };
  lane.onHello(reset);
  lane.app.on("usable", usable);
  lane.app.on("trouble", ({ refused }) => {
    if (!WORDS.includes(refused)) return;
    [...lines.querySelectorAll(".waiting")].at(-1)?.remove();
    if (greeting && !lines.querySelector(".said")) lines.append(greeting);
  });
  lane.app.on("stage", ({ state }) => {
    if (state === "ending") for (const each of lines.querySelectorAll(".waiting")) each.remove();
  });
  for (const [kind, handler] of Object.entries(SHOW)) lane.on(kind, handler);

  lines.addEventListener("click", (event) => {
    if (!event.target.matches(".hints button")) return;
    document.dispatchEvent(new CustomEvent("hint", { detail: event.target.textContent }));
  });
  document.addEventListener("said", ({ detail }) => {
    atEnd = true;
    greeting?.remove();
    lines.append(element("p", "said driver waiting", detail));
    follow();
  });
  new ResizeObserver(() => {
    if (!lines.querySelector(".welcome")) lines.scrollTop = lines.scrollHeight;
  }).observe(lines);
  lines.addEventListener("scroll", () => {
    const isUp = lines.scrollTop < top, left = lines.scrollHeight - lines.scrollTop - lines.clientHeight;
    top = lines.scrollTop;
    if (isUp || left < NEAR_END) atEnd = left < NEAR_END;
  });
}

/** What is shown before the first word: hints, or in a task its goal and the first words of its driver. */
function welcome({ task, destinations = [] }) {
  const towns = destinations.slice(0, 3).map((name) => `Take me to ${name}`);
  const { title, text, hints } = task
    ? { title: "Play the driver.", text: task.goal, hints: [task.opening].filter(Boolean) } : { ...FREE, hints: [...towns.slice(0, 1), ...FREE.hints, ...towns.slice(1)] };
  const click = hints.length ? element("p", "click", `Click ${task ? "the first words" : "something"} to say ${task ? "them" : "it"}, or type your own.`) : null;
  const chips = element("div", "hints", ...hints.map((hint) => button(hint, "")));
  return element("div", "welcome", element("h1", "", title), element("p", "", text), click, chips);
}
