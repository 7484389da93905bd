// Buttons that cause faults, and what becomes of each; driving and its speed.

import { button, element, fragment } from "../dom.js";

// Kind, caption, what it does, and the fields it needs.
const KINDS = [
  ["delay", "Late reply", "the car acts and replies late", { delay_ms: "delay" }],
  ["loss", "Lost reply", "the car acts, its reply is lost", {}],
  ["lost_command", "Lost command", "the command does not reach the car", {}],
  ["duplicate", "Doubled", "signals and reply come twice", {}],
  ["reorder", "Out of order", "signals and reply come in another order", {}],
  ["refusal", "Refused", "the car does nothing and says so", {}],
  ["stale", "Old values", "a look-up returns the state before the last change", {}],
  ["contradiction", "Contradiction", "a look-up contradicts the car", {}],
  ["offline", "Car away", "the car hears and answers nothing for a while", { for_s: "away" }],
  ["knob", "Manual change", "a hand turns a knob right after the next call", {}],
];

const LAYOUT = `
<h2>Faults <span>hit the next call that fits</span></h2>
<div class="faults"></div>
<div class="sliders">
<label>Late by <output></output><input type="range" name="delay" min="200" max="10000" step="200" value="2000"></label>
<label>Away for <output></output><input type="range" name="away" min="1" max="30" step="1" value="5"></label>
<label class="drives">Driving speed <output></output><input type="range" name="factor" min="1" max="60" step="1" value="1"></label>
</div>
<p class="row"><button type="button" class="heal">Heal everything</button><button type="button" class="motion" aria-pressed="false">Let it drive</button></p>
<ol class="injected" aria-label="Faults so far"></ol>`;

const TEXTS = { delay: (value) => `${(value / 1000).toFixed(1)} s`, away: (value) => `${value} s`, factor: (value) => `${value} ×` };

export function mountFaults(root, app) {
  root.append(fragment(LAYOUT));
  const buttons = {}, seen = new Map();
  const slider = (name) => root.querySelector(`input[name="${name}"]`);
  const motion = root.querySelector(".motion");

  for (const [kind, label, text, fields] of KINDS) {
    buttons[kind] = button(label, "fault", () => {
      const given = Object.entries(fields).map(([field, name]) => [field, Number(slider(name).value)]);
      app.send({ kind: "fault", fault_kind: kind, ...Object.fromEntries(given) });
    });
    buttons[kind].title = text;
    buttons[kind].append(element("small", "", text));
  }
  root.querySelector(".faults").append(...Object.values(buttons));

  function captions() {
    for (const [name, text] of Object.entries(TEXTS)) {
      slider(name).parentElement.querySelector("output").textContent = text(Number(slider(name).value));
    }
  }

  function reset(hello) {
    seen.clear();
    root.querySelector(".injected").replaceChildren();
    for (const each of Object.values(buttons)) delete each.dataset.state;
    drives(Boolean(hello.motion));
  }

  function drives(on) {
    motion.setAttribute("aria-pressed", String(on));
    motion.textContent = on ? "Stop driving" : "Let it drive";
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
    row.lastChild.textContent = state;
    if (buttons[kind]) buttons[kind].dataset.state = state;
  }

  function seat() {
    for (const each of root.querySelectorAll("button, input")) each.disabled = !app.drives;
  }

  const move = (on) => app.send({ kind: "motion", on, speed_factor: Number(slider("factor").value) });
  root.querySelector(".heal").addEventListener("click", () => app.send({ kind: "heal" }));
  motion.addEventListener("click", () => {
    const on = motion.getAttribute("aria-pressed") !== "true";
    drives(on);
    move(on);
  });
  slider("factor").addEventListener("change", () => { if (motion.getAttribute("aria-pressed") === "true") move(true); });
  root.addEventListener("input", captions);
  app.on("hello", reset);
  app.on("motion", (message) => {
    drives(message.on);
    slider("factor").value = message.speed_factor;
    captions();
  });
  app.on("fault", fault);
  app.on("seat", seat);
  captions();
}
