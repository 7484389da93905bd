// The task that is played: its goal, what is done so far, the rules, and how it ended.

import { button, element, fragment } from "../dom.js";

const LAYOUT = `
<div class="head"><h2 class="title"></h2><p class="result" role="status" hidden></p></div>
<p class="goal"></p>
<ul class="so-far" aria-label="So far"></ul>
<details class="policies" hidden><summary></summary><ul></ul></details>
<p class="row endings"></p>`;

export function mountVerdict(root, app, onThere) {
  root.append(fragment(LAYOUT));
  const find = (selector) => root.querySelector(selector);

  function reset() {
    const { chosen, catalog, words = [] } = app.hello;
    const task = catalog?.tasks?.find((each) => each.id === chosen?.task);
    const there = Boolean(chosen?.task);
    root.hidden = !there;
    onThere(there);
    find(".title").textContent = task?.title || task?.subject || chosen?.task || "";
    find(".goal").textContent = task?.goal || "";
    find(".result").hidden = true;
    find(".so-far").replaceChildren();
    find(".policies").hidden = true;
    find(".endings").replaceChildren(...words.map((word) => button(`End: ${word.replaceAll("_", " ").toLowerCase()}`, "", () => app.send({ kind: "end", word }))));
    find(".endings").hidden = !words.length;
  }

  function verdict(message) {
    if ((message.lane || "a") !== "a") return;
    find(".so-far").replaceChildren(...message.so_far.map((each) => {
      const line = element("li", "", each.text);
      line.dataset.state = each.state;
      return line;
    }));
    const broken = message.policies.filter((each) => each.state === "broken");
    find(".policies").hidden = !message.policies.length;
    find(".policies").open = broken.length > 0;
    find(".policies summary").textContent = broken.length
      ? `${broken.length} of ${rules(message)} broken` : `${rules(message)} kept`;
    find(".policies").dataset.state = broken.length ? "broken" : "kept";
    find(".policies ul").replaceChildren(...message.policies.map((each) => {
      const line = element("li", "", element("b", "", each.id), ` ${each.text}`);
      line.dataset.state = each.state;
      return line;
    }));
    const result = find(".result");
    result.hidden = message.reward === null || message.reward === undefined;
    result.dataset.state = message.reward >= 1 ? "done" : "wrong";
    result.textContent = message.reward >= 1
      ? (message.final ? "Solved" : "Solved, if it ended now") : (message.final ? "Not solved" : "Not solved yet");
    result.dataset.final = String(Boolean(message.final));
  }

  app.on("hello", reset);
  app.on("stage", reset);
  app.on("catalog", () => { if (app.hello) reset(); });
  app.on("verdict", verdict);
}

function rules({ policies }) {
  return policies.length === 1 ? "1 rule" : `${policies.length} rules`;
}
