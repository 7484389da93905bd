// Buttons that cause faults, and what becomes of each.

import { button, element, fragment } from "../dom.js";

const LAYOUT = `
<h2>Faults <label>each hits the next <select class="calls"><option value="set">change</option><option value="get">look-up</option><option value="any">call</option></select></label></h2>
<div class="faults"></div>
<div class="sliders">
<label>Reply late by <output></output><input type="range" name="delay" min="200" max="10000" step="200" value="2000"></label>
<label>Car offline for <output></output><input type="range" name="offline" min="1" max="30" step="1" value="5"></label>
<button type="button" class="heal">End all faults</button>
</div>
<ol class="injected" aria-label="Faults so far"></ol>`;

// The slider of a kind of fault: the field that it gives, and its value as text.
const SLIDERS = {
  delay: ["delay_ms", (value) => `${(value / 1000).toFixed(1)} s`],
  offline: ["for_s", (value) => `${value} s`],
};

/** How far a fault has come, in words. */
const STATES = { planned: "planned", active: "has hit", noticed: "noticed", recovered: "recovered", overlooked: "hit, not noticed", over: "over" };

export function mountFaults(root, app) {
  root.append(fragment(LAYOUT));
  const buttons = {}, seen = new Map();
  const slider = (name) => root.querySelector(`input[name="${name}"]`);

  function cause(kind) {
    const [field] = SLIDERS[kind] || [];
    app.send({ kind: "fault", fault_kind: kind, calls: root.querySelector(".calls").value, ...(field ? { [field]: Number(slider(kind).value) } : {}) });
  }

  function captions() {
    for (const [name, [, text]] of Object.entries(SLIDERS)) {
      slider(name).parentElement.querySelector("output").textContent = text(Number(slider(name).value));
    }
  }

  function reset(hello) {
    seen.clear();
    root.querySelector(".injected").replaceChildren();
    for (const { kind, label, text } of hello.faults || []) {
      buttons[kind] = button(label, "fault", () => cause(kind));
      buttons[kind].title = text;
      buttons[kind].append(element("small", "", text));
    }
    root.querySelector(".faults").replaceChildren(...Object.values(buttons));
    usable();
  }

  function fault(message) {
    const { fault_kind: kind, state } = message;
    const id = `${message.lane}/${message.id}`;
    let row = seen.get(id);
    if (!row) {
      row = element("li", "", element("b", ""), element("span", ""));
      seen.set(id, row);
      root.querySelector(".injected").prepend(row);
    }
    row.dataset.state = state;
    const lane = app.hello?.lanes?.length > 1 ? `${message.lane.toUpperCase()}: ` : "";
    row.firstChild.textContent = lane + (message.text || kind);
    const says = STATES[state] || state;
    row.lastChild.textContent = says;
    const shown = buttons[kind];
    if (!shown) return;
    shown.dataset.state = state;
    shown.dataset.says = says;
  }

  function usable() {
    for (const each of root.querySelectorAll("button, input, select")) each.disabled = Boolean(app.blocked);
  }

  root.querySelector(".heal").addEventListener("click", () => app.send({ kind: "heal" }));
  root.addEventListener("input", captions);
  app.on("hello", reset);
  app.on("fault", fault);
  app.on("usable", usable);
  captions();
}
