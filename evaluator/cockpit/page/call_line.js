// A tool call as one line of a conversation; what else is known of it opens with a click.

import { element } from "./dom.js";

/** The line, and its `details`; `sign` stands behind the arguments. */
export function callLine(name, given, sign) {
  const summary = element("summary", "", element("span", "tool", name));
  for (const [key, value] of Object.entries(given)) {
    const text = typeof value === "string" ? value : JSON.stringify(value);
    summary.append(element("span", "given", `${key}=`, element("b", "", text)));
  }
  if (sign) summary.append(element("span", "sign", sign));
  const details = element("details", "", summary);
  return { line: element("div", "act", details), details };
}
