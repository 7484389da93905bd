// The stored runs.

import { element } from "./dom.js";

export function mount(root) {
  root.append(element("p", "empty", "Stored runs appear here: codriver serve --runs DIR"));
}
