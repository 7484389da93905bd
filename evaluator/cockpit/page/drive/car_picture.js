// The car from above: what it is doing at a glance, and knobs on it that are manual changes.

import { fragment } from "../dom.js";
import { COLOURS } from "./colours.js";
import { knobsOf } from "./knobs.js";

// Nose to the right; the car's left side, where the driver sits, is at the top.
const SEATS = { driver: [396, 184], passenger: [396, 256], driver_rear: [230, 184], passenger_rear: [230, 256] };
const WINDOWS = {
  driver: [338, 118, 162, "top"], passenger: [338, 296, 162, "bottom"],
  driver_rear: [206, 118, 122, "top"], passenger_rear: [206, 296, 122, "bottom"],
};
const TAGS = {
  window_driver_position: [420, 64], window_passenger_position: [420, 376],
  window_driver_rear_position: [268, 64], window_passenger_rear_position: [268, 376],
};

const seat = (name, [x, y]) => `
<g class="seat ${name.replace("_", "-")}" transform="translate(${x} ${y})">
<rect class="back" x="-18" y="-28" width="26" height="56" rx="11"/>
<rect class="head" x="-28" y="-13" width="13" height="26" rx="6"/>
<rect class="cushion" x="-2" y="-26" width="58" height="52" rx="13"/>
<rect class="warm" x="-18" y="-28" width="74" height="56" rx="13"/>
<g class="bars"><rect x="34" y="-17" width="5" height="9" rx="2.5"/><rect x="34" y="-4.500" width="5" height="9" rx="2.5"/><rect x="34" y="8" width="5" height="9" rx="2.500"/></g>
<g class="person"><path d="M-4 0 C-4 -22 6 -24 16 -24 C26 -24 30 -14 30 0 C30 14 26 24 16 24 C6 24 -4 22 -4 0 Z"/><circle cx="9" cy="0" r="12.500"/></g>
<circle class="spot" cx="14" cy="0" r="40" fill="url(#car-spot)"/>
</g>`;

const side = (name, [x, y, width, belt]) => `
<g class="window ${name.replace("_", "-")} ${belt}">
<rect class="slot" x="${x}" y="${y}" width="${width}" height="26" rx="5"/>
<rect class="glass" x="${x}" y="${y}" width="${width}" height="26" rx="5"/>
<path class="air" d="${[0.1, 0.9].map((at) => breeze(x + width * at, belt === "top" ? 82 : 358)).join(" ")}"/>
</g>`;

const breeze = (x, y) => `M${x + 14} ${y} q-7 -6 -14 0 t-14 0`;

const tag = (name, [x, y]) => `
<g class="tag" data-tag="${name}" transform="translate(${x} ${y})"><rect x="-34" y="-14" width="68" height="28" rx="14"/><text y="5.5"></text></g>`;

const MARKUP = `
<div class="stage">
<div class="road" aria-hidden="true"><i></i><i></i></div>
<svg class="top" viewBox="-52 44 920 352" role="img" aria-label="The car from above">
<defs>
<linearGradient id="car-beam" x1="0" x2="1"><stop offset="0" class="lit"/><stop offset="1" class="out"/></linearGradient>
<radialGradient id="car-spot"><stop offset="0" class="lit"/><stop offset="1" class="out"/></radialGradient>
<linearGradient id="car-paint" x1="0" x2="0" y1="0" y2="1"><stop offset="0" class="edge"/><stop offset="0.14" class="side"/><stop offset="0.5" class="crown"/><stop offset="0.86" class="side"/><stop offset="1" class="edge"/></linearGradient>
<linearGradient id="car-glass" x1="0" x2="1" y1="0" y2="1"><stop offset="0" class="bright"/><stop offset="0.5" class="plain"/><stop offset="1" class="bright"/></linearGradient>
<radialGradient id="car-ground"><stop offset="0.72" class="near"/><stop offset="1" class="far"/></radialGradient>
<clipPath id="car-roof"><rect x="296" y="160" width="70" height="120" rx="9"/></clipPath>
</defs>
<g class="beams" fill="url(#car-beam)">
<path class="high" d="M694 128 L918 84 L918 196 L704 168 Z M694 312 L918 356 L918 244 L704 272 Z"/>
<path class="low" d="M692 124 L812 66 L832 206 L706 172 Z M692 316 L812 374 L832 234 L706 268 Z"/>
<path class="fog" d="M676 112 L752 40 L802 88 L704 150 Z M676 328 L752 400 L802 352 L704 290 Z"/>
</g>
<ellipse class="ground" cx="404" cy="228" rx="362" ry="158" fill="url(#car-ground)"/>
<path class="tyres" d="M172 88 h86 q8 0 8 8 v14 h-102 v-14 q0 -8 8 -8 Z M172 352 h86 q8 0 8 -8 v-14 h-102 v14 q0 8 8 8 Z M546 88 h86 q8 0 8 8 v14 h-102 v-14 q0 -8 8 -8 Z M546 352 h86 q8 0 8 -8 v-14 h-102 v14 q0 8 8 8 Z"/>
<g class="hold"><path d="M150 130 L96 138 Q88 220 96 302 L150 310 Z"/><path class="bag" d="M112 176 h26 q5 0 5 5 v30 q0 5 -5 5 h-26 q-5 0 -5 -5 v-30 q0 -5 5 -5 Z M114 232 h22 q4 0 4 4 v24 q0 4 -4 4 h-22 q-4 0 -4 -4 v-24 q0 -4 4 -4 Z"/></g>
<path class="mirror" d="M500 100 q-4 -24 14 -26 q18 0 14 11 l-8 15 Z M500 340 q-4 24 14 26 q18 0 14 -11 l-8 -15 Z"/>
<path class="paint" fill="url(#car-paint)" fill-rule="evenodd" d="M94 220 C94 152 100 118 132 108 C188 97 260 96 330 96 L520 96 C594 96 646 101 676 118 C710 138 722 172 722 220 C722 268 710 302 676 322 C646 339 594 344 520 344 L330 344 C260 344 188 343 132 332 C100 322 94 288 94 220 Z M150 132 L100 140 Q92 220 100 300 L150 308 Z"/>
<path class="crease" d="M592 138 C632 142 668 150 700 166 M592 302 C632 298 668 290 700 274 M612 220 L704 220"/>
<g class="lid"><path class="flap" d="M152 130 L104 137 Q92 220 104 303 L152 310 Z"/><path class="crease" d="M116 160 Q108 220 116 280"/></g>
<path class="tail" d="M100 122 q8 -10 26 -12 l-2 8 q-12 3 -17 12 l-6 26 q-3 -16 -1 -34 Z M100 318 q8 10 26 12 l-2 -8 q-12 -3 -17 -12 l-6 -26 q-3 16 -1 34 Z"/>
<path class="lamp" d="M664 118 C690 126 706 142 712 164 C700 156 688 144 662 130 Z M664 322 C690 314 706 298 712 276 C700 284 688 296 662 310 Z"/>
<path class="fog-lamp" d="M716 190 l4 0 l1 14 l-4 0 Z M716 250 l4 0 l1 -14 l-4 0 Z"/>
<path class="belt" d="M168 142 Q176 118 206 116 L506 116 Q552 116 582 144 Q606 220 582 296 Q552 324 506 324 L206 324 Q176 322 168 298 Q158 220 168 142 Z"/>
<path class="floor" d="M204 146 H500 Q520 220 500 294 H204 Q194 220 204 146 Z"/>
<path class="ambient" d="M204 149 H497 Q517 220 497 291 H204"/>
<path class="dash" d="M490 146 L506 146 Q532 220 506 294 L490 294 Q504 220 490 146 Z"/>
<rect class="screen" x="494" y="200" width="8" height="42" rx="4"/>
${Object.entries(SEATS).map(([name, at]) => seat(name, at)).join("")}
<g class="steering"><ellipse class="warm" cx="474" cy="184" rx="18" ry="31"/><ellipse class="rim" cx="474" cy="184" rx="10" ry="24"/><path class="spoke" d="M474 184 L483 184 M470 164 L474 184 L470 204"/></g>
<g class="flow"><path class="head" d="M486 172 C470 168 456 172 440 178 M486 198 C468 202 456 196 440 190 M486 244 C470 240 456 244 440 250 M486 270 C468 274 456 268 440 262"/><path class="feet" d="M484 160 C474 156 468 156 460 156 M484 208 C474 212 468 212 460 212 M484 232 C474 228 468 228 460 228 M484 284 C474 288 468 288 460 284"/><path class="windshield" d="M520 170 C534 166 546 168 560 164 M524 200 C540 198 552 200 568 198 M524 240 C540 242 552 240 568 242 M520 270 C534 274 546 272 560 276"/></g>
<g class="shield front"><path class="pane" d="M506 122 Q546 122 576 148 Q600 220 576 292 Q546 318 506 318 L500 292 Q522 220 500 148 Z"/><path class="wires" d="M524 136 Q556 220 524 304 M540 138 Q574 220 540 302 M556 146 Q588 220 556 294"/></g>
<g class="shield rear"><path class="pane" d="M206 122 Q182 124 174 146 Q164 220 174 294 Q182 316 206 318 L204 292 Q194 220 204 148 Z"/><path class="wires" d="M180 146 Q170 220 180 294 M190 138 Q180 220 190 302"/></g>
<path class="pillar" d="M328 116 h10 v30 h-10 Z M328 294 h10 v30 h-10 Z"/>
${Object.entries(WINDOWS).map(([name, at]) => side(name, at)).join("")}
<g class="bridge"><path d="M288 144 H374 Q370 220 374 296 H288 Q284 220 288 144 Z"/></g>
<g class="roof" clip-path="url(#car-roof)"><rect class="sky" x="296" y="160" width="70" height="120"/><g class="pane"><rect x="296" y="160" width="70" height="120"/><path d="M308 172 L330 172 L308 216 Z"/></g><g class="shade"><rect x="296" y="160" width="70" height="120"/><path d="M310 160 v120 M324 160 v120 M338 160 v120 M352 160 v120"/></g></g>
<rect class="frame" x="296" y="160" width="70" height="120" rx="9"/>
<g class="tags">
${Object.entries(TAGS).map(([name, at]) => tag(name, at)).join("")}
<g class="tag" data-tag="sunroof_position" transform="translate(331 220)"><rect x="-30" y="-14" width="60" height="28" rx="14"/><text y="5.5"></text></g>
<g class="tag" data-tag="trunk_door_position" transform="translate(52 328)"><rect x="-34" y="-14" width="68" height="28" rx="14"/><text y="5.5"></text></g>
</g>
</svg>
<div class="spots"></div>
<p class="gone" hidden>The car is offline</p>
</div>
<div class="knobs" role="group" aria-label="Knobs of the car"></div>`;

// Colours of paint that cars of tasks have; others are mixed by the browser if it knows the name.
const PAINT = { blue: "#5b7fb8", red: "#b84a52", black: "#3a3f47", white: "#dfe4ea", gray: "#8d97a5", grey: "#8d97a5", silver: "#b9c1cb", green: "#5d8f74", yellow: "#d6b24c" };

export function mountCar(root, lane) {
  root.append(fragment(MARKUP));
  const stage = root.querySelector(".stage"), top = root.querySelector(".top");
  const knobs = knobsOf(root, lane);
  let values = {}, moving = new Set(), planned = false;

  const of = (name) => values[name]?.value;
  const written = {};

  // A property that is set anew makes the browser draw anew.
  function set(name, value) {
    if (written[name] !== value) stage.style.setProperty(name, value);
    written[name] = value;
  }

  function changed(message) {
    const fresh = [];
    for (const [name, entry] of Object.entries(message.values)) {
      values[name] = entry;
      if (!message.first && !message.past && entry.before) fresh.push(name);
    }
    knobs.show(values, Object.keys(message.values), fresh);
    if (message.values.speed_kmh) drive(message.values.speed_kmh.value);
    if (planned || Object.keys(message.values).every((name) => moving.has(name))) return;
    requestAnimationFrame(draw);
    planned = true;
  }

  function draw() {
    planned = false;
    for (const name of Object.keys(WINDOWS)) {
      set(`--window-${name.replace("_", "-")}`, (of(`window_${name}_position`) || 0) / 100);
    }
    for (const name of Object.keys(SEATS)) {
      const css = name.replace("_", "-");
      set(`--person-${css}`, of(`seats_occupied.${name}`) ? 1 : 0);
      set(`--spot-${css}`, of(`reading_light_${name}`) ? 1 : 0);
      const level = of(`seat_heating_${name}`) || 0;
      set(`--heat-${css}`, level / 3);
      top.querySelector(`.seat.${css}`).dataset.level = level;
    }
    set("--wheel", (of("steering_wheel_heating") || 0) / 3);
    set("--sunroof", (of("sunroof_position") || 0) / 100);
    set("--sunshade", (of("sunshade_position") || 0) / 100);
    set("--trunk", String(of("trunk_door_position")).toLowerCase() === "open" ? 1 : 0);
    lights();
    air();
    tags();
  }

  function lights() {
    const on = (name) => (of(name) ? 1 : 0);
    set("--low", on("head_lights_low_beams"));
    set("--high", on("head_lights_high_beams"));
    set("--fog", on("fog_lights"));
    set("--lamp", Math.max(on("head_lights_low_beams"), on("head_lights_high_beams")));
    const colour = COLOURS[of("ambient_light")];
    set("--ambient-on", colour ? 1 : 0);
    if (colour) set("--ambient", colour);
    const paint = String(of("car_color") || "").toLowerCase();
    if (paint) set("--paint", PAINT[paint] || (CSS.supports("color", paint) ? paint : ""));
  }

  function air() {
    const fan = of("fan_speed") || 0, to = String(of("fan_airflow_direction") || "");
    for (const way of ["head", "feet", "windshield"]) {
      set(`--flow-${way}`, fan && to.includes(way.toUpperCase()) ? 0.35 + fan * 0.13 : 0);
    }
    set("--flow-s", `${(2.2 - fan * 0.34).toFixed(2)}s`);
    set("--flow-colour", of("air_conditioning") ? "var(--cold)" : "var(--seat-light)");
    set("--defrost-front", of("window_front_defrost") ? 1 : 0);
    set("--defrost-rear", of("window_rear_defrost") ? 1 : 0);
    stage.classList.toggle("blowing", fan > 0);
  }

  // Another duration begins the animation anew, so there are few of them.
  function drive(speed) {
    stage.classList.toggle("driving", speed > 1);
    const slow = [5, 15, 30, 60, 100].filter((limit) => speed > limit).length;
    set("--road-s", `${[6, 3, 1.6, 0.9, 0.6, 0.4][slow]}s`);
  }

  function tags() {
    for (const box of top.querySelectorAll("[data-tag]")) {
      const entry = values[box.dataset.tag];
      const isOpen = entry && (typeof entry.value === "number" ? entry.value > 0 : entry.text === "open");
      box.classList.toggle("on", Boolean(isOpen));
      if (entry) box.querySelector("text").textContent = entry.text;
    }
  }

  function presence(message) {
    root.classList.toggle("offline", !message.online);
    knobs.usable(message.online ? "" : "The car is offline.");
    root.querySelector(".gone").hidden = message.online;
  }

  lane.onHello((hello) => {
    const rows = (hello.groups || []).flatMap((group) => group.rows);
    moving = new Set(rows.filter((row) => row[2]).map((row) => row[0]));
    values = {};
    drive(0);
    presence({ online: true });
  });
  lane.on("changed", changed);
  lane.on("presence", presence);
}

