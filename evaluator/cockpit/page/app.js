// The shell of the page: its views by hash, its socket, who drives, presenter mode and colours.

import { byId } from "./dom.js";
import { Handlers, openSocket, token } from "./feed.js";

const VIEWS = {
  drive: () => import("./drive/drive.js"),
  runs: () => import("./runs.js"),
  wizard: () => import("./wizard.js"),
  bus: () => import("./bus.js"),
};
const PLAYED = { ready: "ready", running: "running", paused: "paused", ending: "ending…", over: "over" };
const LINKS = { connecting: "connecting", lost: "connection lost, reconnecting" };
// The states in which each button of the bar does something, and what it does. Start and Pause share one place; no other is ever hidden: nothing moves under the pointer.
const BUTTONS = {
  start: [["ready", "paused"], "Begins, or continues after a pause", "Nothing waits to be started"],
  pause: [["running"], "Takes effect when the turn is over", "Nothing is running"],
  restart: [["running", "paused", "ending", "over"], "The scenario from its beginning, with a fresh car", "Nothing has happened yet"],
  hang_up: [["running", "paused", "over"], "A new conversation: the assistant forgets everything, the car stays as it is", "Nothing has been said yet"],
};
const SURE_WITHIN_MS = 8000;
// Why nothing can be said in a state.
const SILENT = { paused: "Paused. Continue to speak.", ending: "The task is ending…" };
const handlers = new Handlers();
const mounted = {};
let socket = null;

/**
 * What every view gets: `mount(root, app)`. Kinds are those of the server's messages, and
 * "view" with {view, rest} when a view is shown: #runs/one/two has the rest "one/two".
 */
export const app = {
  token,
  hello: null,     // what the server said first
  drives: false,   // whether this tab is the driver
  view: "drive",
  /** Why nothing can be done in this tab now, or "". A change is told as "usable". */
  get blocked() {
    if (document.body.dataset.link === "lost") return "Connection lost, reconnecting…";
    if (!this.hello) return "Connecting…";
    return this.drives ? "" : "Another tab is the driver.";
  },
  /** Why nothing can be said now, or "". */
  get silent() { return this.blocked || SILENT[this.hello?.state] || ""; },
  on: (kind, handler) => handlers.on(kind, handler),
  send: (message) => socket?.send(message),
  openSocket,
  /** JSON of the server; raises an Error with its text. */
  async fetch(path, options = {}) {
    const address = new URL(path, location.origin);
    address.searchParams.set("token", token);
    const answer = await fetch(address, options);
    if (!answer.ok) throw new Error((await answer.text()).trim() || answer.statusText);
    return answer.json();
  },
  /** Spoken by a screen reader. */
  aloud: (text) => { byId("aloud").textContent = text; },
  /** Handle a message as if the server had sent it. */
  receive: (message) => receive(message),
  /** Show a view: app.go("runs/one"). */
  go: (hash) => { location.hash = hash; },
};

// --- views

async function show() {
  const [name, ...rest] = decodeURIComponent(location.hash.slice(1)).split("/");
  app.view = name in VIEWS ? name : "drive";
  document.body.dataset.view = app.view;
  for (const section of document.querySelectorAll(".view")) section.hidden = section.id !== app.view;
  for (const link of document.querySelectorAll(".views a")) {
    if (link.hash === `#${app.view}`) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  await mount(app.view);
  handlers.emit("view", { view: app.view, rest: rest.join("/") });
}

function mount(name) {
  mounted[name] ||= VIEWS[name]().then((module) => module.mount(byId(name), app));
  return mounted[name];
}

// --- messages

function receive(message) {
  if (message.kind === "hello") greet(message);
  else handlers.emit(message.kind, message);
}

function greet(message) {
  app.hello = message;
  byId("agent").textContent = (message.lanes || []).map((lane) => lane.agent).join(" and ") || message.agent;
  byId("setting").textContent = message.setting || "";
  byId("setting").parentElement.title = [byId("agent").textContent, message.setting].filter(Boolean).join(", ");
  document.title = `${byId("agent").textContent} – codriver`;
  stage(message);
  armed(message);
  handlers.emit("hello", message);
  for (const past of message.history) {
    handlers.emit(past.kind, { ...past, past: true, since_ms: undefined });
  }
  standing(message);
  handlers.emit("seat", message.seat);
  handlers.emit("greeted", message);
}

function armed({ armed: waiting = [] }) {
  byId("armed").hidden = waiting.length === 0;
  byId("armed").textContent = `armed: ${waiting.join(", ")}`;
}

// How the cars stand now, whatever was shown before.
function standing({ values, lanes }) {
  const all = lanes?.some((lane) => lane.values) ? lanes : [{ lane: "a", values }];
  for (const { lane, values } of all) handlers.emit("changed", { kind: "changed", lane, values, first: true });
}

function stage(message) {
  const state = message.state || "";
  document.body.dataset.state = state;
  if (app.hello && message.chosen) app.hello.chosen = message.chosen;
  if (app.hello) app.hello.state = state;
  byId("pause").textContent = "Pause";
  usable();
}

function usable() {
  const { state, catalog } = app.hello || {}, { link: now } = document.body.dataset;
  byId("link").textContent = now === "connected" ? PLAYED[state] || now : LINKS[now];
  for (const [id, [states, does, idle]] of Object.entries(BUTTONS)) {
    const fits = states.includes(state);
    byId(id).disabled = Boolean(app.blocked) || !fits;
    byId(id).title = app.blocked || (fits ? does : idle);
  }
  byId("pause").hidden = !state || BUTTONS.start[0].includes(state);
  byId("start").hidden = !byId("pause").hidden;
  byId("start").textContent = state === "paused" ? "Continue" : "Start";
  byId("start").classList.toggle("primary", !byId("start").disabled);
  byId("scenario").hidden = !catalog;
  byId("take").disabled = document.body.dataset.link === "lost";
  handlers.emit("usable", {});
}

// Shows that a pause is on its way: it begins when the turn is over.
function pausing() {
  byId("pause").textContent = "Pausing…";
  byId("pause").disabled = true;
}

function seat(message) {
  app.drives = message.drives;
  document.body.dataset.seat = message.drives ? "driver" : "watching";
  byId("take").hidden = message.drives;
  const watching = message.tabs - 1;
  byId("seat").hidden = message.drives && watching < 1;
  byId("seat").textContent = message.drives ? `${watching} watching` : "watching";
  usable();
}

function link(name) {
  document.body.dataset.link = name;
  handlers.emit("link", { link: name });
  usable();
}

// --- presenter mode, colours, keys

const kept = (name) => { try { return localStorage.getItem(name); } catch { return null; } };
const keep = (name, value) => { try { localStorage.setItem(name, value); } catch { /* private window */ } };

function present(on) {
  document.documentElement.toggleAttribute("data-presenter", on);
  byId("presenter").setAttribute("aria-pressed", String(on));
  keep("presenter", on ? "1" : "");
  handlers.emit("resized", {});
}

function colours(name) {
  if (name) document.documentElement.dataset.theme = name;
  keep("theme", name || "");
}

function otherColours() {
  const dark = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  const now = document.documentElement.dataset.theme || dark;
  colours(now === "dark" ? "light" : "dark");
}

const isPresenting = () => document.documentElement.hasAttribute("data-presenter");
const KEYS = {
  1: () => app.go("drive"), 2: () => app.go("runs"),
  3: () => app.go("wizard"), 4: () => app.go("bus"),
  p: () => present(!isPresenting()), t: otherColours,
};

// With Alt a letter works while one types, too; by its place on the keyboard, since Alt may make it another one.
const WHILE_TYPING = { KeyP: KEYS.p, KeyT: KEYS.t };

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey) return;
  if (event.altKey) {
    if (!WHILE_TYPING[event.code]) return;
    event.preventDefault();
    WHILE_TYPING[event.code]();
    return;
  }
  if (!event.target.closest?.("input, textarea, select, [contenteditable], dialog")) KEYS[event.key.toLowerCase()]?.();
});
// The process that reads runs takes a second to begin: it does once somebody points at the view.
let warm = false;
for (const kind of ["pointerenter", "focus"]) {
  document.querySelector('.views a[href="#runs"]').addEventListener(kind, () => {
    if (!warm) app.fetch("/runs/list").catch(() => {});
    warm = true;
  });
}
byId("presenter").addEventListener("click", () => present(!isPresenting()));
byId("theme").addEventListener("click", otherColours);
let asking = 0;
// A restart ends what runs: only a second press of the button is meant so.
function sure() {
  const first = !asking && app.hello.state !== "over";
  clearTimeout(asking);
  asking = first ? setTimeout(sure.forget, SURE_WITHIN_MS) : 0;
  byId("restart").textContent = first ? "Sure?" : "Restart";
  if (first) app.aloud("Press again to restart. What runs now ends.");
  return !first;
}
sure.forget = () => { asking = 0; byId("restart").textContent = "Restart"; };
for (const id of ["take", "start", "pause", "restart", "hang_up"]) {
  byId(id).addEventListener("click", ({ detail }) => {
    if (detail > 1) return;  // a second click at once was meant for the button as it was before the first
    if (id === "restart" && !sure()) return;
    app.send({ kind: id });
    if (id === "pause") pausing();
  });
}

app.on("seat", seat);
app.on("stage", stage);
app.on("armed", armed);
app.on("trouble", () => { byId("pause").textContent = "Pause"; usable(); });
app.on("catalog", ({ catalog }) => {
  if (app.hello) app.hello.catalog = catalog;
  usable();
});
app.on("dropped", (message) => {
  byId("dropped").hidden = false;
  byId("dropped").textContent = `${message.count} lines skipped`;
  byId("dropped").title = "This page could not keep up; the oldest lines were left out.";
  standing(message);
});

const asked = new URLSearchParams(location.search);
colours(asked.get("theme") || kept("theme"));
present(asked.has("presenter") || kept("presenter") === "1");
addEventListener("hashchange", show);
globalThis.cockpit = app;  // for the console of the browser, and for tests
await mount("drive");
socket = openSocket("/feed", receive, link);
await show();
