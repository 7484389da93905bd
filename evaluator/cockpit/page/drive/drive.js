// The Drive view: talk to one car, or to two side by side, and watch.

import { byId, element, fragment } from "../dom.js";
import { mountCar } from "./car_picture.js";
import { mountCluster } from "./cluster.js";
import { mountFaults } from "./faults.js";
import { mountMap } from "./map.js";
import { mountMeter } from "./meter.js";
import { mountMotion } from "./motion.js";
import { mountSetup } from "./setup.js";
import { mountTalk } from "./talk.js";
import { mountValues } from "./values.js";
import { mountResult, mountVerdict } from "./verdict.js";
import { mountHearing } from "../sound/hear.js";
import { mountMicrophone } from "../sound/microphone.js";
import { mountVoices } from "../sound/voices.js";

const LAYOUT = `
<div class="tabs-row">
<div class="tabs" role="group" aria-label="What is shown">
<button type="button" data-tab="talk" class="narrow">Talk</button>
<button type="button" data-tab="car" class="paired">Car<i class="count" id="news" hidden></i></button>
<button type="button" data-tab="map">Route</button>
<button type="button" data-tab="task" hidden>Task</button>
<button type="button" data-tab="faults">Faults</button>
<button type="button" data-tab="values">All values</button>
</div>
<div id="moves"></div>
</div>
<div class="lanes" id="lanes"></div>
<div class="cars" id="cars"></div>
<section class="card panel" data-panel="map" aria-label="Route"></section>
<div class="side" id="side">
<section class="card panel" data-panel="task" aria-label="Task" hidden></section>
<section class="card panel" data-panel="faults" aria-label="Faults"></section>
<section class="card panel" data-panel="values" aria-label="All values of the car" tabindex="0"></section>
</div>
<form class="card say" id="say" autocomplete="off">
<input id="text" type="text" maxlength="500" placeholder="Say something" aria-label="Say something as the driver" enterkeyhint="send">
<button type="button" class="icon" id="hear" aria-pressed="false" aria-label="Sound" title="Hear both voices" hidden><svg viewBox="0 0 24 24" aria-hidden="true"><path d="M4 9v6h4l5 4V5L8 9Z"/><path class="on" d="M16 9a4 4 0 0 1 0 6M18.5 6.5a8 8 0 0 1 0 11"/><path class="off" d="m16 9 5 6m0-6-5 6"/></svg></button>
<button type="button" class="icon" id="mic" aria-pressed="false" aria-label="Microphone" hidden><svg viewBox="0 0 24 24" aria-hidden="true"><rect x="9" y="3" width="6" height="11" rx="3"/><path d="M6 11a6 6 0 0 0 12 0M12 17v4"/></svg></button>
<button type="button" id="cut" title="Cut the assistant short (Escape)" hidden>Stop</button>
<button type="submit" id="send">Say</button>
</form>`;

const OVER = "Begin a new conversation";
const BESIDE = "(min-width: 1021px)";
const isPresenting = () => document.documentElement.hasAttribute("data-presenter");
const ONLY_LANE = [{ lane: "a" }];

/** What a widget gets: the messages of one lane only. */
function laneOf(app, { lane }, taken) {
  const mine = (message) => (message.lane || "a") === lane;
  return {
    app, name: lane,
    on(kind, handler) {
      taken.push(app.on(kind, (message) => { if (mine(message)) handler(message); }));
    },
    /** Now, if the server has said hello, and whenever it does again. */
    onHello(handler) {
      taken.push(app.on("hello", handler));
      if (app.hello) handler(app.hello);
    },
    send: (message) => app.send(message),
  };
}

export function mount(root, app) {
  root.append(fragment(LAYOUT));
  const panel = (name) => root.querySelector(`[data-panel="${name}"]`);
  const taken = [];
  let shown = "";
  chooseTabs(root);

  function lanes(message) {
    const wanted = message.lanes?.length ? message.lanes : ONLY_LANE;
    const key = JSON.stringify(wanted.map((each) => each.lane));
    if (key !== shown) build(wanted);
    shown = key;
    for (const each of wanted) name(each, wanted.length > 1);
  }

  function build(wanted) {
    for (const remove of taken.splice(0)) remove();
    root.dataset.lanes = wanted.length;
    for (const name of ["lanes", "cars", "moves"]) byId(name).replaceChildren();
    for (const name of ["map", "values"]) panel(name).replaceChildren();
    for (const each of wanted) fill(laneOf(app, each, taken), wanted.length > 1);
  }

  function fill(lane, named) {
    const talk = element("section", "card lane"), car = element("section", "card car");
    for (const box of [talk, car]) box.dataset.lane = lane.name;
    if (named) {
      talk.append(element("h2", "lane-name", element("span")));
      car.append(element("h3", "lane-name", element("span")));
      mountResult(talk.firstChild, lane);
    }
    byId("lanes").append(talk);
    byId("cars").append(car);
    mountMeter(talk, lane);
    mountVoices(talk, lane);
    mountTalk(talk, lane);
    mountCluster(car, lane);
    mountCar(car, lane);
    if (lane.name !== "a") return;
    const motion = mountMotion(lane);
    // Presenter mode needs the room beside the gauges for their texts.
    const place = () => (named || isPresenting() ? byId("moves") : car.querySelector(".cluster")).append(motion);
    place();
    taken.push(app.on("resized", place));
    mountMap(panel("map"), lane);
    mountValues(panel("values"), lane);
  }

  // The assistant of a lane changes with the scenario, also where the lanes stay.
  function name({ lane, agent }, named) {
    const [talk, car] = root.querySelectorAll(`[data-lane="${lane}"]`);
    talk.setAttribute("aria-label", named ? `Conversation with ${agent}` : "Conversation");
    car.setAttribute("aria-label", named ? `Car of ${agent}` : "The car");
    for (const title of root.querySelectorAll(`[data-lane="${lane}"] .lane-name > span:first-child`)) title.textContent = agent || lane;
  }

  app.on("hello", lanes);
  lanes({});
  mountComposer(app);
  mountHearing(app);
  mountMicrophone(app);
  mountFaults(panel("faults"), app);
  mountVerdict(panel("task"), app, (there) => { root.querySelector('[data-tab="task"]').hidden = !there; });
  app.on("hello", () => showTask(root, app.hello.chosen?.task || ""));
  mountSetup(app);
}

function chooseTab(root, name) {
  root.dataset.tab = name;
  for (const tab of root.querySelectorAll("[data-tab]")) tab.setAttribute("aria-pressed", String(tab.dataset.tab === name));
  if (name === "car") { byId("news").hidden = true; byId("news").textContent = ""; }
}

/** Opens the panel of a task that was chosen, if there is room beside the car; leaves that of a task that is gone. */
function showTask(root, task) {
  if (root.dataset.task === task) return;
  root.dataset.task = task;
  if (task && root.dataset.lanes === "1" && matchMedia(BESIDE).matches) chooseTab(root, "task");
  else if (!task && root.dataset.tab === "task") chooseTab(root, "talk");
}

function chooseTabs(root) {
  const choose = (name) => chooseTab(root, name);
  root.querySelector(".tabs").addEventListener("click", (event) => {
    const tab = event.target.closest("[data-tab]");
    if (tab) choose(tab.dataset.tab);
  });
  document.addEventListener("changes", ({ detail }) => {
    if (root.dataset.tab === "car") return;
    byId("news").textContent = Number(byId("news").textContent) + detail;
    byId("news").hidden = false;
  });
  choose("talk");
}

/** The input of the driver: it says, and interrupts while the assistant has its turn. */
function mountComposer(app) {
  const text = byId("text"), send = byId("send"), cut = byId("cut");
  const turns = new Set();  // lanes whose assistant has its turn
  const typed = [];
  let recall = 0;
  let typing = false;  // whether the input gets the focus back once it can be used again

  function say(said) {
    if (!said || app.silent) return;
    typed.push(said);
    recall = typed.length;
    const kind = turns.size ? "interrupt" : "say";
    document.dispatchEvent(new CustomEvent("said", { detail: said }));
    app.send({ kind, text: said });
  }

  function ready() {
    const silent = Boolean(app.silent);
    if (silent && !text.disabled) typing = document.activeElement === text;
    text.disabled = send.disabled = silent;
    send.title = app.silent;
    text.placeholder = app.silent || (app.hello?.state === "over" ? OVER : "Say something");
    if (typing && !silent) {
      typing = false;
      if (document.activeElement === document.body) text.focus();
    }
    send.textContent = turns.size ? "Interrupt" : "Say";
    send.classList.toggle("urgent", turns.size > 0);
    cut.hidden = !turns.size || silent;
  }

  byId("say").addEventListener("submit", (event) => {
    event.preventDefault();
    if (app.silent) return;
    say(text.value.trim());
    text.value = "";
  });
  document.addEventListener("hint", (event) => say(event.detail));
  cut.addEventListener("click", () => { app.send({ kind: "interrupt", text: null }); text.focus(); });
  byId("hang_up").addEventListener("click", () => text.focus());
  text.addEventListener("keydown", (event) => {
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (!step || !typed.length) return;
    event.preventDefault();
    recall = Math.max(0, Math.min(typed.length, recall + step));
    text.value = typed[recall] || "";
  });
  document.addEventListener("keydown", (event) => {
    if (app.view !== "drive" || event.target.closest?.("dialog, [popover]")) return;
    const typing = event.target.closest?.("input, textarea, select, [contenteditable]");
    if (event.key === "/" && !typing && !text.disabled) {
      event.preventDefault();
      text.focus();
    }
    if (event.key !== "Escape") return;
    if (text.value) text.value = "";
    else if (turns.size && !app.silent) app.send({ kind: "interrupt", text: null });
    else text.blur();
  });

  const laneOf_ = (message) => message.lane || "a";
  app.on("hello", () => { turns.clear(); ready(); });
  app.on("began", (message) => { turns.add(laneOf_(message)); ready(); });
  for (const kind of ["turn", "over"]) {
    app.on(kind, (message) => { turns.delete(laneOf_(message)); ready(); });
  }
  app.on("seat", () => {
    ready();
    const free = document.activeElement === document.body || document.activeElement === null;
    if (app.drives && free && matchMedia("(hover: hover)").matches) text.focus();
  });
  app.on("usable", ready);
}
