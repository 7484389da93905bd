// What was said and done, line by line, and the clock of whoever is waited for.

import { callLine } from "../call_line.js";
import { element, indented, markOf } from "../dom.js";

const MOST_LINES = 400;
const SHORT = 90;  // characters of an answer that stays on one line

/** The conversation: `add` appends a node and keeps the end in sight. */
export function conversation() {
  const node = element("div", "lines");
  node.tabIndex = 0;
  node.setAttribute("role", "log");
  node.setAttribute("aria-label", "Conversation");

  function add(line) {
    node.append(line);
    while (node.children.length > MOST_LINES) node.firstChild.remove();
    node.scrollTop = node.scrollHeight;
    return line;
  }

  return {
    node,
    add,
    clear: () => node.replaceChildren(),
    note: (text, bad) => add(element("p", bad ? "note bad" : "note", text)),
    said: (who, text, kind = "") => add(element("p", `said ${who} ${kind}`.trim(), text)),
    call(name, given, { sign = "…", output = "", done } = {}) {
      const { line, details } = callLine(name, given, sign);
      if (output) {
        details.append(element("pre", "", output.length < SHORT ? output : indented(output)));
        details.open = true;
      }
      if (done !== undefined) line.classList.add(done ? "done" : "refused");
      return add(line);
    },
  };
}

/** How long the other side waits already, against the limits of an ordinary turn. */
export function clock() {
  const node = element("p", "clock");
  node.setAttribute("role", "timer");
  const reading = element("output"), what = element("span");
  node.append(reading, what);
  let since = null, limits = null;

  function show() {
    const waited = since === null ? null : (performance.now() - since) / 1000;
    reading.textContent = waited === null ? "" : `${waited.toFixed(1)} s`;
    const { soft_s: soft, hard_s: hard } = limits || {};
    node.dataset.mark = waited === null || !hard ? "idle" : markOf(waited * 1000, [soft, hard]);
  }

  setInterval(show, 100);
  return {
    node,
    limits(budgets) { limits = budgets?.A?.first_speech || null; },
    run(ago_ms) { since = performance.now() - ago_ms; show(); },
    stop() { since = null; show(); },
    say(text) { what.textContent = text; },
  };
}

/** A line to type in; Enter gives it to `done` with whether Shift was held. */
export function composer(label, done) {
  const input = element("textarea");
  input.id = "wizard-text";
  input.rows = 2;
  input.placeholder = label;
  input.setAttribute("aria-label", label);
  input.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.isComposing) return;
    event.preventDefault();
    done(event.shiftKey);
  });
  return input;
}
