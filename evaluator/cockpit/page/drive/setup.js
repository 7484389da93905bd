// The scenario picker: what is played, by which assistant, how fast, with which faults.

import { byId, element, fragment } from "../dom.js";

const FIELDS = [
  ["agent", "Assistant", "agents"],
  ["agent_b", "Second assistant", "agents", "none"],
  ["latency_profile", "Latency", "latency_profiles"],
  ["speech_profile", "Hearing and speech", "speech_profiles"],
  ["budget_profile", "Budgets", "budget_profiles"],
  ["pace", "Pace", "paces"],
  ["faults", "Faults", "faults"],
];

// Assistants that are courses of a task, by the beginning of their names.
const COURSES = { "foolish:": "Do a task wrong on purpose", "sensible:": "Do a task right, in another way" };

const LAYOUT = `
<dialog class="setup" aria-labelledby="setup-title">
<form method="dialog">
<header><h2 id="setup-title">Scenario</h2><button value="close" class="icon" aria-label="Close">×</button></header>
<div class="columns">
<fieldset class="tasks"><legend>What is driven</legend>
<input type="search" id="task-filter" placeholder="Find a task" aria-label="Find a task" autofocus>
<div class="list" role="radiogroup" aria-label="Task"></div>
</fieldset>
<fieldset class="settings"><legend>How</legend><div class="fields"></div>
<label class="check"><input type="checkbox" name="motion"> The car drives as soon as it has a route</label>
<p class="hint">Nothing of a task happens before Start. The address of this page carries these settings.</p>
</fieldset>
</div>
<footer><p class="chosen" role="status"></p><button value="close">Close</button><button type="button" class="primary" id="setup-start">Start</button></footer>
</form>
</dialog>`;

const bySubject = (one, other) => (one.subject || "").localeCompare(other.subject || "") || (one.title || one.id).localeCompare(other.title || other.id);

export function mountSetup(app) {
  document.body.append(fragment(LAYOUT));
  const dialog = document.querySelector("dialog.setup");
  const list = dialog.querySelector(".list"), fields = dialog.querySelector(".fields");
  const choose = (name, value) => app.send({ kind: "choose", [name]: value });

  function row(task) {
    const input = element("input");
    Object.assign(input, { type: "radio", name: "task", value: task.id });
    input.addEventListener("change", () => choose("task", task.id || null));
    const text = element("span", "", element("b", "", task.title || task.subject || task.id), element("small", "", task.goal || ""));
    const made = element("label", "task", input, text, task.type ? element("i", "badge", [...new Set([task.subject, task.type])].filter(Boolean).join(", ")) : null);
    made.dataset.text = `${task.id} ${task.title} ${task.subject} ${task.goal} ${task.type}`.toLowerCase();
    return made;
  }

  function select([name, label, of, none], catalog) {
    const made = element("select");
    made.name = name;
    const texts = catalog.explained?.[name === "agent_b" ? "agent" : name] || {};
    const option = (choice) => new Option(texts[choice] ? `${choice}: ${texts[choice]}` : choice, choice);
    const kinds = Object.keys(COURSES), kindOf = (choice) => kinds.find((kind) => choice.startsWith(kind));
    made.append(...(none ? [new Option(none, "")] : []), ...catalog[of].filter((choice) => !kindOf(choice)).map(option));
    for (const kind of kinds) {
      const group = element("optgroup", "", ...catalog[of].filter((choice) => kindOf(choice) === kind).map(option));
      group.label = COURSES[kind];
      if (group.children.length) made.append(group);
    }
    made.addEventListener("change", () => choose(name, made.value || null));
    return element("label", "", element("span", "", label), made);
  }

  function fill() {
    const catalog = app.hello?.catalog;
    if (!catalog) return;
    const free = { id: "", title: "Free driving", goal: "Talk as you like; nothing is judged.", type: "" };
    const demoFirst = (one, other) => (other.id === catalog.demo) - (one.id === catalog.demo) || bySubject(one, other);
    list.replaceChildren(...[free, ...[...(catalog.tasks || [])].sort(demoFirst)].map(row));
    filter();
    fields.replaceChildren(...FIELDS.filter((field) => catalog[field[2]]?.length).map((field) => select(field, catalog)));
    show();
  }

  function show() {
    const chosen = app.hello?.chosen;
    if (!chosen) return;
    for (const [name] of FIELDS) {
      const made = dialog.querySelector(`select[name="${name}"]`);
      if (!made) continue;
      const value = chosen[name] ?? "";
      if (value && ![...made.options].some((each) => each.value === value)) made.append(new Option(value, value));
      made.value = value;
    }
    const task = [...list.querySelectorAll("input")].find((each) => each.value === (chosen.task || ""));
    if (task) {
      task.checked = true;
      task.scrollIntoView({ block: "nearest" });
    }
    for (const each of dialog.querySelectorAll("input:not([type=search]), select, #setup-start")) each.disabled = Boolean(app.blocked);
    const motion = dialog.querySelector('[name="motion"]'), always = Boolean(app.hello.motion && !chosen.motion);
    motion.checked = Boolean(chosen.motion || always);
    motion.disabled ||= always;
    motion.parentElement.title = always ? "It drives in this scenario in any case" : "";
    const verb = app.hello.state === "ready" ? "Start" : "Restart";
    dialog.querySelector(".chosen").textContent = `Chosen: ${nameOf(chosen.task)}`;
    byId("setup-start").textContent = `${verb} ${chosen.task ? "the task" : "free driving"}`;
  }

  function nameOf(id) {
    const { title, subject } = (app.hello.catalog?.tasks || []).find((task) => task.id === id) || {};
    return id ? title || subject || id : "free driving";
  }

  // The address carries what was chosen, so that it can be opened again or sent.
  function address() {
    const chosen = app.hello?.chosen;
    if (!chosen) return;
    const query = new URLSearchParams(location.search);
    for (const [name, value] of Object.entries(chosen)) {
      if (value === null || value === "" || value === false) query.delete(name);
      else query.set(name, value === true ? "1" : value);
    }
    history.replaceState(null, "", `?${query}${location.hash}`);
  }

  function filter() {
    const words = byId("task-filter").value.toLowerCase().split(/\s+/);
    for (const each of list.children) each.hidden = !words.every((word) => each.dataset.text.includes(word));
  }

  byId("scenario").addEventListener("click", () => {
    byId("task-filter").value = "";
    filter();
    show();
    dialog.showModal();
    list.querySelector("input:checked")?.scrollIntoView({ block: "center" });
  });
  byId("setup-start").addEventListener("click", () => {
    app.send({ kind: app.hello.state === "ready" ? "start" : "restart" });
    dialog.close();
  });
  byId("task-filter").addEventListener("input", filter);
  dialog.querySelector('[name="motion"]').addEventListener("change", (event) => choose("motion", event.target.checked));
  app.on("hello", fill);
  app.on("catalog", fill);
  app.on("stage", () => { show(); address(); });
  app.on("usable", show);
}
