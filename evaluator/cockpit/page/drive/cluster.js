// The instrument cluster: speed, charge, range, temperatures, time and place. What is not known yet is a dash.
// Temperatures of the air are left out until the car publishes them: only a car that can drive does.

import { calm, clamp, element, fragment } from "../dom.js";

const FASTEST = 180;  // km/h at the end of the scale
const ARC = 204;      // length of the gauge's arc in its own units
const RING = 188.5;   // circumference of the charge ring

const LAYOUT = `
<div class="cluster">
<div class="dial speed"><svg viewBox="0 0 100 84" aria-hidden="true"><path class="scale-arc" pathLength="204" d="M18.200 76.300 A43 43 0 1 1 81.800 76.300"/><path class="value-arc" pathLength="204" d="M18.200 76.300 A43 43 0 1 1 81.800 76.300"/></svg><p><output>0</output><small>km/h</small></p></div>
<div class="dial charge"><svg viewBox="0 0 76 76" aria-hidden="true"><circle class="scale-arc" cx="38" cy="38" r="30"/><circle class="value-arc" cx="38" cy="38" r="30" transform="rotate(-90 38 38)"/></svg><p><output>–</output><small class="range">range</small></p></div>
<dl class="readings"></dl>
</div>`;

const distance = (km) => `${Math.max(0, km).toFixed(km < 10 ? 1 : 0)} km`;
const READINGS = [
  ["outside_c", "Outside"], ["cabin_c", "Inside"],
];

export function mountCluster(root, lane) {
  root.append(fragment(LAYOUT));
  const box = root.querySelector(".cluster"), list = box.querySelector(".readings");
  const speed = box.querySelector(".speed"), charge = box.querySelector(".charge");
  const tiles = {};
  const ticking = setInterval(tick, 1000);
  let values = {}, wanted = 0, now = 0, last = null, clock = null, ticked = performance.now();

  function tile(name, label, text) {
    if (!tiles[name]) list.append(tiles[name] = element("div", name, element("dt"), element("dd")));
    const [term, shown] = tiles[name].children;
    if (term.textContent !== label) term.textContent = label;
    const written = text || "–";
    if (shown.textContent !== written) shown.textContent = shown.title = written;
    tiles[name].classList.toggle("unknown", !text);
  }

  function changed(message) {
    Object.assign(values, message.values);
    const kmh = values.speed_kmh, percent = values.state_of_charge;
    if (kmh) go(kmh.value);
    if (message.values.state_of_charge) {
      charge.querySelector("output").textContent = `${Math.round(percent.value)} %`;
      charge.querySelector(".value-arc").style.strokeDashoffset = RING * (1 - percent.value / 100);
      charge.dataset.level = percent.value <= 20 ? "low" : percent.value <= 35 ? "fair" : "good";
    }
    if (message.values.remaining_range_km) charge.querySelector(".range").textContent = percent?.value > 0 ? values.remaining_range_km.text : "empty";
    for (const [name, label] of READINGS) if (message.values[name]?.text) tile(name, label, values[name].text);
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
    const { points = [], length_km: length, at_km: at, place, away_km: away } = message;
    const ahead = points.find((point) => point.at_km > at + 0.05 && point.stop);
    tile("place", away < 1 ? "Place" : "Nearest place, air line", away < 1 ? place : `${place}, ${away.toFixed(0)} km`);
    clock = { ms: Date.parse(message.moment), rate: message.rate };
    ticked = performance.now();
    showTime();
    tile("next", "Next stop, by road", ahead ? `${ahead.name}, ${distance(ahead.at_km - at)}` : points.length && length - at < 0.1 ? "arrived" : "");
  }

  // Between two messages time goes on as in the car: not while it is paused or waits for a session.
  function tick() {
    if (!box.isConnected) { clearInterval(ticking); return; }
    const { state, chosen } = lane.app.hello || {}, at = performance.now();
    if (clock && state === "running" && chosen?.pace !== "fast") clock.ms += (at - ticked) * clock.rate;
    ticked = at;
    if (clock) showTime();
  }

  function showTime() {
    const moment = new Date(clock.ms);
    const day = moment.toLocaleDateString("en-GB", { weekday: "short", day: "numeric", month: "short" });
    tile("time", clock.rate === 1 ? day : `${day}, ×${clock.rate}`, moment.toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" }));
  }

  lane.onHello(({ place, moment }) => {
    values = {};
    go(0);
    for (const [name, label] of READINGS) tile(name, label, "");
    route({ place, away_km: 0, moment, rate: 1 });
  });
  lane.on("changed", changed);
  lane.on("route", route);
}
