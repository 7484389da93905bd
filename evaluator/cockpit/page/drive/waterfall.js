// Where the time of a turn went, step by step, since the end of the driver's speech.

import { element } from "../dom.js";

/** The steps of a turn as rows: name, kind, from, to; a step without `to` is a moment. */
function stepsOf({ marks, calls = [] }) {
  const at = Object.fromEntries(marks.map((mark) => [mark.name, mark.at_ms]));
  const known = (name) => at[name] !== undefined && at[name] !== null;
  const steps = [];
  if (known("transcript")) steps.push(["hearing", "hear", 0, at.transcript]);
  if (known("first_token")) steps.push(["thinking", "think", at.transcript ?? 0, at.first_token]);
  for (const call of calls) {
    const kind = call.ok === false ? "call refused" : "call";
    steps.push([call.tool, kind, call.from_ms, call.to_ms ?? call.from_ms]);
  }
  if (known("effect")) steps.push(["car acted", "effect", at.effect]);
  if (known("first_sound")) steps.push(["speaking", "speak", at.first_sound, at.end ?? at.first_sound]);
  return steps.sort((one, other) => one[2] - other[2]);
}

/** A list for the log, or null if the turn came without marks. */
export function waterfall(turn) {
  if (!turn.marks?.length) return null;
  const steps = stepsOf(turn);
  const last = Math.max(1, ...steps.map((step) => step[3] ?? step[2]));
  const list = element("ol", "waterfall");
  for (const [name, kind, from, to] of steps) {
    const row = element("li", kind), bar = element("i"), track = element("span", "track", bar);
    bar.style.left = `${(from / last) * 100}%`;
    if (to !== undefined) bar.style.width = `${Math.max(0.4, ((to - from) / last) * 100)}%`;
    const took = to === undefined ? `at ${(from / 1000).toFixed(2)} s` : written(to - from);
    row.append(element("span", "step", name), track, element("span", "ms", took));
    list.append(row);
  }
  return list;
}

const written = (ms) => (ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(2)} s`);
