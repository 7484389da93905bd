// The stored runs: a list, one run, one conversation, two runs compared.
//
// #runs, #runs/RUN, #runs/RUN/TASK:TRIAL and #runs/RUN/with/RUN are addresses to pass on; names are
// encoded, since a run may lie in a folder of a folder.

import { comparisonView } from "/stored/comparison.js";
import { exactSeconds, make, unitName, wholePercent } from "/stored/elements.js";
import { unitStory } from "/stored/story.js";
import { unitTable } from "/stored/units.js";
import { mountCar } from "./drive/car_picture.js";

const STYLES = ["/stored/stored.css", "page/drive/car.css", "page/runs.css"];
const TOO_SLOW = "not to be trusted: the bench was too slow";
const COLUMNS = ["Compare", "Run", "Agent", "#Units", "#Solved", "#In time", "#First speech, median", "Started"];

export const addressOf = (...parts) => `#${["runs", ...parts.map(encodeURIComponent)].join("/")}`;

export function mount(root, app) {
  const shadow = root.attachShadow({ mode: "open" });
  const page = make("div", { class: "page" });
  shadow.append(...STYLES.map((href) => make("link", { rel: "stylesheet", href })), page);
  // The keys of the shell are not for those who type here.
  shadow.addEventListener("keydown", (event) => { if (event.target.closest("input, select")) event.stopPropagation(); });

  const ask = (question, given) => app.fetch(`/runs/${question}?${new URLSearchParams(given)}`);
  const fileOf = (question, given) => `/runs/${question}?${new URLSearchParams({ ...given, token: app.token })}`;
  const view = { ask, fileOf, query: "", chosen: [] };
  let asked = "";

  async function show() {
    const hash = location.hash;
    const [place, ...parts] = hash.slice(1).split("/").map(decodeURIComponent);
    if (place !== "runs" || hash === asked) return;
    asked = hash;
    page.replaceChildren(make("p", { class: "busy", role: "status" }, parts[1] === "with" ? "Comparing…" : "Reading…"));
    let nodes;
    try {
      nodes = await drawn(parts, view);
    } catch (error) {
      nodes = [crumbs(), make("p", { class: "card problem", role: "alert" }, error.message)];
    }
    if (asked !== hash) return;
    page.replaceChildren(...nodes);
    root.scrollTop = 0;
  }

  app.on("view", ({ view: shown }) => { if (shown === "runs") show(); else asked = ""; });
  return show();
}

function drawn([run, unit, other], view) {
  if (!run) return listOf(view);
  if (unit === "with" && other) return comparisonOf(run, other, view);
  return unit ? unitOf(run, unit, view) : runOf(run, view);
}

// Links to what lies above; the last part is where we are.
function crumbs(...parts) {
  const above = [["Runs", addressOf()], ...parts];
  return make("nav", { class: "crumbs", "aria-label": "Where this is" }, above.map(([text, href], index) =>
    index === above.length - 1 ? make("b", { "aria-current": "page" }, text) : make("a", { href }, text)));
}

const download = (href, text) => make("a", { class: "button", href, download: true }, text);

// --- the list

async function listOf(view) {
  const { folder, runs } = await view.ask("list", {});
  if (!runs.length) {
    return [make("h1", {}, "Runs"), make("p", { class: "card" }, `No run is stored in ${folder}. `,
      make("code", {}, "codriver run --agent rules"), " makes one; ", make("code", {}, "codriver serve --runs DIR"), " shows another folder.")];
  }
  view.chosen = view.chosen.filter((name) => runs.some((row) => row.run === name));
  const place = make("div", {});
  const pair = make("div", { class: "pair", role: "status" });
  const search = make("input", {
    type: "search", placeholder: "Filter: label, folder, agent, pace", "aria-label": "Filter runs", value: view.query,
    oninput: (event) => { view.query = event.target.value; draw(); },
  });

  function draw() {
    const words = view.query.toLowerCase().split(/\s+/);
    const text = (row) => `${row.run} ${row.label || ""} ${row.agent || ""} ${row.user || ""} ${row.pace || ""} ${row.profile || ""}`.toLowerCase();
    const shown = runs.filter((row) => words.every((word) => text(row).includes(word)));
    place.replaceChildren(shown.length ? runsTable(shown, view, tellPair) : make("p", { class: "note" }, "No run matches."));
    tellPair();
  }

  function tellPair() {
    const [one, two] = view.chosen;
    pair.replaceChildren(...(two
      ? [make("span", {}, "Is ", make("b", {}, two), " better than ", make("b", {}, one), "?"),
        make("button", { type: "button", onclick: () => { location.hash = addressOf(one, "with", two); } }, "Compare")]
      : [make("span", {}, one ? `Choose the run to compare with ${one}.` : "To compare two runs, choose the older one, then the newer one.")]));
  }

  draw();
  return [make("div", { class: "head" }, make("h1", {}, "Runs"), make("span", { class: "note" }, folder)),
    make("section", { class: "card" }, make("form", { class: "filters", onsubmit: (event) => event.preventDefault() }, search), place), pair];
}

function runsTable(rows, view, onchange) {
  const head = make("tr", {}, COLUMNS.map((name) => make("th", { scope: "col", class: name.startsWith("#") ? "n" : null }, name.replace("#", ""))));
  return make("div", { class: "scroll" }, make("table", { class: "runs" }, make("thead", {}, head),
    make("tbody", {}, rows.map((row) => make("tr", {}, row.problem ? brokenRow(row) : cells(row, view, onchange))))));
}

function brokenRow(row) {
  return [make("td", {}), make("td", { class: "name" }, row.run), make("td", { class: "problem", colspan: COLUMNS.length - 2 }, row.problem)];
}

function cells(row, view, onchange) {
  const named = (name, content) => make("td", { class: "n", "data-name": name }, content);
  const box = make("input", {
    type: "checkbox", "aria-label": `Compare ${row.run}`, checked: view.chosen.includes(row.run),
    onchange: (event) => {
      const others = view.chosen.filter((name) => name !== row.run);
      view.chosen = event.target.checked ? [...others, row.run].slice(-2) : others;
      for (const each of event.target.closest("tbody").querySelectorAll("input")) each.checked = view.chosen.includes(each.dataset.run);
      onchange();
    },
  });
  box.dataset.run = row.run;
  return [
    make("td", {}, box),
    make("td", { class: "name" }, make("a", { href: addressOf(row.run) }, nameOf(row) === row.run ? row.run : [make("span", { class: "label" }, nameOf(row)), make("small", {}, row.run)])),
    make("td", {}, row.agent, make("small", {}, ` pace ${row.pace}${row.user === "scripted" ? "" : `, driver ${row.user}`}`)),
    named("units", row.evaluated === row.planned ? row.planned : `${row.evaluated} of ${row.planned}`),
    named("solved", share(row.reward_mean)),
    named("in time", row.trusted === false && row.in_time_mean !== null ? doubtful(share(row.in_time_mean), TOO_SLOW) : share(row.in_time_mean)),
    named("first speech", latency(row)),
    make("td", { class: "date", title: row.created_at }, dateOf(row.created_at)),
  ];
}

// Folders that `run` names by itself; a label or a name of one's own says more.
const OWN_NAME = /^r\d{8}-\d{6}-\d+$/;
const nameOf = (row) => row.label || (OWN_NAME.test(row.run) ? `${row.agent.split(" with ")[0]}, ${row.planned} units` : row.run);

// Simulated waits of the fast and virtual paces are no measurement.
function latency({ first_speech_p50_ms: ms, pace, trusted }) {
  if (ms === null) return "–";
  const why = trusted === false ? TOO_SLOW : pace !== "live" ? `simulated: the pace is ${pace}` : "";
  return why ? doubtful(exactSeconds(ms), why) : exactSeconds(ms);
}

const doubtful = (content, why) => make("span", { class: "doubted", title: why }, content, make("small", {}, why.split(":")[0]));

/** Day and minute by the clock of whoever looks. */
function dateOf(text) {
  const day = { day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit" };
  return text ? new Date(text).toLocaleString("en-GB", day) : "";
}

function share(value) {
  return make("span", { class: "share" }, wholePercent(value), value === null ? null : make("i", { style: { "--part": `${value * 100}%` } }));
}

// --- one run

async function runOf(run, view) {
  const found = await view.ask("run", { run });
  const table = unitTable(found.units, found.captions, (unit) => { location.hash = addressOf(run, unitName(unit)); });
  return [
    crumbs([run]),
    make("div", { class: "head" }, make("h1", {}, found.headline), download(view.fileOf("report.html", { run }), "Report as a file")),
    make("dl", { class: "facts" }, found.facts.map(([name, value]) => make("div", {}, make("dt", {}, name), make("dd", {}, value)))),
    make("div", { class: "figures" }, found.figures.map(({ name, value, note, doubted }) => make("div", { class: "card" },
      make("h2", {}, name), make("p", { class: doubted ? "large doubted" : "large" }, value), make("p", { class: "note" }, note)))),
    found.caveats.length ? make("section", { class: "card keep" }, make("h2", {}, "To keep in mind"), make("ul", { class: "caveats" }, found.caveats.map((text) => make("li", {}, text)))) : null,
    make("section", { class: "card units" }, make("h2", {}, "Units"), make("p", { class: "note" }, "One square per trial. Select one to read and replay its conversation."), table.node),
  ].filter(Boolean);
}

// --- one conversation

async function unitOf(run, name, view) {
  const found = await view.ask("unit", { run, unit: name });
  const steps = (units, text) => units.map((unit) => make("a", { href: addressOf(run, unit), title: unit }, text));
  const actions = make("div", { class: "steps" }, steps(found.before, "← before"), steps(found.after, "next →"),
    download(view.fileOf("unit.html", { run, unit: name }), "Conversation as a file"));
  return [crumbs([run, addressOf(run)], [unitName(found.unit)]), make("section", { class: "card" }, unitStory(found.unit, found.told, found.captions, { actions: [actions], picture: carPicture(found.captions) }))];
}

// The car of the view Drive, without its knobs.
function carPicture({ groups }) {
  const node = make("div", { class: "car picture", "aria-hidden": "true", inert: true });
  const handlers = {};
  mountCar(node, {
    app: { drives: false, on: () => {} }, on: (kind, handler) => { handlers[kind] = handler; },
    onHello: (handler) => handler({ groups }), send: () => {},
  });
  let shown = "";
  function show(values) {
    const key = JSON.stringify(values);
    if (key !== shown) handlers.changed({ values, first: true });
    shown = key;
  }
  return { node, show };
}

// --- two runs

async function comparisonOf(first, second, view, force = "") {
  const found = await view.ask("compare", { first, second, force });
  const top = crumbs([first, addressOf(first)], [`compared with ${second}`]);
  if (found.incomparable) {
    const place = make("div", {}, make("section", { class: "card" }, make("p", { role: "alert" }, found.incomparable),
      make("p", {}, make("a", { class: "button", href: addressOf(first, "with", second), onclick: async (event) => {
        event.preventDefault();
        place.replaceChildren(...(await comparisonOf(first, second, view, "1")).slice(1));
      } }, "Compare them anyway"))));
    return [top, place];
  }
  const runs = [first, second];
  const linkTo = (side, task, trial) => addressOf(runs[side], `${task}:${trial}`);
  const around = make("a", { class: "button", href: addressOf(second, "with", first) }, "Swap the two runs");
  return [top, make("div", { class: "head" }, around, download(view.fileOf("compare.html", { first, second, force }), "Comparison as a file")), comparisonView(found, linkTo)];
}
