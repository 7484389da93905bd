// The bus: topics as they fly, with a filter, each to copy as a line for mosquitto_pub.

import { contentOf } from "./bus_line.js";
import { button, element, fragment, indented } from "./dom.js";

const MOST = 600;    // rows that are shown
const KEPT = 3000;   // messages that a filter looks through
const NEAR_END = 60;  // pixels that count as the end
const FRAME = /\/frame$/;
const LAYOUT = `
<div class="card bus">
<header>
<h2>Bus</h2>
<input type="search" placeholder="Filter, such as: reply seat" aria-label="Filter topics and payloads">
<label class="choice" title="Messages /frame: the conversation as the gateway logs it. A filter finds them in any case."><input type="checkbox" class="frames">Frames</label>
<label class="choice" title="Position, speed, charge and temperatures: what changes by itself while the car drives. A filter finds it in any case."><input type="checkbox" class="moves">Driving</label>
<button type="button" class="hold-on" aria-pressed="false">Pause</button>
<button type="button" class="clear">Clear</button>
<span class="rate" role="status"></span>
</header>
<button type="button" class="newer primary" hidden></button>
<div class="rows" role="listbox" tabindex="0" aria-label="Messages on the bus"></div>
<aside class="detail" aria-label="Selected message" hidden></aside>
</div>`;

const OUR_PREFIX = /^codriver\/v1\/[^/]+\//;
const quote = (text) => `'${text.replaceAll("'", `'\\''`)}'`;

/** The line that publishes this message again. */
export function publishing(entry, options) {
  const where = options || "-V 5";
  const kept = entry.retained ? " -r" : "";
  return `mosquitto_pub ${where} -q 1${kept} -t ${quote(entry.topic)} -m ${quote(entry.payload)}`;
}

export function mount(root, app) {
  root.append(fragment(LAYOUT));
  const rows = root.querySelector(".rows"), search = root.querySelector("[type=search]"), frames = root.querySelector(".frames"), moves = root.querySelector(".moves");
  const hold = root.querySelector(".hold-on"), detail = root.querySelector(".detail");
  let socket = null, entries = [], pending = [], planned = false, count = 0, lost = 0, selected = null;
  let atEnd = true, top = 0, newer = 0, behind = true;  // whether to stay at the last row, the position before, how many came since somebody reads further up, and whether what was there before is still to come
  const more = root.querySelector(".newer");

  const fits = (entry) => {
    if (!search.value.trim() && (FRAME.test(entry.topic) && !frames.checked || entry.moves && !moves.checked)) return false;
    const text = `${entry.topic} ${entry.payload}`.toLowerCase();
    return search.value.toLowerCase().split(/\s+/).every((word) => text.includes(word));
  };
  // The newest; what is reported several times a second while it drives takes half of the room at most.
  function kept(all) {
    let surplus = all.filter((entry) => entry.moves).length - KEPT / 2;
    return all.filter((entry) => !entry.moves || surplus-- <= 0).slice(-KEPT);
  }
  const holds = () => hold.getAttribute("aria-pressed") === "true";

  function receive(message) {
    if (message.kind !== "bus") return;
    if (!behind) count += message.entries.length;
    behind = false;
    lost += message.dropped || 0;
    entries = kept(entries.concat(message.entries));
    if (holds()) return;
    const fitting = message.entries.filter(fits);
    if (!atEnd) { tellNewer(newer + fitting.length); return; }
    pending = pending.concat(fitting).slice(-MOST);
    if (!planned) requestAnimationFrame(flush);
    planned = true;
  }

  function flush() {
    planned = false;
    if (!atEnd) { tellNewer(newer + pending.splice(0).length); return; }
    rows.append(...pending.splice(0).map(rowOf));
    while (rows.children.length > MOST) rows.firstChild.remove();
    toEnd();
  }

  // Rows get their height when they are first drawn, so that the end moves once more.
  function toEnd() {
    atEnd = true;
    rows.scrollTop = rows.scrollHeight;
    requestAnimationFrame(() => { if (atEnd) rows.scrollTop = rows.scrollHeight; });
  }

  function tellNewer(number) {
    newer = number;
    more.hidden = !number;
    more.textContent = `${number} new ↓`;
  }

  function rowOf(entry) {
    const short = entry.topic.replace(OUR_PREFIX, ""), cut = short.lastIndexOf("/") + 1;
    const topic = element("span", "topic", laneOf(entry), element("small", "", short.slice(0, cut)), element("span", "", short.slice(cut)));
    const code = element("code", "", ...contentOf(entry));
    const made = element("div", "line", element("time", "", clock(entry.t_ms)), topic, code);
    topic.title = entry.topic;
    made.setAttribute("role", "option");
    made.tabIndex = -1;
    if (entry.retained) {
      made.classList.add("retained");
      made.firstChild.title = "retained: a client that subscribes later gets it, too";
    }
    if (entry.lane) made.dataset.lane = entry.lane;
    made.addEventListener("click", () => select(made, entry));
    made.entry = entry;
    return made;
  }

  // Which of several cars a message is of.
  function laneOf(entry) {
    const lanes = app.hello?.lanes || [], of = lanes.find((each) => each.lane === entry.lane);
    return lanes.length > 1 && of ? element("i", "badge lane-of", `${of.lane} ${of.agent}`) : null;
  }

  function select(row, entry) {
    selected?.removeAttribute("aria-selected");
    selected = row;
    row.setAttribute("aria-selected", "true");
    const line = publishing(entry, app.hello?.client_options);
    const copy = button("Copy as mosquitto_pub", "primary", async () => {
      await copyText(line);
      copy.textContent = "Copied";
      setTimeout(() => { copy.textContent = "Copy as mosquitto_pub"; }, 1500);
    });
    detail.hidden = false;
    detail.replaceChildren(
      element("h3", "", entry.topic), element("pre", "", indented(entry.payload)),
      element("pre", "command", line), copy,
    );
  }

  function redraw() {
    pending = [];
    rows.replaceChildren(...entries.filter(fits).slice(-MOST).map(rowOf));
    tellNewer(0);
    toEnd();
  }

  more.addEventListener("click", redraw);
  rows.addEventListener("scroll", () => {
    const isUp = rows.scrollTop < top - 1, left = rows.scrollHeight - rows.scrollTop - rows.clientHeight;
    top = rows.scrollTop;
    if (left < NEAR_END && !atEnd) redraw();
    else if (isUp && left >= NEAR_END) atEnd = false;
  });
  search.addEventListener("input", () => { redraw(); socket?.send({ filter: search.value }); });
  for (const choice of [frames, moves]) choice.addEventListener("change", redraw);
  hold.addEventListener("click", () => {
    hold.setAttribute("aria-pressed", String(!holds()));
    hold.textContent = holds() ? "Continue" : "Pause";
    if (!holds()) redraw();
  });
  root.querySelector(".clear").addEventListener("click", () => { entries = []; redraw(); });
  rows.addEventListener("keydown", (event) => {
    const step = { ArrowUp: "previousElementSibling", ArrowDown: "nextElementSibling" }[event.key];
    if (!step) return;
    event.preventDefault();
    const next = selected?.isConnected ? selected[step] : rows.lastElementChild;
    if (!next) return;
    select(next, next.entry);
    next.scrollIntoView({ block: "nearest" });
  });
  setInterval(() => {
    const missing = lost ? `, ${lost} left out` : "";
    root.querySelector(".rate").textContent = socket ? `${count} messages a second${missing}` : "";
    count = 0;
  }, 1000);
  app.on("view", ({ view }) => {
    if (view === "bus") { socket ||= app.openSocket("/bus", receive, () => { behind = true; }); toEnd(); }
    else { socket?.close(); socket = null; }
  });
}

function clock(ms) {
  return `${(ms / 1000).toFixed(3)}`;
}

async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {  // a page that is not on this machine has no clipboard
    const area = element("textarea", "unseen");
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
}
