// The route of the car on a plane of our own world, and its charge along the way.

import { element, fragment, svg } from "../dom.js";

const WIDE = 760, HIGH = 190, EDGE = 38;
const PROFILE = 62;   // height of the charge profile
const PARTS = 48;     // pieces of the route line that are coloured by charge

const LAYOUT = `
<h2>Route <span class="far"></span></h2>
<p class="empty">No route. Ask for one: “Take me to …”.</p>
<svg class="map" role="img" aria-label="Map of the route" hidden><g class="grid"></g><g class="way"></g><g class="names"></g><g class="here"><circle class="halo" r="15"/><circle class="dot" r="7"/></g></svg>
<figure class="profile" hidden><figcaption>Charge along the route</figcaption><svg role="img" aria-label="Charge along the route" preserveAspectRatio="none"></svg><div class="flags"></div></figure>`;

export function mountMap(root, lane) {
  root.append(fragment(LAYOUT));
  const map = root.querySelector(".map"), profile = root.querySelector(".profile");
  let drawn = "", place = null;

  function route(message) {
    const there = Boolean(message.points?.length);
    root.querySelector(".empty").hidden = there;
    map.toggleAttribute("hidden", !there);
    profile.hidden = !there || !message.charge?.length;
    root.querySelector(".far").textContent = there ? distance(message) : "";
    if (!there) { drawn = ""; return; }
    const key = JSON.stringify([message.points, message.charge, message.charging]);
    if (key !== drawn) draw(message);
    drawn = key;
    move(message);
  }

  function draw(message) {
    place = placing(message.points);
    map.setAttribute("viewBox", `0 0 ${WIDE} ${place.high}`);
    const way = map.querySelector(".way"), names = map.querySelector(".names");
    way.replaceChildren(...line(message, place));
    names.replaceChildren(...labels(message, place));
    if (message.charge?.length) drawProfile(profile, message);
  }

  function move(message) {
    const [x, y] = place(alongOf(message.points, message.at_km));
    map.querySelector(".here").style.transform = `translate(${x}px, ${y}px)`;
    profile.style.setProperty("--at", `${(message.at_km / message.length_km) * 100}%`);
    for (const part of map.querySelectorAll(".way .part")) part.classList.toggle("done", Number(part.dataset.km) < message.at_km);
  }

  lane.onHello(() => route({ points: [] }));
  lane.on("route", route);
}

function distance({ points, length_km: length, at_km: at }) {
  const last = points.at(-1).name, left = Math.max(0, length - at);
  return left < 0.1 ? `arrived in ${last}` : `${left.toFixed(left < 10 ? 1 : 0)} km to ${last}`;
}

/**
 * Coordinates of the world to those of the picture, equal in both directions. The route lies on its
 * side, from left to right, because the picture is wide; `north` is the way an arrow has to turn.
 */
function placing(points) {
  const [first, last] = [points[0], points.at(-1)];
  const turn = Math.atan2(last.y_km - first.y_km, last.x_km - first.x_km);
  const [cos, sin] = [Math.cos(-turn), Math.sin(-turn)];
  const turned = ({ x_km: x, y_km: y }) => [x * cos - y * sin, x * sin + y * cos];
  const xs = points.map((point) => turned(point)[0]), ys = points.map((point) => turned(point)[1]);
  const [left, right, low, high] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  const [across, up] = [Math.max(right - left, 0.1), Math.max(high - low, 0.1)];
  const scale = Math.min((WIDE - 3 * EDGE) / across, (HIGH - 2 * EDGE) / up);
  const [x0, y0] = [(WIDE - across * scale) / 2, EDGE];
  const place = (point) => {
    const [x, y] = turned(point);
    return [x0 + (x - left) * scale, y0 + (high - y) * scale];
  };
  place.high = up * scale + 2 * EDGE;
  place.north = (turn * 180) / Math.PI;
  return place;
}

function alongOf(points, km) {
  const after = points.findIndex((point) => point.at_km >= km);
  if (after <= 0) return after === 0 ? points[0] : points.at(-1);
  const [one, two] = [points[after - 1], points[after]];
  const share = (km - one.at_km) / Math.max(two.at_km - one.at_km, 0.001);
  return { x_km: one.x_km + (two.x_km - one.x_km) * share, y_km: one.y_km + (two.y_km - one.y_km) * share };
}

function chargeAt(charge, km) {
  const after = charge.findIndex((each) => each.at_km >= km);
  if (after <= 0) return (after === 0 ? charge[0] : charge.at(-1))?.soc;
  const [one, two] = [charge[after - 1], charge[after]];
  return one.soc + ((two.soc - one.soc) * (km - one.at_km)) / Math.max(two.at_km - one.at_km, 0.001);
}

const levelOf = (soc) => (soc === undefined ? "" : soc <= 12 ? "low" : soc <= 30 ? "fair" : "good");

function line({ points, length_km: length, charge = [] }, place) {
  const path = points.map((point) => place(point).map((each) => each.toFixed(1)).join(" ")).join(" L");
  const under = svg("path", { class: "under", d: `M${path}` });
  const parts = [];
  for (const [from, to] of stretches(points, length)) {
    const ends = [from, to].map((km) => place(alongOf(points, km)).map((each) => each.toFixed(1)).join(" "));
    parts.push(svg("path", { class: `part ${levelOf(chargeAt(charge, (from + to) / 2))}`, d: `M${ends.join(" L")}`, "data-km": to }));
  }
  return [under, ...parts];
}

/** Pieces of the route, none across a corner. */
function stretches(points, length) {
  const cuts = new Set(points.map((point) => point.at_km));
  for (let part = 0; part <= PARTS; part += 1) cuts.add((length * part) / PARTS);
  const sorted = [...cuts].sort((one, other) => one - other);
  return sorted.slice(1).map((to, at) => [sorted[at], to]);
}

function labels({ points, charging = [] }, place) {
  const named = points.filter((point, at) => point.name && (point.stop || at === 0 || at === points.length - 1));
  const made = [];
  let before = -Infinity, below = false;
  named.forEach((point, at) => {
    const [x, y] = place(point);
    below = x - before < 90 ? !below : y > place.high / 2 + 1;
    const anchor = x > WIDE * 0.85 ? "end" : x < WIDE * 0.15 ? "start" : "middle";
    const text = svg("text", { x, y: below ? y + 27 : y - 15, "text-anchor": anchor }, point.name);
    const last = at === named.length - 1 ? " last" : "";
    made.push(svg("g", { class: `stop${last}` }, svg("circle", { cx: x, cy: y, r: 6 }), text));
    before = x;
  });
  for (const each of charging) {
    const [x, y] = place(alongOf(points, each.at_km));
    const title = svg("title", {}, each.name);
    made.push(svg("g", { class: "charger", transform: `translate(${x} ${y})` }, title, svg("circle", { r: 9 }), svg("path", { d: "M1 -6 L-4 1 H0 L-1 6 L4 -1 H0 Z" })));
  }
  const arrow = svg("path", { d: "M0 -11 L6 9 L0 5 L-6 9 Z", transform: `rotate(${place.north})` });
  made.push(svg("g", { class: "north", transform: `translate(${WIDE - 14} 14)` }, arrow, svg("text", { y: 26 }, "N")));
  return made;
}

function drawProfile(figure, { charge, charging = [], length_km: length }) {
  const picture = figure.querySelector("svg"), flags = figure.querySelector(".flags");
  picture.setAttribute("viewBox", `0 0 ${WIDE} ${PROFILE}`);
  const at = (km, soc) => `${((km / length) * WIDE).toFixed(1)} ${(PROFILE - (soc / 100) * PROFILE).toFixed(1)}`;
  const top = charge.map((each) => at(each.at_km, each.soc)).join(" L");
  const end = charge.at(-1).at_km, start = charge[0].at_km;
  picture.replaceChildren(
    svg("path", { class: "area", d: `M${at(start, 0)} L${top} L${at(end, 0)} Z` }),
    svg("path", { class: "edge", d: `M${top}` }),
    svg("path", { class: "reserve", d: `M0 ${PROFILE * 0.88} H${WIDE}` }),
  );
  const flag = (km, text, kind) => {
    const made = element("span", kind, text);
    made.style.left = `${(km / length) * 100}%`;
    return made;
  };
  flags.replaceChildren(
    flag(start, `${Math.round(charge[0].soc)} %`, "first"),
    ...charging.map((each) => Object.assign(flag(each.at_km, "", "station"), { title: each.name })),
    flag(end, `${Math.round(charge.at(-1).soc)} %`, "last"),
  );
}
