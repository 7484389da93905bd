// A person plays the assistant.

import { element } from "./dom.js";

export function mount(root) {
  root.append(element("p", "empty", "Play the assistant yourself: codriver serve --agent wizard"));
}
