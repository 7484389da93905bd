// Two runs compared: what differs and how sure that is, the turns that got slower, every task.
import { breakable, counted, exactSeconds, make, makeTable, wholePercent } from "./elements.js";

const FIRST_TURNS = 25;
const FIRST_TASKS = 50;

// `linkTo(side, task)` is the address of a task in the first (0) or second (1) run, or null.
export function comparisonView(found, linkTo = () => null) {
  return make("div", { class: "comparison" },
    make("h1", {}, found.headline),
    found.findings.length ? make("ul", { class: "findings" }, found.findings.map((text) => make("li", {}, text))) : null,
    make("dl", { class: "facts" }, found.runs.map((run, side) => make("div", {},
      make("dt", {}, found.names[side]), make("dd", {}, run.name === found.names[side] ? null : run.name, make("small", {}, ` ${run.about}`)))),
      make("div", {}, make("dt", {}, "in both"), make("dd", {}, found.common)),
      found.simulated ? make("div", {}, make("dd", {}, found.simulated)) : null),
    part(found.unrelated ? "Other tasks of the same kind" : "What was solved", sharesTable(found), found.shares.length ? found.share_note : "No task was evaluated in both runs."),
    found.latencies.length ? part("How long the driver waited", latencyTable(found), found.latency_note) : null,
    found.slower_turns.length ? slowerTurns(found, linkTo) : null,
    found.late.length ? lateTurns(found, linkTo) : null,
    found.tasks.length ? tasksPart(found, linkTo) : null,
    found.warnings.length ? part("To keep in mind", make("ul", { class: "caveats warnings" }, found.warnings.map((text) => make("li", {}, text)))) : null,
    found.left_out.length ? part("Not compared", make("ul", { class: "caveats" }, found.left_out.map((text) => make("li", {}, text)))) : null);
}

function part(title, content, note) {
  return make("section", { class: "card wide" }, make("h2", {}, title), note ? make("p", { class: "note" }, note) : null, content);
}

// --- differences with their intervals

const extent = (rows) => Math.max(1e-9, ...rows.flatMap((row) => [Math.abs(row.lo), Math.abs(row.hi)]));
const signed = (number, text) => `${number < 0 ? "−" : "+"}${text}`;
const points = (share) => signed(share, Math.abs(share * 100).toFixed(1));

// The interval on a line with zero in its middle; `scale` is the value at its ends.
function interval(row, scale, title) {
  const at = (value) => 50 + (value / scale) * 48;
  return make("div", { class: `interval ${row.verdict}`, role: "img", "aria-label": title, title },
    make("i", { class: "zero" }),
    make("i", { class: "range", style: { left: `${at(row.lo)}%`, width: `${Math.max(at(row.hi) - at(row.lo), 0.5)}%` } }),
    make("i", { class: "point", style: { left: `${at(row.difference)}%` } }));
}

// The same with its two ends in numbers.
const numbered = (row, scale, text) => make("div", {}, interval(row, scale, text), make("small", { class: "ends" }, text));

const verdict = (row) => make("span", { class: `said-of ${row.verdict}` }, row.said);

function sharesTable({ shares: rows, names }) {
  const scale = extent(rows);
  return makeTable(["", `#${names[0]}`, `#${names[1]}`, "#points", "95 % interval", "#tasks", ""], rows.map((row) => [
    make("span", { class: row.part ? "inner" : null }, row.name), wholePercent(row.first), wholePercent(row.second), points(row.difference),
    numbered(row, scale, `${points(row.lo)} to ${points(row.hi)}`), row.tasks, verdict(row),
  ]), "differences");
}

const inMs = (ms) => `${Math.round(ms)} ms`;
const shownMs = (ms) => (Math.abs(ms) < 1000 ? inMs(ms) : exactSeconds(ms));
const signedMs = (ms) => signed(ms, shownMs(Math.abs(ms)));

function latencyTable({ latencies: rows, names }) {
  const scale = extent(rows.filter((row) => !row.few));
  const few = (row) => make("span", { class: "note" }, `only ${counted(row.turns, "turn")}`);
  const change = (row) => (row.p95_lo === null ? null : make("small", { class: "ends" }, `${signedMs(row.p95_lo)} to ${signedMs(row.p95_hi)}`));
  return makeTable(["p50", `#${names[0]}`, `#${names[1]}`, "#change", "95 % interval", "#p95", "#turns", ""], rows.map((row) => [
    make("span", { class: row.part ? "inner" : null }, row.name), shownMs(row.first), shownMs(row.second), signedMs(row.difference),
    row.few ? few(row) : numbered(row, scale, `${signedMs(row.lo)} to ${signedMs(row.hi)}`),
    row.few ? "–" : make("span", {}, `${shownMs(row.first_p95)} → ${shownMs(row.second_p95)}`, change(row)), row.turns, verdict(row),
  ]), "differences");
}

// --- turns

function taskLinks({ names, in_runs: runs }, linkTo, task, trial) {
  const [one, two] = [linkTo(0, task, trial), linkTo(1, task, trial)];
  return [make("span", { class: "id" }, breakable(task)), one || two ? make("span", { class: "links" },
    one ? make("a", { href: one, "aria-label": `${task} in ${runs[0]}` }, names[0]) : null, two ? make("a", { href: two, "aria-label": `${task} in ${runs[1]}` }, names[1]) : null) : null];
}

// The first rows of a table, and a button for the others.
function growing(rows, first, draw) {
  const place = make("div", {});
  function show(number) {
    place.replaceChildren(draw(rows.slice(0, number)));
    if (rows.length > number) {
      place.append(make("button", { type: "button", class: "more-units", onclick: () => show(rows.length) }, `Show all ${rows.length}`));
    }
  }
  show(first);
  return place;
}

function slowerTurns(found, linkTo) {
  const most = Math.max(...found.slower_turns.map((turn) => turn.second - turn.first));
  const table = (rows) => makeTable(["Task", "#Turn", "What", `#${found.names[0]}`, `#${found.names[1]}`, "#longer", ""], rows.map((turn) => [
    taskLinks(found, linkTo, turn.task, 0), turn.turn, `${turn.span} (${turn.class})`, exactSeconds(turn.first), exactSeconds(turn.second), signedMs(turn.second - turn.first),
    make("div", { class: "growth" }, make("i", { style: { width: `${((turn.second - turn.first) / most) * 100}%` } })),
  ]), "turns");
  return part("Turns that got slower", growing(found.slower_turns, FIRST_TURNS, table), found.slower_note);
}

function lateTurns(found, linkTo) {
  const table = (rows) => makeTable(["Task", "#Turn", "Missed", `#${found.names[0]}`, `#${found.names[1]}`, "#Limit", "What took most"], rows.map((turn) => [
    taskLinks(found, linkTo, turn.task, turn.trial), turn.turn, turn.missed, turn.in_first ? exactSeconds(turn.first) : "no such turn",
    make("b", { class: "late" }, exactSeconds(turn.second)), exactSeconds(turn.limit), turn.longest,
  ]), "turns");
  return part(`Too late only in ${found.in_runs[1]}`, growing(found.late, FIRST_TURNS, table), found.late_note);
}

// --- every task

const shareOf = ([successes, trials]) => (trials ? successes / trials : 0);
const gained = (task) => shareOf(task.solved[1]) - shareOf(task.solved[0]);
const longer = (task) => (task.first_speech ? task.first_speech[1] - task.first_speech[0] : 0);
const KINDS = [
  ["all", () => true],
  ["lost", (task) => gained(task) < 0],
  ["won", (task) => gained(task) > 0],
  ["slower", (task) => task.slower],
  ["faster", (task) => task.faster],
];

function tasksPart(found, linkTo) {
  const { tasks } = found;
  const ordered = [...tasks].sort((one, other) => gained(one) - gained(other) || longer(other) - longer(one));
  const place = make("div", {});
  const chips = make("div", { class: "chips" });
  function choose(kind) {
    chips.replaceChildren(...KINDS.map((each) => make("button", {
      type: "button", "aria-pressed": String(each === kind), onclick: () => choose(each),
    }, `${each[0]} ${tasks.filter(each[1]).length}`)));
    place.replaceChildren(growing(ordered.filter(kind[1]), FIRST_TASKS, (rows) => tasksTable(found, rows, linkTo)));
  }
  choose(KINDS[0]);
  return part("Task by task", [make("div", { class: "filters" }, chips), place], "Successes of its trials, and the mean first speech of the turns that both runs have.");
}

function tasksTable(found, rows, linkTo) {
  const timed = rows.some((task) => task.in_time);
  const heard = rows.some((task) => task.first_speech);
  const head = ["Task", "#solved", ...(timed ? ["#in time"] : []), ...(heard ? ["#first speech", "#change"] : []), `why ${found.in_runs[1]} failed`];
  return makeTable(head, rows.map((task) => [
    make("span", { title: task.title }, taskLinks(found, linkTo, task.task, 0)),
    tallies(task.solved),
    ...(timed ? [task.in_time ? tallies(task.in_time) : ""] : []),
    ...(heard ? task.first_speech
      ? [task.first_speech.map(exactSeconds).join(" → "), make("span", { class: task.slower ? "worse" : task.faster ? "better" : null }, signedMs(longer(task)))]
      : ["", ""] : []),
    task.reason,
  ]), "turns tasks");
}

function tallies([one, two]) {
  const change = shareOf(two) - shareOf(one);
  const text = one[1] === two[1] ? `${one[0]} → ${two[0]} of ${one[1]}` : `${one[0]} of ${one[1]} → ${two[0]} of ${two[1]}`;
  return make("span", { class: change < 0 ? "worse" : change > 0 ? "better" : null }, text);
}
