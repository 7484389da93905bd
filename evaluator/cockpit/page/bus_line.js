// What a message on the bus says, in one line: the most important fields first, stamps left out.

import { element } from "./dom.js";

const STAMPS = new Set(["src", "seq", "n", "t_ns", "mono_ns"]);
const LONGEST = 300;  // characters of a line
// The fields that come first, in bold, and how each is written.
const FIRST = {
  value: brief,
  arguments: (given) => fieldsOf(given) || "no arguments",
  output: outputOf,
  online: (online) => (online ? "online" : "offline"),
  tools: (tools) => `${tools.length} tools`,
  frames: (frames) => frames.map(frameOf).join("; "),
  heard_user: (said) => `driver: ${said}`,
  heard_agent: (said) => `assistant: ${said}`,
  detail: fieldsOf,
  word: brief, reason: brief, fault: brief, error: brief,
};

/** The content of a message as nodes; what cannot be read is shown as it came. */
export function contentOf({ payload }) {
  const fields = objectIn(payload);
  if (!fields) return [payload.slice(0, LONGEST)];
  const known = Object.keys(FIRST).filter((name) => fields[name] !== undefined && fields[name] !== null);
  const first = known.map((name) => FIRST[name](fields[name])).filter(Boolean).join("  ");
  const others = Object.entries(fields).filter(([name, value]) => !known.includes(name) && !STAMPS.has(name) && value !== null);
  const rest = fields.value === undefined ? fieldsOf(Object.fromEntries(others)) : "";
  return [first ? element("b", "", first.slice(0, LONGEST)) : null, rest.slice(0, LONGEST)];
}

function objectIn(text) {
  try {
    const read = JSON.parse(text);
    return read && typeof read === "object" && !Array.isArray(read) ? read : null;
  } catch {
    return null;
  }
}

function brief(value) {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function fieldsOf(fields) {
  return Object.entries(fields).map(([name, value]) => `${name}=${brief(value)}`).join(" ");
}

/** What a tool answered: its result, or why it failed. */
function outputOf(output) {
  const answer = objectIn(output);
  if (!answer) return output;
  const { result, errors } = answer;
  const said = errors ?? result;
  return said && typeof said === "object" ? fieldsOf(said) || (errors ? "failed" : "done") : output;
}

/** A frame of the conversation: which way it went, its type, and its words. */
function frameOf({ way, peer, type, data = {} }) {
  const words = data.delta ?? data.text ?? data.name ?? data.output ?? "";
  return [way === "out" ? `to ${peer}:` : `${peer}:`, type, brief(words)].filter(Boolean).join(" ");
}
