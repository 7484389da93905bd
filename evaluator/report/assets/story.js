// One unit: its verdict, who spoke and worked when, and its conversation, which can be played again.
import { exactSeconds, make, markOf, outcomeBadge, stateOf, unitName } from "./elements.js";
import { timeline } from "./timeline.js";
import { voicesOf } from "./voices.js";

const SPEEDS = [0.5, 1, 2, 5, 10];
const STEP_MS = 100;

// `told` has `lines`, `verdict` and `car`. `actions` are nodes beside the title, `picture` a `node` with
// `show(values)`, which gets {text, value} of the car by name at each moment.
export function unitStory(unit, told, captions, { actions = [], picture = null } = {}) {
  const { lines, verdict } = told;
  const timed = unit.timed !== null;
  const moments = [];
  const conversation = make("div", { class: "conversation" });
  let turn = 0;
  let begun = false;
  for (const [index, line] of lines.entries()) {
    if (repeats(line, lines[index - 1], lines[index + 1])) continue;
    if (!begun && !["turn", "control", "end"].includes(line[2])) {
      begun = true;
      turn += 1;
      place({ at: line[0], node: make("h3", { class: "turn-head" }, `turn ${turn}`), turn });
    }
    const words = [];
    const node = drawLine(line, captions, words);
    if (node) place({ at: line[0], node, words, spoken: spokenIn(line), heard: line[5] && line[5].words });
    if (line[2] === "turn") begun = false;
  }

  function place(moment) {
    moments.push(moment);
    conversation.append(moment.node);
  }

  const car = told.car && Object.keys(told.car.start).length ? carPanel(told.car, captions, picture) : null;
  const player = replayer(unit, lines, captions, moments, car, timed, told.heard);
  return make("div", { class: "story" },
    make("div", { class: "story-head" }, make("h2", { id: "unit-title" }, `${unitName(unit)} `, outcomeBadge(unit, captions)), actions),
    make("p", { class: "note" }, facts(unit, verdict, captions).join(" · ")),
    verdictBox(unit, verdict, captions),
    make("ul", { class: "checks" }, checks(verdict, captions)),
    rulesPart(verdict, captions),
    player,
    make("div", { class: "story-body" }, conversation, car && car.node));
}

function facts(unit, verdict, captions) {
  const all = [unit.title, captions.types[unit.type] || unit.type, verdict.persona && `driver: ${verdict.persona}`, verdict.script && `${verdict.script} script`];
  return all.filter(Boolean);
}

function verdictBox(unit, verdict, captions) {
  const evidence = verdict.evidence || unit.reason;
  const heading = captions.kinds[unit.kind] || (stateOf(unit) === "slow" ? "solved, too late" : captions.outcomes[unit.outcome]);
  return make("div", { class: `verdict ${stateOf(unit)}` },
    make("p", {}, make("b", {}, heading || unit.outcome)),
    evidence ? make("p", {}, evidence) : null,
    verdict.disputed ? make("p", {}, `the driver's last word is disputed: ${verdict.disputed}`) : null,
    Object.entries(verdict.why).filter(([, why]) => why !== evidence)
      .map(([name, why]) => make("p", {}, `${failedName(name, captions)}: ${why}`)));
}

function checks(verdict, captions) {
  const signs = { 1: ["kept", "✔"], 0: ["broken", "✘"] };
  const all = Object.entries(verdict.components).map(([name, mark]) => {
    const [kind, sign] = mark === null ? ["open", "·"] : signs[mark] || ["open", mark];
    const text = kind === "broken" ? failedName(name, captions) : captions.components[name] || name;
    return make("li", { class: kind, title: mark === null ? "does not apply" : null }, `${sign} ${text}`);
  });
  return all;
}

const failedName = (name, captions) => captions.failed[name] || captions.components[name] || name;

// The rules of the car that applied, in words; open if one is broken.
function rulesPart(verdict, captions) {
  const all = Object.entries(verdict.policies), broken = all.filter(([, state]) => state === "broken").length;
  if (!all.length) return null;
  const text = `${all.length === 1 ? "1 rule of the car applied" : `${all.length} rules of the car applied`}${broken ? `, ${broken} broken` : ""}`;
  return make("details", { class: "rules", open: broken > 0 }, make("summary", {}, text),
    make("ul", {}, all.map(([name, state]) => make("li", { class: state === "undecided" ? "open" : state },
      `${state === "kept" ? "✔" : state === "broken" ? "✘" : "·"} ${captions.rules[name] || `rule ${name}`} `, make("small", {}, name)))));
}

// A reply without content or with changes only, and a repeated ending.
function repeats(line, before, after) {
  if (line[2] === "reply" && line[5] && line[5].output === "") return true;
  if (line[2] === "reply") return after !== undefined && after[2] === "state";
  return line[2] === "end" && before !== undefined && before[2] === "control" && before[5].word === line[3];
}

// --- lines

const shownValue = (value) =>
  value === true ? "on" : value === false ? "off" : typeof value === "string" ? value : JSON.stringify(value);

function drawLine([ms, who, what, text, , detail], captions, words) {
  const at = (body) => make("div", { class: "line" }, make("time", {}, (ms / 1000).toFixed(2)), make("div", {}, body));
  switch (what) {
    case "said":
      for (const [index, part] of text.split(/(\s+)/).entries()) words.push(index % 2 ? part : make("span", {}, part));
      return at([
        detail.seat ? make("div", { class: "act" }, detail.seat) : null,
        make("div", { class: `said ${who}${detail.progress ? " progress" : ""}` }, words),
        detail.recognised ? make("div", { class: "act event" }, `recognised as: ${detail.recognised}`) : null,
      ]);
    case "call": {
      const given = Object.entries(detail.arguments).map(([name, value]) => [make("i", {}, `${name}=`), shownValue(value), " "]);
      return at(make("div", { class: "act" }, make("b", {}, detail.tool), "  ", given));
    }
    case "reply": {
      if (!detail || !detail.status) return at(make("div", { class: "act refused" }, "no reply"));
      if (detail.status === "SUCCESS") {
        return at(make("div", { class: "act" }, make("details", {}, make("summary", {}, `→ ${shortened(detail.output)}`), detail.output)));
      }
      return at(make("div", { class: "act refused" }, `${detail.status} ${detail.error || ""} ${detail.output}`));
    }
    case "state":
      return at(make("div", { class: "act" }, detail.map(([name, was, now]) =>
        make("div", {}, make("i", {}, `${name} ${was} → `), make("b", {}, now)))));
    case "breach":
      return at(make("div", { class: "breach", title: detail.rule || null }, `✘ ${text}`));
    case "fault":
    case "by_hand":
      return at(make("div", { class: "act event" }, text));
    case "control":
      return detail.word === "CONTINUE" ? null
        : at(make("div", { class: "control" }, "driver: ", make("b", {}, detail.word), ` ${detail.reason}`));
    case "turn":
      return gauges(detail, captions);
    case "end":
      return at(make("div", { class: "control" }, `end: ${text}`));
    default:
      return at(make("div", { class: "act refused" }, `${what}: ${text}`));
  }
}

function shortened(output) {
  try {
    const answer = JSON.parse(output);
    return JSON.stringify(answer.result === undefined ? answer : answer.result);
  } catch {
    return output;
  }
}

// Soft and hard limits in seconds by name: those in the verdict of the turn, else those of its class.
function limitsOf(turn, captions) {
  return turn.verdict.judged === false ? {} : turn.verdict.limits || captions.budgets[turn.turn_class] || {};
}

function gauges(turn, captions) {
  const limits = limitsOf(turn, captions);
  const cells = [];
  for (const [name, span] of Object.entries(captions.judged)) {
    const mark = turn.verdict[name];
    const limit = limits[name];
    if (!limit || !(mark in captions.marks)) continue;
    const took = turn.spans[span];
    const share = took === null ? 100 : Math.min(100, took / limit[1] / 10);
    cells.push(
      make("span", {}, captions.spans[span]),
      make("div", { class: "gauge", title: `slow above ${limit[0]} s, too late above ${limit[1]} s` },
        make("i", { class: mark, style: { width: `${share}%` } }),
        make("u", { style: { left: `${(limit[0] / limit[1]) * 100}%` } })),
      make("span", {}, took === null ? "never" : `${exactSeconds(took)} of ${limit[1]} s`));
  }
  if (turn.left_out_ms !== null) {
    const note = `left out: the bench itself was ${Math.round(turn.left_out_ms)} ms late`;
    cells.push(make("span", { style: { "grid-column": "1 / -1" } }, note));
  }
  return cells.length ? make("div", { class: "budget", title: captions.classes[turn.turn_class] }, cells) : null;
}

// --- who speaks when

// From when to when the words of a line are spoken, if they are.
function spokenIn([ms, who, what, , until, detail]) {
  if (what !== "said") return null;
  const from = who === "agent" ? detail.heard : ms;
  return from === null ? [Infinity, Infinity] : [from, Math.max(until ?? from, from)];
}

// Speech of both sides, and the waits between them with their marks.
function speechOf(lines, captions) {
  const found = [];
  let asked = null;
  for (const [index, line] of lines.entries()) {
    const [, who, what, text] = line;
    if (what === "end" || what === "control") asked = null;
    if (what !== "said") continue;
    const spoken = spokenIn(line);
    const [from, to] = spoken[0] === Infinity ? [line[0], line[0] + 300] : spoken;
    if (who === "agent" && asked !== null) {
      const judged = lines.slice(index).find((each) => each[2] === "turn");
      const limit = judged && limitsOf(judged[5], captions).first_speech;
      found.push({ who: "wait", from: asked, to: from, limit: limit || null, text: `waited ${exactSeconds(from - asked)}` });
      asked = null;
    }
    if (who === "driver") asked = to;
    found.push({ who, from, to: Math.max(to, from), text });
  }
  return found;
}

// --- playing it again

function replayer(unit, lines, captions, moments, car, timed, heard) {
  const end = Math.max(1000, ...lines.map((line) => Math.max(line[0], line[4] || 0)));
  const speech = speechOf(lines, captions);
  const turns = moments.filter((moment) => moment.turn).map((moment) => moment.at);
  let at = end;
  let speed = 1;
  let playing = false;
  let before = 0;
  let newest = -1;
  let voices = null;

  const slider = make("input", {
    type: "range", class: "scrub", min: 0, max: end, step: STEP_MS, value: end, "aria-label": "Moment of the conversation",
    oninput: (event) => { pause(); show(Number(event.target.value)); },
  });
  const toggle = make("button", { type: "button", class: "play", onclick: () => (playing ? pause() : play()) });
  const clock = make("output", { class: "clock" });
  const doing = make("span", { class: "doing" });
  const pace = make("select", { "aria-label": "Speed", onchange: (event) => { speed = SPEEDS[event.target.selectedIndex]; sound(); } },
    SPEEDS.map((each) => make("option", { selected: each === speed }, `${each}×`)));
  const drawing = timeline(lines, speech, end, timed, (ms) => { pause(); show(ms); });
  const back = make("button", { type: "button", "aria-label": "Turn before", onclick: () => jump(-1) }, "‹ turn");
  const on = make("button", { type: "button", "aria-label": "Next turn", onclick: () => jump(1) }, "turn ›");

  const loud = make("button", {
    type: "button", class: "loud", hidden: true, "aria-pressed": "true",
    onclick: () => { loud.setAttribute("aria-pressed", String(loud.getAttribute("aria-pressed") !== "true")); sound(); },
  });
  const problem = make("p", { class: "note unheard-why", role: "status" }, heard && heard.problem);

  if (heard && heard.flac) {
    voicesOf(heard.flac).then((found) => {
      voices = found;
      drawing.hear(found);
      loud.hidden = false;
      sound();
    }, () => { problem.textContent = "What was said cannot be played: this browser does not read FLAC."; });
  }

  // Plays from the moment on if it is to be heard, and tells so.
  function sound() {
    if (!voices) return;
    const wanted = loud.getAttribute("aria-pressed") === "true";
    loud.textContent = !wanted ? "Sound off" : speed > voices.fastest ? `Sound on (up to ${voices.fastest}×)` : "Sound on";
    if (playing && wanted) voices.play(at, speed);
    else voices.stop();
  }

  function jump(by) {
    const ahead = turns.filter((each) => each > at + 1);
    const behind = turns.filter((each) => each < at - 500);
    show(by > 0 ? ahead[0] ?? end : behind[behind.length - 1] ?? 0, true);
    sound();
  }

  function play() {
    if (at >= end) show(0);
    playing = true;
    before = performance.now();
    label();
    sound();
    requestAnimationFrame(frame);
  }

  function pause() {
    playing = false;
    label();
    sound();
  }

  function label() {
    toggle.textContent = playing ? "Pause" : "Play";
  }

  function frame(now) {
    if (!player.isConnected) pause();
    if (!playing) return;
    const next = Math.min(end, at + Math.max(0, now - before) * speed);
    before = now;
    show(next, true);
    if (next >= end) pause();
    else requestAnimationFrame(frame);
  }

  function show(ms, following = false) {
    at = Math.min(end, Math.max(0, ms));
    const whole = at >= end;
    let last = -1;
    for (const [index, moment] of moments.entries()) {
      const later = !whole && moment.at > at;
      moment.node.classList.toggle("later", later);
      if (!later) last = index;
      if (moment.words && moment.words.length) lightWords(moment, whole ? Infinity : at);
    }
    if (following && last !== newest && moments[last]) moments[last].node.scrollIntoView({ block: "nearest" });
    newest = last;
    slider.value = at;
    slider.setAttribute("aria-valuetext", exactSeconds(at));
    clock.textContent = timed ? `${(at / 1000).toFixed(1)} of ${(end / 1000).toFixed(1)} s` : `message ${Math.floor(at / 1000)}`;
    drawing.point(at);
    tell();
    if (car) car.show(at, turns.filter((each) => each <= at).pop() ?? 0);
  }

  function tell() {
    const now = speech.find((each) => each.from <= at && at < each.to);
    const waited = now && now.who === "wait" ? at - now.from : 0;
    doing.className = `doing ${now ? now.who : ""} ${now && now.limit ? markOf(waited, now.limit) : ""}`;
    doing.textContent = !now ? "" : now.who === "wait" ? `waiting ${exactSeconds(waited)}` : now.who === "driver" ? "driver speaks" : "agent speaks";
  }

  const player = make("section", { class: "player", "aria-label": "Play the conversation again" },
    drawing.node,
    make("div", { class: "scrub-row" }, slider),
    make("div", { class: "controls" }, back, toggle, on, pace, loud, clock, doing),
    problem);
  label();
  show(end);
  return player;
}

// Words turn solid as they are spoken; `Infinity` is after the end.
function lightWords(moment, at) {
  const spoken = moment.words.filter((word) => typeof word !== "string");
  const [from, to] = moment.spoken;
  const share = at === Infinity || at >= to ? 1 : at < from ? 0 : (at - from) / (to - from);
  const heard = moment.heard ?? spoken.length;
  const solid = at === Infinity ? heard : Math.ceil(share * heard);
  for (const [index, word] of spoken.entries()) word.classList.toggle("unheard", index >= solid);
}

// --- the car at a moment

function carPanel(car, captions, picture) {
  const texts = new Map();
  const changing = new Set(car.changes.map(([, name]) => name));
  const row = (name, label) => {
    const value = make("dd", {});
    if (!texts.has(name)) texts.set(name, []);
    texts.get(name).push(value);
    return make("div", { class: "value" }, make("dt", {}, label), value);
  };
  const first = [];
  const groups = [];
  for (const group of captions.groups) {
    const known = group.rows.filter(([name]) => name in car.start || changing.has(name));
    for (const [name, , , noun] of known) if (changing.has(name)) first.push(row(name, noun));
    if (known.length) groups.push(make("div", { class: "values" }, make("h4", {}, group.title), make("dl", {}, known.map(([name, label]) => row(name, label)))));
  }
  const node = make("aside", { class: "car-values", "aria-label": "The car at this moment" },
    make("h3", {}, "The car at this moment"),
    picture && picture.node,
    first.length ? make("dl", {}, first) : make("p", { class: "note" }, "Nothing changed in the car."),
    make("details", {}, make("summary", {}, "all values"), groups));

  function show(at, since) {
    const values = new Map(Object.entries(car.start));
    const recent = new Set();
    for (const [ms, name, text, value] of car.changes) {
      if (ms > at) break;
      values.set(name, [text, value]);
      if (ms >= since) recent.add(name);
    }
    for (const [name, places] of texts) {
      for (const each of places) {
        each.textContent = values.get(name)?.[0] ?? "unknown";
        each.parentElement.classList.toggle("recent", recent.has(name));
      }
    }
    if (picture) picture.show(Object.fromEntries([...values].map(([name, [text, value]]) => [name, { text, value }])));
  }
  return { node, show };
}
