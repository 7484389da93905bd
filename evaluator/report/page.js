"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const byId = (id) => document.getElementById(id);
  const MAIN_TYPES = { base: "Base", hallucination: "Limit awareness", disambiguation: "Disambiguation" };
  const FIRST_ROWS = 25;

  // Whatever an agent or a driver said becomes text, never markup.
  function make(tag, attributes, ...children) {
    const svg = tag.startsWith("svg:");
    const node = svg
      ? document.createElementNS("http://www.w3.org/2000/svg", tag.slice(4))
      : document.createElement(tag);
    for (const [name, value] of Object.entries(attributes || {})) {
      if (value === null || value === undefined || value === false) continue;
      if (name === "onclick") node.addEventListener("click", value);
      else if (name === "style") for (const [key, to] of Object.entries(value)) node.style.setProperty(key, to);
      else node.setAttribute(name, value === true ? "" : value);
    }
    for (const child of children.flat(Infinity)) {
      if (child !== null && child !== undefined && child !== "") node.append(child);
    }
    return node;
  }

  const units = data.units;
  const nameOf = (unit) => `${unit.id}:${unit.trial}`;
  const counts = (unit) => unit.outcome === "success" || unit.outcome === "failure";
  const light = (unit) =>
    !counts(unit) ? "other" : unit.outcome === "failure" ? "never" : unit.timed === false ? "always" : "timed";
  const stateOf = (unit) =>
    !counts(unit) ? "other" : unit.outcome === "success" && unit.timed === false ? "slow" : unit.outcome;
  const seconds = (ms) => `${(ms / 1000).toFixed(ms < 99500 ? 1 : 0)} s`;

  const TIMED = units.some((unit) => unit.timed !== null);

  // --- tabs

  for (const button of document.querySelectorAll("[data-tab]")) {
    button.addEventListener("click", () => {
      for (const other of button.parentElement.children) {
        other.setAttribute("aria-pressed", String(other === button));
        byId(other.dataset.tab).hidden = other !== button;
      }
    });
  }

  // --- wall and list

  const FILTERS = [
    ["all", "all", () => true],
    ["failed", "failed", (unit) => unit.outcome === "failure"],
    ["slow", "solved, too late", (unit) => light(unit) === "always"],
    ["timed", TIMED ? "solved in time" : "solved", (unit) => light(unit) === "timed"],
    ["other", "driver or infrastructure error", (unit) => !counts(unit)],
  ];
  const ORDER = { never: 0, other: 1, always: 2, timed: 3 };
  let filter = FILTERS[0];
  let query = "";
  let shown = [];
  let rows = FIRST_ROWS;
  const squares = new Map();

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
      const squaresOf = [...tasks.values()].map((trials) =>
        make("div", { class: "task" }, trials.map((unit) => {
          const label = `${nameOf(unit)}, ${data.outcomes[unit.outcome] || unit.outcome}`;
          const square = make("button", {
            type: "button", class: light(unit), title: label, "aria-label": label,
            onclick: () => open(unit),
          });
          squares.set(unit, square);
          return square;
        })));
      byId("wall").append(make("div", { class: "main-type" },
        make("h3", {}, `${MAIN_TYPES[mainType] || mainType}, ${tasks.size} tasks`),
        make("div", { class: "squares" }, squaresOf)));
    }
  }

  function matches(unit) {
    if (!filter[2](unit)) return false;
    const text = `${nameOf(unit)} ${unit.title} ${unit.reason} ${data.kinds[unit.kind] || ""} ${data.types[unit.type] || unit.type}`;
    return query.split(/\s+/).every((word) => text.toLowerCase().includes(word));
  }

  function drawList() {
    shown = units.filter(matches).sort((one, other) => ORDER[light(one)] - ORDER[light(other)]);
    for (const [unit, square] of squares) square.classList.toggle("faded", !matches(unit));
    const list = byId("list");
    list.replaceChildren(...shown.slice(0, rows).map(row));
    if (!shown.length) list.append(make("p", { class: "note" }, "No unit matches."));
    if (shown.length > rows) {
      list.append(make("button", { type: "button", class: "more-units", onclick: () => { rows += 100; drawList(); } },
        `Show more of ${shown.length} units`));
    }
  }

  function row(unit) {
    const why = counts(unit) && unit.kind ? `${data.kinds[unit.kind] || unit.kind}: ${unit.reason}` : unit.reason;
    return make("button", { type: "button", class: "unit", onclick: () => open(unit) },
      badge(unit),
      make("span", { class: "id" }, nameOf(unit)),
      make("span", { class: "why" }, why || unit.title),
      make("span", { class: "meta" }, unit.turns ? `${unit.turns} turn${unit.turns > 1 ? "s" : ""}, ${seconds(unit.ms)}` : null));
  }

  function badge(unit) {
    const kind = stateOf(unit);
    const text = kind === "slow" ? "too late" : data.outcomes[unit.outcome] || unit.outcome;
    return make("span", { class: `badge ${kind}` }, text);
  }

  function drawLegend() {
    const lights = [["timed", "ok", TIMED ? "solved in time" : "solved"], ["always", "soft", "solved, too late"],
      ["never", "hard", "failed"], ["other", "", "driver or infrastructure error"]];
    const seen = new Set(units.map(light));
    byId("legend").replaceChildren(...lights.filter(([name]) => seen.has(name)).map(([, kind, text]) => make("li", { class: kind }, text)));
  }

  function drawChips() {
    byId("chips").replaceChildren(...FILTERS.map((each) => {
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

  byId("search").addEventListener("input", (event) => {
    query = event.target.value.toLowerCase().trim();
    rows = FIRST_ROWS;
    drawList();
  });
  byId("filters").addEventListener("submit", (event) => event.preventDefault());

  // --- one unit

  const dialog = byId("unit");
  const unpacked = new Map();
  let current = null;

  async function unpack(number) {
    if (!unpacked.has(number)) {
      const packed = Uint8Array.from(atob(byId(`block-${number}`).textContent), (c) => c.charCodeAt(0));
      const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
      unpacked.set(number, JSON.parse(await new Response(stream).text()));
    }
    return unpacked.get(number);
  }

  async function open(unit) {
    current = unit;
    if (!dialog.open) dialog.showModal();
    if (decodeURIComponent(location.hash) !== `#unit=${nameOf(unit)}`) history.replaceState(null, "", `#unit=${nameOf(unit)}`);
    const among = neighbours();
    byId("position").textContent = `${among.indexOf(unit) + 1} of ${among.length}`;
    const story = byId("story");
    if (!unit.place) {
      story.replaceChildren(make("h2", {}, nameOf(unit)), make("p", { class: "note" }, "No conversation was stored."));
      return;
    }
    const [lines, verdict] = (await unpack(unit.place[0]))[unit.place[1]];
    if (current !== unit) return;
    story.replaceChildren(...describe(unit, lines, verdict));
    dialog.scrollTop = 0;
  }

  const neighbours = () => (shown.includes(current) ? shown : units);
  function step(by) {
    const among = neighbours();
    const next = among[among.indexOf(current) + by];
    if (next) open(next);
  }
  byId("previous").addEventListener("click", () => step(-1));
  byId("next").addEventListener("click", () => step(1));
  byId("close").addEventListener("click", () => dialog.close());
  dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
  dialog.addEventListener("close", () => { current = null; history.replaceState(null, "", location.pathname + location.search); });
  dialog.addEventListener("keydown", (event) => {
    if (event.key === "ArrowLeft") step(-1);
    if (event.key === "ArrowRight") step(1);
  });

  function describe(unit, lines, verdict) {
    const evidence = verdict.evidence || unit.reason;
    const heading = data.kinds[unit.kind] || (stateOf(unit) === "slow" ? "solved, too late" : data.outcomes[unit.outcome]);
    const facts = [data.types[unit.type] || unit.type, verdict.persona && `driver: ${verdict.persona}`, verdict.script && `${verdict.script} script`];
    const parts = [
      make("h2", { id: "unit-title" }, `${nameOf(unit)} `, badge(unit)),
      make("p", { class: "note" }, [unit.title, ...facts].filter(Boolean).join(" · ")),
      make("div", { class: `verdict ${stateOf(unit)}` },
        make("p", {}, make("b", {}, heading || unit.outcome)),
        evidence ? make("p", {}, evidence) : null,
        verdict.disputed ? make("p", {}, `the driver's last word is disputed: ${verdict.disputed}`) : null,
        Object.entries(verdict.why).filter(([, why]) => why !== evidence)
          .map(([name, why]) => make("p", {}, `${data.components[name] || name}: ${why}`))),
      make("ul", { class: "checks" }, checks(verdict)),
      lanes(lines, unit.timed !== null),
    ];
    let turn = 0;
    let begun = false;
    for (const [index, line] of lines.entries()) {
      const what = line[2];
      if (repeats(line, lines[index - 1], lines[index + 1])) continue;
      if (!begun && !["turn", "control", "end"].includes(what)) {
        begun = true;
        turn += 1;
        parts.push(make("div", { class: "turn-head" }, `turn ${turn}`));
      }
      const node = draw(line);
      if (node) parts.push(node);
      if (what === "turn") begun = false;
    }
    return parts;
  }

  // A reply without content or with changes only, and a repeated ending.
  function repeats(line, before, after) {
    if (line[2] === "reply" && line[5] && line[5].output === "") return true;
    if (line[2] === "reply") return after !== undefined && after[2] === "state";
    return line[2] === "end" && before !== undefined && before[2] === "control" && before[5].word === line[3];
  }

  function checks(verdict) {
    const signs = { 1: ["kept", "✔"], 0: ["broken", "✘"] };
    const all = Object.entries(verdict.components).map(([name, mark]) => {
      const [kind, sign] = mark === null ? ["open", "·"] : signs[mark] || ["open", mark];
      return make("li", { class: kind }, `${sign} ${data.components[name] || name}`);
    });
    const rules = Object.entries(verdict.policies).map(([name, state]) =>
      make("li", { class: state === "undecided" ? "open" : state, title: `rule ${name}: ${state}` },
        `${state === "kept" ? "✔" : state === "broken" ? "✘" : "·"} ${name}`));
    return [...all, ...(rules.length ? [make("li", { class: "open" }, "rules:"), ...rules] : [])];
  }

  const show = (value) =>
    value === true ? "on" : value === false ? "off" : typeof value === "string" ? value : JSON.stringify(value);

  function draw([ms, who, what, text, , detail]) {
    const at = (body) => make("div", { class: "line" }, make("time", {}, (ms / 1000).toFixed(2)), make("div", {}, body));
    switch (what) {
      case "said":
        return at(make("div", { class: `said ${who}${detail.progress ? " progress" : ""}` }, text));
      case "call": {
        const given = Object.entries(detail.arguments).map(([name, value]) => [make("i", {}, `${name}=`), show(value), " "]);
        return at(make("div", { class: "act" }, make("b", {}, detail.tool), "  ", given));
      }
      case "reply": {
        if (!detail || !detail.status) return at(make("div", { class: "act refused" }, "no reply"));
        if (detail.status === "SUCCESS") {
          return at(make("div", { class: "act" }, make("details", {}, make("summary", {}, `→ ${short(detail.output)}`), detail.output)));
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
        return gauges(detail);
      case "end":
        return at(make("div", { class: "control" }, `end: ${text}`));
      default:
        return at(make("div", { class: "act refused" }, `${what}: ${text}`));
    }
  }

  function short(output) {
    try {
      const answer = JSON.parse(output);
      return JSON.stringify(answer.result === undefined ? answer : answer.result);
    } catch {
      return output;
    }
  }

  function gauges(turn) {
    const limits = limitsOf(turn);
    const cells = [];
    for (const [name, span] of Object.entries(data.judged)) {
      const mark = turn.verdict[name];
      const limit = limits[name];
      if (!limit || !(mark in data.marks)) continue;
      const took = turn.spans[span];
      const share = took === null ? 100 : Math.min(100, took / limit[1] / 10);
      cells.push(
        make("span", {}, data.spans[span]),
        make("div", { class: "gauge", title: `slow above ${limit[0]} s, too late above ${limit[1]} s` },
          make("i", { class: mark, style: { width: `${share}%` } }),
          make("u", { style: { left: `${(limit[0] / limit[1]) * 100}%` } })),
        make("span", {}, took === null ? "never" : `${seconds2(took)} of ${limit[1]} s`));
    }
    if (turn.left_out_ms !== null) {
      const note = `left out: the bench itself was ${Math.round(turn.left_out_ms)} ms late`;
      cells.push(make("span", { style: { gridColumn: "1 / -1" } }, note));
    }
    return cells.length ? make("div", { class: "budget", title: data.classes[turn.turn_class] }, cells) : null;
  }
  const seconds2 = (ms) => `${(ms / 1000).toFixed(2)} s`;
  // Soft and hard limits in seconds by name: those in the verdict of the turn, else those of its class.
  const limitsOf = (turn) => turn.verdict.judged === false ? {} : turn.verdict.limits || data.budgets[turn.turn_class] || {};

  // --- who spoke and worked when

  // The mark of a wait by the limits of its turn; the line of the turn comes after it.
  function waitMark(turnLine, ms) {
    const limit = turnLine && limitsOf(turnLine[5]).first_speech;
    if (!limit) return "";
    return ms > limit[1] * 1000 ? "hard" : ms > limit[0] * 1000 ? "soft" : "ok";
  }

  function lanes(lines, timed) {
    const end = Math.max(1000, ...lines.map((line) => Math.max(line[0], line[4] || 0)));
    const wide = Math.min(700, Math.max(280, byId("story").clientWidth - 60));
    const left = 48;
    const x = (ms) => left + (ms / end) * (wide - left);
    const parts = [];
    const lane = { driver: 26, agent: 50, call: 74 };
    for (const [name, label] of [["driver", "driver"], ["agent", "agent"], ["call", "car"]]) {
      parts.push(make("svg:text", { x: 0, y: lane[name] + 11 }, label),
        make("svg:line", { class: "axis", x1: left, x2: wide, y1: lane[name] + 7, y2: lane[name] + 7 }));
    }
    const every = [1, 2, 5, 10, 20, 30, 60, 120].find((each) => end / 1000 / each <= wide / 75) || 300;
    for (let tick = 0; tick * 1000 <= end; tick += every) {
      parts.push(make("svg:text", { x: x(tick * 1000), y: 108, "text-anchor": tick ? "middle" : "start" }, timed ? `${tick} s` : tick ? `${tick}` : "message"));
    }
    let asked = null;
    for (const [index, [ms, who, what, text, until, detail]] of lines.entries()) {
      const titled = (node, title) => { node.append(make("svg:title", {}, title)); parts.push(node); };
      if (what === "said") {
        const from = who === "agent" && detail.heard !== null ? detail.heard : ms;
        const to = until === null ? from + 300 : until;
        if (timed && who === "agent" && asked !== null) {
          const judged = lines.slice(index).find((line) => line[2] === "turn");
          titled(make("svg:line", { class: `wait ${waitMark(judged, from - asked)}`, x1: x(asked), x2: x(from), y1: lane.agent + 7, y2: lane.agent + 7 }), `waited ${seconds2(from - asked)}`);
          asked = null;
        }
        if (who === "driver") asked = to;
        titled(make("svg:rect", { class: who, x: x(from), y: lane[who], width: Math.max(2, x(Math.max(to, from)) - x(from)), height: 14, rx: 3 }), text);
      } else if (what === "call") {
        titled(make("svg:rect", { class: "call", x: x(ms) - 1.5, y: lane.call, width: 3, height: 14, rx: 1 }), detail.tool);
      } else if (what === "reply" && detail && detail.status !== "SUCCESS") {
        titled(make("svg:circle", { class: "refused", cx: x(ms), cy: lane.call + 7, r: 5 }), `${detail.status} ${detail.error || ""}`);
      } else if (what === "state") {
        titled(make("svg:circle", { class: "agent", cx: x(ms), cy: lane.call + 7, r: 4 }), detail.map(([name]) => name).join(", "));
      } else if (what === "breach") {
        titled(make("svg:path", { class: "breach", d: `M${x(ms)} 20l-6 -11h12z` }), text);
      }
    }
    return make("svg:svg", { class: "lanes", viewBox: `0 0 ${wide + 14} 112`, role: "img", "aria-label": "Who spoke and worked when" }, parts);
  }

  // --- start

  function followHash() {
    const wanted = decodeURIComponent(location.hash);
    const unit = wanted.startsWith("#unit=") && units.find((each) => `#unit=${nameOf(each)}` === wanted);
    if (unit && unit !== current) open(unit);
  }
  drawLegend();
  drawChips();
  drawWall();
  drawList();
  window.addEventListener("hashchange", followHash);
  followHash();
})();
