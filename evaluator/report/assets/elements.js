// Elements and texts that all pages share: the cockpit, reports, and views of stored runs.

const TURNING = /[\u202a-\u202e\u2066-\u2069]/g;  // characters that make the following text run from right to left
const harmless = (child) => (typeof child === "string" ? child.replace(TURNING, "\ufffd") : child);

// Whatever an agent or a driver said becomes text, never markup.
export function make(tag, attributes, ...children) {
  const svg = tag.startsWith("svg:");
  const node = svg
    ? document.createElementNS("http://www.w3.org/2000/svg", tag.slice(4))
    : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") node.addEventListener(name.slice(2), value);
    else if (name === "style") for (const [key, to] of Object.entries(value)) node.style.setProperty(key, to);
    else node.setAttribute(name, value === true ? "" : value);
  }
  for (const child of children.flat(Infinity)) {
    if (child !== null && child !== undefined && child !== "" && child !== false) node.append(harmless(child));
  }
  return node;
}

// Rows below a head; a column whose name begins with # has numbers.
export function makeTable(head, rows, kind) {
  const numeric = head.map((name) => name.startsWith("#"));
  const names = head.map((name) => name.replace(/^#/, ""));
  const cell = (content, index) => make("td", { class: numeric[index] ? "n" : null, "data-name": names[index] }, content);
  return make("div", { class: "scroll" }, make("table", { class: kind || null },
    make("thead", {}, make("tr", {}, names.map((name, index) =>
      make("th", { scope: "col", class: numeric[index] ? "n" : null }, name)))),
    make("tbody", {}, rows.map((cells) => make("tr", {}, cells.map(cell))))));
}

// An id that may be broken after each underscore.
export const breakable = (id) => id.split("_").flatMap((part, index) => (index ? ["_", make("wbr"), part] : [part]));

export const unitName = (unit) => `${unit.id}:${unit.trial}`;
export const roundSeconds = (ms) => `${(ms / 1000).toFixed(ms < 99500 ? 1 : 0)} s`;
export const exactSeconds = (ms) => (ms === null || ms === undefined ? "never" : `${(ms / 1000).toFixed(2)} s`);
export const wholePercent = (share) => (share === null || share === undefined ? "–" : `${Math.round(share * 100)} %`);
export const counted = (number, noun) => `${number} ${noun}${number === 1 ? "" : "s"}`;

// What became of a unit: the colour of its square, and its state in words.
export const counts = (unit) => unit.outcome === "success" || unit.outcome === "failure";
export const light = (unit) =>
  !counts(unit) ? "other" : unit.outcome === "failure" ? "never" : unit.timed === false ? "always" : "timed";
export const stateOf = (unit) =>
  !counts(unit) ? "other" : unit.outcome === "success" && unit.timed === false ? "slow" : unit.outcome;

export function outcomeBadge(unit, captions) {
  const kind = stateOf(unit);
  return make("span", { class: `badge ${kind}` }, kind === "slow" ? "too late" : captions.outcomes[unit.outcome] || unit.outcome);
}

// A wait against its soft and hard limit in seconds.
export function markOf(waited_ms, limit) {
  if (!limit) return "";
  return waited_ms > limit[1] * 1000 ? "hard" : waited_ms > limit[0] * 1000 ? "soft" : "ok";
}
