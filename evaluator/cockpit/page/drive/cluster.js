// The instrument cluster: speed, charge, range, temperatures, time and place. What is not known is not shown.

import { calm, clamp, fragment } from "../dom.js";

const FASTEST = 180;  // km/h at the end of the scale
const ARC = 204;      // length of the gauge's arc in its own units
const RING = 188.5;   // circumference of the charge ring

const LAYOUT = `
<div class="cluster">
<div class="dial speed" hidden><svg viewBox="0 0 100 84" aria-hidden="true"><path class="scale-arc" pathLength="204" d="M18.200 76.300 A43 43 0 1 1 81.800 76.300"/><path class="value-arc" pathLength="204" d="M18.200 76.300 A43 43 0 1 1 81.800 76.300"/></svg><p><output>0</output><small>km/h</small></p></div>
<div class="dial charge" hidden><svg viewBox="0 0 76 76" aria-hidden="true"><circle class="scale-arc" cx="38" cy="38" r="30"/><circle class="value-arc" cx="38" cy="38" r="30" transform="rotate(-90 38 38)"/></svg><p><output></output><small class="range"></small></p></div>
<dl class="readings"></dl>
</div>`;

const READINGS = [
  ["outside_c", "Outside"], ["cabin_c", "Inside"],
];

export function mountCluster(root, lane) {
  root.append(fragment(LAYOUT));
  const box = root.querySelector(".cluster"), list = box.querySelector(".readings");
  const speed = box.querySelector(".speed"), charge = box.querySelector(".charge");
  const tiles = {};
  let values = {}, wanted = 0, now = 0, last = null;

  function tile(name, label, text) {
    if (!tiles[name]) {
      const made = document.createElement("div"), term = document.createElement("dt");
      term.textContent = label;
      tiles[name] = document.createElement("dd");
      made.append(term, tiles[name]);
      made.className = name;
      list.append(made);
    }
    tiles[name].textContent = text;
    tiles[name].title = text;
    tiles[name].parentElement.hidden = !text;
  }

  function changed(message) {
    Object.assign(values, message.values);
    const kmh = values.speed_kmh, percent = values.state_of_charge;
    speed.hidden = !kmh;
    if (kmh) go(kmh.value);
    charge.hidden = !percent;
    if (message.values.state_of_charge) {
      charge.querySelector("output").textContent = `${Math.round(percent.value)} %`;
      charge.querySelector(".value-arc").style.strokeDashoffset = RING * (1 - percent.value / 100);
      charge.dataset.level = percent.value <= 20 ? "low" : percent.value <= 35 ? "fair" : "good";
    }
    if (message.values.remaining_range_km) charge.querySelector(".range").textContent = values.remaining_range_km.text;
    for (const [name, label] of READINGS) if (message.values[name]) tile(name, label, values[name].text);
  }

  // The needle follows smoothly, at the rate of the screen.
  function go(kmh) {
    wanted = kmh;
    if (calm.matches) now = wanted;
    if (last === null) { last = performance.now(); requestAnimationFrame(follow); }
  }

  function follow(at) {
    now += (wanted - now) * Math.min(1, (at - last) / 160);
    last = at;
    if (Math.abs(wanted - now) < 0.05) { now = wanted; last = null; }
    const text = String(Math.round(now)), output = speed.querySelector("output");
    if (output.textContent !== text) output.textContent = text;
    speed.querySelector(".value-arc").style.strokeDashoffset = ARC * (1 - clamp(now / FASTEST, 0, 1));
    if (last !== null) requestAnimationFrame(follow);
  }

  function route(message) {
    const { points, length_km: length, at_km: at } = message;
    if (!points?.length) { place(); return; }
    const behind = points.filter((point) => point.at_km <= at + 0.05).at(-1) || points[0];
    const ahead = points.find((point) => point.at_km > at + 0.05 && point.stop);
    tile("place", "Place", behind.name);
    tile("next", "Next", ahead ? `${ahead.name}, ${Math.max(0, ahead.at_km - at).toFixed(ahead.at_km - at < 10 ? 1 : 0)} km` : length - at < 0.1 ? "arrived" : "");
  }

  function place() {
    const about = lane.app.hello || {};
    tile("place", "Place", about.place || "");
    tile("next", "Next", "");
    const moment = about.moment ? new Date(about.moment) : null;
    const day = { weekday: "short", day: "numeric", month: "short" }, hour = { hour: "2-digit", minute: "2-digit" };
    tile("time", "Time", moment ? moment.toLocaleTimeString("en-GB", hour) : "");
    tile("date", "Date", moment ? moment.toLocaleDateString("en-GB", day) : "");
  }

  lane.onHello(() => { values = {}; if (lane.app.hello) place(); });
  lane.on("changed", changed);
  lane.on("route", route);
  lane.on("presence", (message) => box.classList.toggle("away", !message.online));
}
