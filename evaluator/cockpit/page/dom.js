// Small helpers for building the page.

import { make } from "/stored/elements.js";

export { exactSeconds as seconds, markOf } from "/stored/elements.js";

export const byId = (id) => document.getElementById(id);

/** A new element; texts among the content become text, never markup. */
export const element = (tag, className, ...content) => make(tag, { class: className || null }, ...content);

export const svg = (tag, attributes, ...content) => make(`svg:${tag}`, attributes, ...content);

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
