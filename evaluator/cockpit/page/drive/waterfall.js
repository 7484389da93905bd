// Where the time of a turn went, step by step, since the end of the driver's speech.

import { element } from "../dom.js";

/** The steps of a turn as rows: name, kind and stretches of from and to; a stretch without `to` is a moment. */
function stepsOf({ marks, calls = [] }) {
  const at = Object.fromEntries(marks.map((mark) => [mark.name, mark.at_ms]));
  const known = (name) => at[name] !== undefined && at[name] !== null;
  const steps = [];
  if (known("transcript")) steps.push(["hearing", "hear", [0, at.transcript]]);
  if (known("first_token")) steps.push(["thinking", "think", ...without(calls, at.transcript ?? 0, at.first_token)]);
  for (const call of calls) {
    const kind = call.ok === false ? "call refused" : "call";
    steps.push([call.tool, kind, [call.from_ms, call.to_ms ?? call.from_ms]]);
  }
  if (known("effect")) steps.push(["car acted", "effect", [at.effect]]);
  if (known("first_sound")) steps.push(["speaking", "speak", [at.first_sound, at.end ?? at.first_sound]]);
  return steps.sort((one, other) => one[2][0] - other[2][0]);
}

/** The stretches of a time in which no call waits for the car; at least one, even if it has no length. */
function without(calls, begin, end) {
  const stretches = [];
  let from = begin;
  for (const call of calls.toSorted((one, other) => one.from_ms - other.from_ms)) {
    if (call.from_ms > from && call.from_ms < end) stretches.push([from, call.from_ms]);
    from = Math.max(from, call.to_ms ?? call.from_ms);
  }
  if (from < end || !stretches.length) stretches.push([Math.min(from, end), end]);
  return stretches;
}

/** A list for the log, or null if the turn came without marks. */
export function waterfall(turn) {
  if (!turn.marks?.length) return null;
  const steps = stepsOf(turn);
  const last = Math.max(1, ...steps.flatMap(([, , ...stretches]) => stretches.flat()));
  const list = element("ol", "waterfall");
  for (const [name, kind, ...stretches] of steps) {
    const row = element("li", kind), track = element("span", "track");
    let length_ms = 0;
    for (const [from, to] of stretches) {
      const bar = element("i");
      bar.style.left = `${(from / last) * 100}%`;
      if (to !== undefined) bar.style.width = `${Math.max(0.4, ((to - from) / last) * 100)}%`;
      length_ms += (to ?? from) - from;
      track.append(bar);
    }
    const took = kind === "effect" ? `at ${(stretches[0][0] / 1000).toFixed(2)} s` : written(length_ms);
    row.append(element("span", "step", name), track, element("span", "ms", took));
    list.append(row);
  }
  return list;
}

const written = (ms) => (ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(2)} s`);
