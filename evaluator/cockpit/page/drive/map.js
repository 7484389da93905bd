// The route of the car and the charge along it, above one axis of kilometres.

import { fragment, svg } from "../dom.js";

const PARTS = 48;     // pieces of the road that are coloured by charge
const STEPS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000];  // kilometres between two marks of the axis
const RESERVE = 12;   // percent

const LAYOUT = `
<h2>Route <span class="far"></span></h2>
<p class="empty">No route. Ask for one: “Take me to …”.</p>
<svg class="map" role="img" hidden></svg>`;

export function mountMap(root, lane) {
  root.append(fragment(LAYOUT));
  const map = root.querySelector(".map");
  let shown = {}, drawn = "", place = null;

  function route(message) {
    shown = message;
    const there = Boolean(message.points?.length);
    root.querySelector(".empty").hidden = there;
    map.toggleAttribute("hidden", !there);
    root.querySelector(".far").textContent = there ? summary(message) : "";
    show();
  }

  // Draws all again only if something but the place of the car changed. One unit is a pixel, so that no text is stretched.
  function show() {
    const { points, charge, charging, at_km: at } = shown;
    const [wide, high] = [map.clientWidth, map.clientHeight];
    if (!points?.length || !wide || !high) return;
    const key = JSON.stringify([points, charge?.length, Math.round(charge?.at(-1)?.soc), charging, wide, high]);
    if (key !== drawn) place = draw(map, shown, wide, high);
    drawn = key;
    const [x, y] = place(at);
    map.querySelector(".here").style.transform = `translate(${x}px, ${y}px)`;
    map.querySelector(".now").style.transform = `translateX(${x}px)`;
    map.querySelector(".now").setAttribute("y1", y);
    for (const part of map.querySelectorAll(".part")) part.classList.toggle("done", Number(part.dataset.km) < at);
  }

  new ResizeObserver(show).observe(map);
  lane.onHello(() => route({}));
  lane.on("route", route);
}

function summary({ points, length_km: length, at_km: at, charge = [] }) {
  const last = points.at(-1).name, left = Math.max(0, length - at);
  if (left < 0.1) return `arrived in ${last}`;
  const soc = charge.at(-1)?.soc;
  const there = soc === undefined ? "" : soc > 0 ? `, about ${Math.round(soc)} % charge there` : ", farther than the range";
  return `${left.toFixed(left < 10 ? 1 : 0)} km to ${last}${there}`;
}

/** Draws all but the car itself; returns where a kilometre of the route is in the picture. */
function draw(map, { points, length_km: length, charge = [], charging = [] }, wide, high) {
  const em = parseFloat(getComputedStyle(map).fontSize);
  const left = 3.2 * em, right = wide - left, axis = high - 1.5 * em;
  const road = charge.length ? axis * 0.52 : axis;  // above it is the road, below it the charge
  const x = (km) => left + (km / length) * (right - left);
  const y = (soc) => axis - (soc / 100) * (axis - road);
  const bends = bendsOf(points), most = Math.max(0.001, ...bends.map(([, aside]) => Math.abs(aside)));
  const scale = Math.min((right - left) / length, Math.max(0, road / 2 - 2 * em) / most);
  const place = (km) => [x(km), road / 2 - between(bends, km) * scale];
  const socs = charge.map((each) => [each.at_km, each.soc]);
  const stops = points.filter((point, at) => point.name && (point.stop || at === 0 || at === points.length - 1));
  map.setAttribute("viewBox", `0 0 ${wide} ${high}`);
  map.setAttribute("aria-label", `Route by way of ${stops.map((stop) => stop.name).join(", ")}, and the charge along it`);
  map.replaceChildren(
    ...stops.map((stop) => line("guide", place(stop.at_km), [x(stop.at_km), axis])),
    ...chargeOf(socs, x, y, em),
    line("now", [0, 0], [0, axis]),
    path("under", points.map((point) => place(point.at_km))),
    ...stretches(points, length).map(([from, to]) => {
      const part = path(`part ${levelOf(between(socs, (from + to) / 2))}`, [place(from), place(to)]);
      part.dataset.km = to;
      return part;
    }),
    ...charging.map((each) => charger(each.name, place(each.at_km))),
    ...namesOf(stops, place, em),
    ...marksOf(length, x, axis, em, right - left),
    svg("g", { class: "here" }, svg("circle", { class: "halo", r: 0.9 * em }), svg("circle", { class: "dot", r: 0.45 * em })),
  );
  return place;
}

const line = (name, [x1, y1], [x2, y2]) => svg("line", { class: name, x1, y1, x2, y2 });
const path = (name, places) => svg("path", { class: name, d: `M${places.map((each) => each.map((at) => at.toFixed(1)).join(" ")).join(" L")}` });
const text = (name, x, y, words, anchor = "middle") => svg("text", { class: name, x, y, "text-anchor": anchor }, words);

/** How far each point lies beside the line from start to destination, by kilometre. */
function bendsOf(points) {
  const [first, last] = [points[0], points.at(-1)];
  const [across, up] = [last.x_km - first.x_km, last.y_km - first.y_km];
  const far = Math.hypot(across, up) || 1;
  return points.map((point) => [point.at_km, (across * (point.y_km - first.y_km) - up * (point.x_km - first.x_km)) / far]);
}

/** The value at a kilometre, between pairs of kilometre and value. */
function between(known, km) {
  const after = known.findIndex(([at]) => at >= km);
  if (after <= 0) return (after === 0 ? known[0] : known.at(-1))?.[1];
  const [[from, one], [to, two]] = [known[after - 1], known[after]];
  return one + ((two - one) * (km - from)) / Math.max(to - from, 0.001);
}

const levelOf = (soc) => (soc === undefined ? "" : soc <= RESERVE ? "low" : soc <= 30 ? "fair" : "good");

/** Pieces of the route, none across a corner. */
function stretches(points, length) {
  const cuts = new Set(points.map((point) => point.at_km));
  for (let part = 0; part <= PARTS; part += 1) cuts.add((length * part) / PARTS);
  const sorted = [...cuts].sort((one, other) => one - other);
  return sorted.slice(1).map((to, at) => [sorted[at], to]);
}

function chargeOf(socs, x, y, em) {
  if (!socs.length) return [];
  const [[start, first], [end, last]] = [socs[0], socs.at(-1)];
  const top = socs.map(([km, soc]) => [x(km), y(soc)]);
  const empty = last > 0 ? undefined : socs.find(([, soc]) => soc <= 0);
  return [
    path("area", [[x(start), y(0)], ...top, [x(end), y(0)]]),
    path("edge", top),
    line("reserve", [x(start), y(RESERVE)], [x(end), y(RESERVE)]),
    text("soc", x(start) - 0.4 * em, y(first) + 0.35 * em, `${Math.round(first)} %`, "end"),
    empty ? text("soc low", x(empty[0]), y(RESERVE) - 0.3 * em, "empty") : text("soc", x(end) + 0.4 * em, y(last) + 0.35 * em, `${Math.round(last)} %`, "start"),
  ];
}

function charger(name, [x, y]) {
  const sign = [svg("circle", { r: 9 }), svg("path", { d: "M1 -6 L-4 1 H0 L-1 6 L4 -1 H0 Z" })];
  return svg("g", { class: "charger", transform: `translate(${x} ${y})` }, svg("title", {}, name), ...sign);
}

/** Names stand above the road; one that would touch the name before it stands below. */
function namesOf(stops, place, em) {
  const made = [];
  let taken = -Infinity;
  for (const { name, at_km: km } of stops) {
    const [x, y] = place(km), half = name.length * 0.29 * em;
    const below = x - half < taken;
    if (!below) taken = x + half + em;
    made.push(svg("g", { class: "stop" }, svg("circle", { cx: x, cy: y, r: 6 }), text("", x, below ? y + 1.75 * em : y - 0.95 * em, name)));
  }
  return made;
}

function marksOf(length, x, axis, em, wide) {
  const step = STEPS.find((each) => (each / length) * wide > 4.5 * em) ?? STEPS.at(-1);
  const made = [line("axis", [x(0), axis], [x(length), axis])];
  for (let km = 0; km <= length; km += step) made.push(line("axis", [x(km), axis], [x(km), axis + 0.3 * em]), text("km", x(km), axis + 1.3 * em, km ? `${km}` : "0 km"));
  return made;
}
