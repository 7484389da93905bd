// Small helpers for building the page.

export const byId = (id) => document.getElementById(id);

const TURNING = /[\u202a-\u202e\u2066-\u2069]/g;  // they turn round the text that follows
const shown = (part) => (typeof part === "string" ? part.replace(TURNING, "\ufffd") : part);

/** A new element; texts among the content become text, never markup. */
export function element(tag, className, ...content) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  made.append(...content.filter((part) => part !== undefined && part !== null).map(shown));
  return made;
}

/** A button that does something. */
export function button(label, className, onClick) {
  const made = element("button", className, label);
  made.type = "button";
  made.addEventListener("click", onClick);
  return made;
}

/** Static markup of this page as nodes; texts from the server never go through here. */
export function fragment(markup) {
  const holder = document.createElement("template");
  holder.innerHTML = markup;
  return holder.content;
}

export function svg(tag, attributes = {}, ...content) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...content);
  return made;
}

export function seconds(ms) {
  return ms === null || ms === undefined ? "never" : `${(ms / 1000).toFixed(2)} s`;
}

/** JSON with a line for each field; other text as it is. */
export function indented(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 1);
  } catch {
    return text;
  }
}

export const clamp = (value, lowest, highest) => Math.min(Math.max(value, lowest), highest);

export const calm = matchMedia("(prefers-reduced-motion: reduce)");
