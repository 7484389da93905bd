// A tool call as one line of a conversation; what else is known of it opens with a click.

import { element } from "./dom.js";

/** The line, and its `details`; `sign` stands behind the arguments. */
export function callLine(name, given, sign) {
  const summary = element("summary", "", element("span", "tool", name));
  for (const [key, value] of Object.entries(given)) {
    const text = typeof value === "string" ? value : JSON.stringify(value);
    summary.append(element("wbr"), element("span", "given", `${key}=`, element("b", "", ...atCommas(text))));
  }
  if (sign) summary.append(element("wbr"), element("span", "sign", sign));
  const details = element("details", "", summary);
  return { line: element("div", "act", details), details };
}

// A text whose lines break after commas.
const atCommas = (text) => text.split(/(?<=,)/).flatMap((part) => [element("wbr"), part]);
