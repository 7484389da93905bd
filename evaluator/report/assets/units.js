// The units of a run: a square per trial, filters, and a list.
import { breakable, counted, counts, light, make, outcomeBadge, roundSeconds, unitName } from "./elements.js";

const MAIN_TYPES = { base: "Base", hallucination: "Limit awareness", disambiguation: "Disambiguation" };
const FIRST_ROWS = 25;
const WORST_FIRST = { never: 0, other: 1, always: 2, timed: 3 };
const ORDERS = [
  ["worst", "the worst first", (one, other) => WORST_FIRST[light(one)] - WORST_FIRST[light(other)]],
  ["slow", "the slowest first", (one, other) => (other.slowest_ms ?? -1) - (one.slowest_ms ?? -1)],
  ["planned", "as planned", () => 0],
];

// `onopen` gets a unit that was selected. `node` shows all, `shown()` are the units in the list.
export function unitTable(units, captions, onopen) {
  const timed = units.some((unit) => unit.timed !== null);
  const filters = [
    ["all", "all", () => true],
    ["failed", "failed", (unit) => unit.outcome === "failure"],
    ["slow", "solved, too late", (unit) => light(unit) === "always"],
    ["timed", timed ? "solved in time" : "solved", (unit) => light(unit) === "timed"],
    ["other", "driver or infrastructure error", (unit) => !counts(unit)],
  ];
  let filter = filters[0];
  let order = ORDERS[0];
  let query = "";
  let shown = [];
  let rows = FIRST_ROWS;
  const squares = new Map();
  const chips = make("div", { class: "chips" });
  const wall = make("div", { class: "wall" });
  const list = make("div", { class: "unit-list" });
  const search = make("input", {
    type: "search", placeholder: "Task, reason, kind of failure", "aria-label": "Search units",
    oninput: (event) => { query = event.target.value.toLowerCase().trim(); rows = FIRST_ROWS; drawList(); },
  });
  const sorting = make("select", {
    "aria-label": "Order of the units",
    onchange: (event) => { order = ORDERS[event.target.selectedIndex]; drawList(); },
  }, ORDERS.map(([name, text]) => make("option", { value: name }, text)));

  function drawWall() {
    const mainTypes = new Map();
    for (const unit of units) {
      const mainType = unit.type.split("_")[0];
      if (!mainTypes.has(mainType)) mainTypes.set(mainType, new Map());
      const tasks = mainTypes.get(mainType);
      if (!tasks.has(unit.id)) tasks.set(unit.id, []);
      tasks.get(unit.id).push(unit);
    }
    for (const [mainType, tasks] of mainTypes) {
      wall.append(make("div", { class: "main-type" },
        make("h3", {}, `${MAIN_TYPES[mainType] || mainType}, ${counted(tasks.size, "task")}`),
        make("div", { class: "squares" }, [...tasks.values()].map((trials) => make("div", { class: "task" }, trials.map(square))))));
    }
  }

  function square(unit) {
    const label = `${unitName(unit)}, ${captions.outcomes[unit.outcome] || unit.outcome}`;
    const made = make("button", {
      type: "button", class: light(unit), title: label, "aria-label": label, onclick: () => onopen(unit),
    });
    squares.set(unit, made);
    return made;
  }

  function matches(unit) {
    if (!filter[2](unit)) return false;
    const text = `${unitName(unit)} ${unit.title} ${unit.reason} ${captions.kinds[unit.kind] || ""} ${captions.types[unit.type] || unit.type}`;
    return query.split(/\s+/).every((word) => text.toLowerCase().includes(word));
  }

  function drawList() {
    shown = units.filter(matches).sort(order[2]);
    for (const [unit, made] of squares) made.classList.toggle("faded", !matches(unit));
    list.replaceChildren(...shown.slice(0, rows).map(row));
    if (!shown.length) list.append(make("p", { class: "note" }, "No unit matches."));
    if (shown.length > rows) {
      list.append(make("button", { type: "button", class: "more-units", onclick: () => { rows += 100; drawList(); } },
        `Show more of ${shown.length} units`));
    }
  }

  function row(unit) {
    const why = counts(unit) && unit.kind ? `${captions.kinds[unit.kind] || unit.kind}: ${unit.reason}` : unit.reason;
    const waited = unit.slowest_ms ? `, waited ${roundSeconds(unit.slowest_ms)}` : "";
    return make("button", { type: "button", class: "unit", onclick: () => onopen(unit) },
      outcomeBadge(unit, captions),
      make("span", { class: "id" }, breakable(unitName(unit))),
      make("span", { class: "why" }, why || unit.title),
      make("span", { class: "meta" }, unit.turns ? `${unit.turns} turn${unit.turns > 1 ? "s" : ""}${waited}` : null));
  }

  function legend() {
    const lights = [["timed", "ok", timed ? "solved in time" : "solved"], ["always", "soft", "solved, too late"],
      ["never", "hard", "failed"], ["other", "", "driver or infrastructure error"]];
    const seen = new Set(units.map(light));
    return make("ul", { class: "legend" }, lights.filter(([name]) => seen.has(name)).map(([, kind, text]) => make("li", { class: kind }, text)));
  }

  function drawChips() {
    chips.replaceChildren(...filters.map((each) => {
      const number = units.filter(each[2]).length;
      return number || each[0] === "all"
        ? make("button", { type: "button", "aria-pressed": String(each === filter), onclick: () => choose(each) }, `${each[1]} ${number}`)
        : null;
    }).filter(Boolean));
  }

  function choose(each) {
    filter = each;
    rows = FIRST_ROWS;
    drawChips();
    drawList();
  }

  drawChips();
  drawWall();
  drawList();
  const node = make("div", {},
    make("form", { class: "filters", onsubmit: (event) => event.preventDefault() }, search, chips, sorting),
    wall, legend(), list);
  return { node, shown: () => shown };
}
