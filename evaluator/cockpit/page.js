"use strict";

const byId = (id) => document.getElementById(id);
const lines = byId("lines"), text = byId("text"), top_ = byId("top");
const token = new URLSearchParams(location.search).get("token") || "";
const COLOURS = {
  RED: "#ff3b30", GREEN: "#34c759", BLUE: "#2f7bff", YELLOW: "#ffd60a", WHITE: "#ffffff",
  PINK: "#ff6fae", ORANGE: "#ff9500", PURPLE: "#af52de", CYAN: "#32d1ea",
};
const ENDINGS = {
  call_placed: "The call was placed.", driver_hung_up: "New conversation.",
  agent_failed: "The assistant failed.", infra_error: "The conversation failed: an infrastructure error.",
};

let hello = null;        // what the server said first
let drives = false;      // whether this tab is the driver
let turn = null;         // the turn under way: when speech ended here, limits, what is shown
let values = {};         // the car as it stands
let moving = new Set();  // values that change by themselves while it drives
let calls = new Map();
let typed = [], recall = 0;

function element(tag, className, content) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (content !== undefined) made.textContent = content;
  return made;
}

function seconds(ms) {
  return ms === null || ms === undefined ? "never" : `${(ms / 1000).toFixed(2)} s`;
}

// --- the conversation

function add(node) {
  byId("welcome")?.remove();
  const atEnd = lines.scrollHeight - lines.scrollTop - lines.clientHeight < 120;
  lines.append(node);
  while (lines.children.length > 400) lines.firstChild.remove();
  if (atEnd) lines.scrollTop = lines.scrollHeight;
  return node;
}

function note(content, bad) {
  add(element("p", bad ? "note bad" : "note", content));
}

function driverSpoke(said) {
  lines.querySelector(".said.driver.waiting")?.remove();
  add(element("p", "said driver", said));
}

function began(message) {
  const since = message.since_ms === undefined ? null : performance.now() - message.since_ms;
  turn = { since, limit: limitOf(message.turn), bubble: null, heard: false };
  for (const row of document.querySelectorAll("#groups .changed")) row.classList.remove("changed");
  byId("effect").hidden = true;
  drawLimits(turn.limit);
}

function words(message) {
  if (!turn) return;
  if (!turn.bubble || turn.bubble.dataset.message !== message.message) {
    turn.bubble = add(element("p", message.aside ? "said agent aside" : "said agent"));
    turn.bubble.dataset.message = message.message;
  }
  for (const piece of message.text.match(/\s*\S+\s*|\s+/g) || []) {
    turn.bubble.append(element("i", turn.since === null ? "spoken" : "", piece));
  }
  speak(turn);
  if (lines.scrollHeight - lines.scrollTop - lines.clientHeight < 160) lines.scrollTop = lines.scrollHeight;
}

// Words turn solid at the pace they are heard.
function speak(of) {
  if (of.speaking || !of.heard || of.since === null) return;
  of.speaking = setInterval(() => {
    const next = lines.querySelector(".said.agent i:not(.spoken)");
    if (next) next.className = "spoken";
    else { clearInterval(of.speaking); of.speaking = null; }
  }, hello.word_ms);
}

function called(message) {
  const line = element("div", "act");
  const given = Object.entries(message.arguments)
    .map(([name, value]) => `${name}=${JSON.stringify(value)}`).join(" ");
  const details = element("details"), summary = element("summary");
  summary.append(element("span", "tool", message.tool), ` ${given} `, element("span", "sign", "…"));
  details.append(summary);
  line.append(details);
  calls.set(message.call, line);
  add(line);
}

function answered(message) {
  const line = calls.get(message.call);
  if (!line) return;
  calls.delete(message.call);
  line.classList.add(message.succeeded ? "done" : "refused");
  line.querySelector(".sign").textContent = `${message.after_ms.toFixed(1)} ms`;
  line.querySelector("details").append(element("pre", "", message.output || "(no output)"));
  if (!message.succeeded) line.querySelector("summary").append(element("span", "why", ` ${reason(message.output)}`));
}

function reason(output) {
  try {
    return Object.values(JSON.parse(output).errors || {}).join("; ") || "refused";
  } catch {
    return output;
  }
}

function turnOver(message) {
  const judged = [["first speech", "upl", "first_speech"], ["first content", "upl_content", "content"], ["effect in the car", "effect_latency", "effect"]];
  const took = element("p", "took");
  for (const [label, span, name] of judged) {
    const ms = message.spans_ms[span], mark = message.verdict[name];
    if (ms == null && mark !== "missing" || name === "content" && mark === "n/a") continue;
    const part = element("span", "", `${label} `);
    part.append(element("b", mark, seconds(ms)));
    took.append(part);
  }
  if (took.childNodes.length) add(took);
  for (const piece of lines.querySelectorAll(".said.agent i:not(.spoken)")) piece.className = "spoken";
  const first = message.spans_ms.upl, mark = message.verdict.first_speech;
  if (turn && turn.speaking) clearInterval(turn.speaking);
  if (turn && turn.since !== null) byId("aloud").textContent = message.heard || "The assistant said nothing.";
  turn = null;
  settle(first, mark, message.spans_ms.effect_latency, message.turn_class);
  const bar = element("li", mark);
  bar.style.height = `${Math.min(100, ((first ?? 10000) / (scaleEnd() * 1000)) * 100)}%`;
  bar.title = seconds(first);
  byId("past").append(bar);
  while (byId("past").children.length > 10) byId("past").firstChild.remove();
}

function over(message) {
  note(ENDINGS[message.reason] || "The conversation is over.");
  if (turn && !turn.heard && turn.since !== null) settle(null);
  turn = null;
}

// --- the latency meter

function limitOf(number) {
  const classes = hello.turn_classes;
  return hello.limits[classes[Math.min(Math.max(number, 1), classes.length) - 1]];
}

let limit = { soft: 1.5, hard: 3, text: "" };
const scaleEnd = () => limit.hard * 1.35;
const share = (s) => `${Math.min(100, (s / scaleEnd()) * 100)}%`;

function drawLimits(given) {
  limit = given;
  byId("soft").style.left = share(limit.soft);
  byId("hard").style.left = share(limit.hard);
  byId("good").textContent = `good up to ${limit.soft} s`;
  byId("late").textContent = `slow up to ${limit.hard} s`;
  byId("budget").textContent = limit.text;
  const labels = ["soft", "hard"].map((name) => {
    const made = element("span", "", `${limit[name]} s`);
    made.style.left = share(limit[name]);
    return made;
  });
  byId("limits").replaceChildren(...labels);
}

function markOf(s) {
  return s > limit.hard ? "hard" : s > limit.soft ? "soft" : "ok";
}

function read(s, mark, caption) {
  byId("meter").dataset.mark = mark;
  byId("reading").textContent = `${s.toFixed(2)} s`;
  byId("fill").style.setProperty("--share", share(s));
  byId("verdict").textContent = caption;
}

function settle(firstMs, mark, effectMs, turnClass) {
  drawLimits(hello.limits[turnClass] || limit);
  if (firstMs === null) {
    byId("meter").dataset.mark = "hard";
    byId("reading").textContent = "no reply";
    byId("verdict").textContent = "the assistant said nothing";
    byId("fill").style.setProperty("--share", "100%");
  } else read(firstMs / 1000, mark, "until first speech");
  byId("effect").hidden = !effectMs;
  if (effectMs) byId("effect").style.left = share(effectMs / 1000);
}

function tick(now) {
  if (turn && turn.since !== null && !turn.heard) {
    const s = Math.max(0, (now - turn.since) / 1000);
    read(s, markOf(s), "until first speech");
  }
  requestAnimationFrame(tick);
}

function firstHeard(message) {
  if (!turn) return;
  turn.heard = true;
  const s = message.after_ms / 1000;
  read(s, markOf(s), "until first speech");
  speak(turn);
}

// --- the car

function build(groups) {
  moving = new Set(groups.flatMap((group) => group.rows.filter((row) => row[2]).map((row) => row[0])));
  byId("groups").replaceChildren(...groups.map((group) => {
    const box = element("div", "group"), list = element("dl");
    for (const [name, label, , noun] of group.rows) {
      const row = element("div");
      row.id = `row-${name}`;
      row.hidden = true;
      row.title = noun[0].toUpperCase() + noun.slice(1);
      row.append(element("dt", "", label), element("dd", "", "–"));
      list.append(row);
    }
    box.hidden = true;
    box.append(element("h2", "", group.title), list);
    return box;
  }));
}

function changed(message) {
  const news = element("p", "news");
  for (const [name, entry] of Object.entries(message.values)) {
    const row = byId(`row-${name}`);
    values[name] = entry;
    const shown = row.querySelector("dd");
    shown.textContent = entry.text;
    row.hidden = row.closest(".group").hidden = false;
    if (name === "ambient_light" && COLOURS[entry.value]) {
      const swatch = element("span", "swatch");
      swatch.style.background = COLOURS[entry.value];
      shown.prepend(swatch);
    }
    if (message.first || !entry.before || moving.has(name)) continue;
    row.classList.add("changed");
    const chip = element("span", "", `${row.title} `);
    chip.append(element("s", "", `${entry.before} → `), element("b", "", entry.text));
    news.append(chip);
  }
  if (news.childNodes.length) {
    add(news);
    const badge = byId("news");
    if (document.body.dataset.view === "talk" && !message.past) {
      badge.textContent = Number(badge.textContent || 0) + news.childNodes.length;
      badge.hidden = false;
    }
  }
  draw();
}

function draw() {
  const of = (name) => values[name]?.value;
  const set = (name, value) => top_.style.setProperty(name, value);
  const on = (name) => (of(name) ? 1 : 0);
  for (const seat of ["driver", "passenger", "driver_rear", "passenger_rear"]) {
    const dashed = seat.replace("_", "-");
    set(`--window-${dashed}`, (of(`window_${seat}_position`) || 0) / 100);
    set(`--rl-${dashed}`, on(`reading_light_${seat}`));
  }
  for (const seat of ["driver", "passenger"]) set(`--seat-${seat}`, (of(`seat_heating_${seat}`) || 0) / 3);
  set("--wheel", (of("steering_wheel_heating") || 0) / 3);
  set("--sunroof", (of("sunroof_position") || 0) / 100);
  set("--sunshade", (of("sunshade_position") || 0) / 100);
  set("--trunk", String(of("trunk_door_position")).toLowerCase() === "open" ? 1 : 0);
  set("--low", on("head_lights_low_beams"));
  set("--high", on("head_lights_high_beams"));
  set("--fog", on("fog_lights"));
  set("--lamp", Math.max(on("head_lights_low_beams"), on("head_lights_high_beams")));
  set("--defrost-front", on("window_front_defrost"));
  set("--defrost-rear", on("window_rear_defrost"));
  const colour = COLOURS[of("ambient_light")];
  set("--ambient-on", colour ? 0.55 : 0);
  if (colour) set("--ambient", colour);
}

// --- who drives

function seat(message) {
  drives = message.drives;
  byId("take").hidden = drives;
  text.disabled = byId("say").querySelector("button").disabled = !drives;
  text.placeholder = drives ? "Say something" : "Another tab is the driver";
  byId("restart").hidden = !drives;
  byId("seat").hidden = drives && message.tabs < 2;
  const watching = message.tabs - 1;
  byId("seat").textContent = drives ? `${watching} watching` : "watching";
  if (drives && matchMedia("(hover: hover)").matches) text.focus();
}

// --- messages

const SHOW = {
  driver: (message) => driverSpoke(message.text),
  began, words, heard: firstHeard, called, answered, changed, turn: turnOver, seat,
  over,
  event: (message) => note(message.text),
  presence: (message) => note(`The car is ${message.online ? "online again" : "offline"}.`, !message.online),
  trouble: (message) => note(message.text, true),
  dropped: (message) => {
    byId("dropped").hidden = false;
    byId("dropped").textContent = `${message.count} lines skipped`;
    byId("dropped").title = "This page could not keep up; the oldest lines were left out.";
    changed({ values: message.values, first: true });
  },
};

function greet(message) {
  hello = message;
  byId("agent").textContent = message.agent;
  byId("setting").textContent = message.setting;
  document.title = `${message.agent} – codriver`;
  const welcome = byId("welcome");
  lines.replaceChildren(...(welcome ? [welcome] : []));
  byId("past").replaceChildren();
  values = {};
  turn = null;
  calls = new Map();
  build(message.groups);
  drawLimits(limitOf(1));
  for (const past of message.history) SHOW[past.kind]?.({ ...past, past: true, since_ms: undefined });
  changed({ values: message.values, first: true });
  seat(message.seat);
}

let socket = null, patience = 250;

function link(name, caption) {
  document.body.dataset.link = name;
  byId("link").textContent = caption;
}

function connect() {
  socket = new WebSocket(`ws://${location.host}/feed${location.search}`);
  socket.onmessage = (event) => {
    const message = JSON.parse(event.data);
    if (message.kind === "hello") {
      patience = 250;
      greet(message);
      link("connected", "connected");
    } else SHOW[message.kind]?.(message);
  };
  socket.onclose = () => {
    link("lost", "connection lost, reconnecting");
    text.disabled = true;
    setTimeout(connect, patience);
    patience = Math.min(patience * 2, 4000);
  };
}

function send(message) {
  if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
}

function say(said) {
  if (!said || !drives) return;
  typed.push(said);
  recall = typed.length;
  add(element("p", "said driver waiting", said));
  lines.scrollTop = lines.scrollHeight;
  send({ kind: "say", text: said });
}

byId("say").addEventListener("submit", (event) => {
  event.preventDefault();
  say(text.value.trim());
  text.value = "";
});
byId("hints").addEventListener("click", (event) => {
  if (event.target.matches("button")) say(event.target.textContent);
});
byId("take").addEventListener("click", () => send({ kind: "take" }));
byId("restart").addEventListener("click", () => { send({ kind: "hang_up" }); text.focus(); });
text.addEventListener("keydown", (event) => {
  const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
  if (!step || !typed.length) return;
  event.preventDefault();
  recall = Math.max(0, Math.min(typed.length, recall + step));
  text.value = typed[recall] || "";
});
document.addEventListener("keydown", (event) => {
  const typing = event.target.closest?.("input, textarea, select, [contenteditable]");
  if (event.key === "/" && !typing && !text.disabled) {
    event.preventDefault();
    show("talk");
    text.focus();
  }
  if (event.key === "Escape") text.value = "";
});

function show(view) {
  document.body.dataset.view = view;
  for (const button of document.querySelectorAll("nav button")) {
    button.setAttribute("aria-pressed", String(button.dataset.show === view));
  }
  if (view === "car") { byId("news").hidden = true; byId("news").textContent = ""; }
}
for (const button of document.querySelectorAll("nav button")) {
  button.addEventListener("click", () => show(button.dataset.show));
}

addEventListener("resize", () => { lines.scrollTop = lines.scrollHeight; });
requestAnimationFrame(tick);
connect();
