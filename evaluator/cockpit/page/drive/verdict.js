// The task that is played: its goal, what is done so far, the rules, and how it ended.

import { button, element, fragment } from "../dom.js";

const LAYOUT = `
<div class="head"><h2 class="title"></h2></div>
<p class="goal"></p>
<div class="verdicts"></div>
<p class="row endings"></p>`;

const LANE = `
<div class="head"><h3></h3><p class="result" role="status" hidden></p></div>
<p class="why" hidden></p>
<ul class="so-far" aria-label="So far"></ul>
<details class="policies" hidden><summary></summary><ul></ul></details>`;

const CAN_END = ["running", "paused"];

/** A verdict in a few words, and whether it is good; null as long as there is none. */
export function resultOf({ reward, in_time: inTime, final }) {
  if (reward === null || reward === undefined) return final ? { text: "No verdict", state: "wrong" } : null;
  if (reward >= 1 && final && inTime === false) return { text: "Solved, but too late", state: "late" };
  if (reward >= 1) return { text: final ? "Solved" : "Solved, if it ended now", state: "done" };
  return { text: final ? "Not solved" : "Not solved yet", state: "wrong" };
}

/** The result of one lane, beside the name of its assistant. */
export function mountResult(root, lane) {
  const shown = element("span", "result");
  shown.hidden = true;
  root.append(shown);
  lane.onHello(() => { shown.hidden = true; });
  lane.on("verdict", (message) => show(shown, message));
}

export function mountVerdict(root, app, onThere) {
  root.append(fragment(LAYOUT));
  const find = (selector) => root.querySelector(selector);
  const lanes = new Map();  // what is shown of each, by name
  const final = new Set();  // lanes whose verdict is final

  function reset() {
    const { task, endings = [], lanes: all = [] } = app.hello;
    root.hidden = !task;
    onThere(Boolean(task));
    find(".title").textContent = task?.title || "";
    find(".goal").textContent = task?.goal || "";
    lanes.clear();
    final.clear();
    for (const { lane, agent } of task ? all : []) {
      const box = element("section", "", fragment(LANE));
      box.querySelector("h3").textContent = all.length > 1 ? agent : "";
      lanes.set(lane, box);
    }
    find(".verdicts").replaceChildren(...lanes.values());
    find(".endings").replaceChildren(...endings.map(({ word, text }) => ending(word, text)));
    find(".endings").prepend(element("span", "ending", "Ending…"));
    usable();
  }

  function ending(word, text) {
    const made = button(`End: ${text}`, "", () => app.send({ kind: "end", word }));
    made.dataset.word = word;
    made.title = `Ends the task with the control word ${word}`;
    return made;
  }

  // The buttons of control words are there while one can end the task.
  function usable() {
    const state = app.hello?.state;
    const open = CAN_END.includes(state) && final.size < lanes.size;
    for (const each of root.querySelectorAll(".endings button")) {
      each.hidden = !open;
      each.disabled = Boolean(app.blocked);
    }
    const ending = find(".ending");
    if (ending) ending.hidden = state !== "ending";
  }

  function verdict(message) {
    const box = lanes.get(message.lane || "a");
    if (!box) return;
    box.querySelector(".so-far").replaceChildren(...message.so_far.map((each) => line(each, each.text)));
    policies(box.querySelector(".policies"), message.policies);
    show(box.querySelector(".result"), message);
    const why = box.querySelector(".why");
    why.hidden = !message.final || message.reward >= 1 || !message.reason;
    why.textContent = message.reason;
    if (message.final) final.add(message.lane || "a");
    usable();
  }

  app.on("hello", reset);
  app.on("usable", usable);
  app.on("verdict", verdict);
}

function show(shown, message) {
  const result = resultOf(message);
  shown.hidden = !result;
  shown.textContent = result?.text || "";
  shown.dataset.state = result?.state || "";
  shown.dataset.final = String(Boolean(message.final));
}

function policies(box, all) {
  const broken = all.filter((each) => each.state === "broken");
  const rules = all.length === 1 ? "1 rule" : `${all.length} rules`;
  box.hidden = !all.length;
  box.open = broken.length > 0;
  box.dataset.state = broken.length ? "broken" : "kept";
  box.querySelector("summary").textContent = broken.length ? `${broken.length} of ${rules} broken` : `${rules} kept`;
  box.querySelector("ul").replaceChildren(...all.map((each) => line(each, element("b", "", each.id), ` ${each.text}`)));
}

function line({ state }, ...content) {
  const made = element("li", "", ...content);
  made.dataset.state = state;
  return made;
}
