// Knobs of one car: spots on its picture and a strip below it. What they send is a manual change.

import { button, clamp, element } from "../dom.js";
import { COLOURS } from "./colours.js";

const AIRFLOW = ["FEET", "HEAD", "HEAD_FEET", "WINDSHIELD", "WINDSHIELD_FEET", "WINDSHIELD_HEAD", "WINDSHIELD_HEAD_FEET"];
const CIRCULATION = ["AUTO", "FRESH_AIR", "RECIRCULATION"];

// On the picture: name, label, kind, and its box in percent of the picture: left, top, width, height.
const SPOTS = [
  ["window_driver_position", "Driver window", "percent", 42.1, 20, 18, 9.5],
  ["window_passenger_position", "Passenger window", "percent", 42.1, 70.5, 18, 9.5],
  ["window_driver_rear_position", "Rear driver window", "percent", 27.6, 20, 13.5, 9.5],
  ["window_passenger_rear_position", "Rear passenger window", "percent", 27.6, 70.5, 13.5, 9.5],
  ["sunroof_position", "Sunroof", "percent", 37.1, 32, 9, 24],
  ["sunshade_position", "Sunshade", "percent", 37.1, 56, 9, 12],
  ["trunk_door_position", "Trunk", "trunk", 15.2, 26, 7.5, 48],
  ["seat_heating_driver", "Driver seat heating", "level3", 46.2, 31, 8.8, 17],
  ["seat_heating_passenger", "Passenger seat heating", "level3", 46.2, 52, 8.8, 17],
  ["steering_wheel_heating", "Steering wheel heating", "level3", 55.4, 31, 3.6, 17],
  ["window_front_defrost", "Front defrost", "switch", 62.1, 30, 7.5, 40],
  ["window_rear_defrost", "Rear defrost", "switch", 23.6, 30, 3.8, 40],
  ["reading_light_driver_rear", "Rear driver reading light", "switch", 28.4, 31, 8.5, 17],
  ["reading_light_passenger_rear", "Rear passenger reading light", "switch", 28.4, 52, 8.5, 17],
  ["head_lights_low_beams", "Low beams", "switch", 77.2, 20, 7, 15],
  ["head_lights_high_beams", "High beams", "switch", 77.2, 65, 7, 15],
];

// Below the picture: name, short label, kind.
const STRIP = [
  ["climate_temperature_driver", "Driver", "celsius"],
  ["fan_speed", "Fan", "level5"],
  ["fan_airflow_direction", "Air", "airflow"],
  ["air_circulation", "Circulation", "circulation"],
  ["air_conditioning", "A/C", "switch"],
  ["climate_temperature_passenger", "Passenger", "celsius"],
  ["head_lights_low_beams", "Low", "switch"],
  ["head_lights_high_beams", "High", "switch"],
  ["fog_lights", "Fog", "switch"],
  ["reading_light_driver", "Reading", "switch"],
  ["ambient_light", "Ambient", "colour"],
];

const NEXT = {
  switch: (value) => !value,
  trunk: (value) => (String(value).toLowerCase() === "open" ? "closed" : "open"),
  level3: (value) => ((value || 0) + 1) % 4,
};

export function knobsOf(root, lane) {
  const shown = {};  // functions that show a value, by name
  const turn = (name, value) => lane.send({ kind: "knob", name, value });
  let values = {};
  const valueOf = (name) => values[name]?.value;

  function knob(name, label, kind) {
    if (kind === "celsius") return stepper(name, label);
    if (kind === "level5") return levels(name, label, 5);
    if (kind === "airflow") return chooser(name, label, AIRFLOW);
    if (kind === "circulation") return chooser(name, label, CIRCULATION);
    if (kind === "colour") return chooser(name, label, ["OFF", ...Object.keys(COLOURS)]);
    return toggle(name, label);
  }

  function watch(name, show) {
    shown[name] = [...(shown[name] || []), show];
  }

  function toggle(name, label) {
    const made = button(label, "knob switch", () => turn(name, !valueOf(name)));
    watch(name, (entry) => { made.setAttribute("aria-pressed", String(Boolean(entry.value))); });
    return made;
  }

  function stepper(name, label) {
    const reading = element("output", "", "–");
    const step = (by) => turn(name, clamp((valueOf(name) ?? 20) + by, 16, 28));
    const less = button("−", "", () => step(-0.5)), more = button("+", "", () => step(0.5));
    less.setAttribute("aria-label", `${label} cooler`);
    more.setAttribute("aria-label", `${label} warmer`);
    watch(name, (entry) => { reading.textContent = `${entry.value.toFixed(1)}°`; });
    return element("span", "knob stepper", element("small", "", label), less, reading, more);
  }

  function levels(name, label, highest) {
    const bars = Array.from({ length: highest }, (_, at) => {
      const bar = button("", "", () => turn(name, valueOf(name) === at + 1 ? at : at + 1));
      bar.setAttribute("aria-label", `${label} level ${at + 1}`);
      return bar;
    });
    watch(name, (entry) => bars.forEach((bar, at) => bar.classList.toggle("on", at < entry.value)));
    return element("span", "knob levels", element("small", "", label), ...bars);
  }

  function chooser(name, label, choices) {
    const made = element("select", "");
    made.setAttribute("aria-label", label);
    made.append(...choices.map((choice) => {
      const option = element("option", "", choice.replaceAll("_", " + ").toLowerCase().replace("fresh + air", "fresh air"));
      option.value = choice;
      return option;
    }));
    made.addEventListener("change", () => turn(name, made.value));
    watch(name, (entry) => {
      made.value = entry.value;
      if (name === "ambient_light") made.style.setProperty("--swatch", COLOURS[entry.value] || "transparent");
    });
    return element("label", `knob chooser ${name === "ambient_light" ? "colour" : ""}`, element("small", "", label), made);
  }

  // --- spots on the picture

  const slider = element("input"), name_ = element("b"), reading = element("output");
  const panel = element("div", "slider", element("p", "", name_, reading), slider);
  let sliding = null;
  slider.type = "range";
  slider.max = 100;
  slider.step = 5;
  panel.append(element("p", "", ...[["closed", 0], ["half", 50], ["open", 100]].map(([text, value]) => button(text, "", () => turn(sliding, value)))));
  panel.popover = "auto";
  slider.addEventListener("input", () => { reading.textContent = `${slider.value} %`; });
  slider.addEventListener("change", () => turn(sliding, Number(slider.value)));

  function slide(name, label, spot) {
    sliding = name;
    name_.textContent = label;
    slider.setAttribute("aria-label", label);
    slider.value = valueOf(name) ?? 0;
    reading.textContent = values[name]?.text || "";
    panel.showPopover();
    const box = spot.getBoundingClientRect(), own = panel.getBoundingClientRect();
    panel.style.left = `${clamp(box.left + box.width / 2 - own.width / 2, 8, innerWidth - own.width - 8)}px`;
    const picture = spots.getBoundingClientRect();
    const above = box.top + box.height / 2 < picture.top + picture.height / 2;
    panel.style.top = `${clamp(above ? box.top - own.height - 8 : box.bottom + 8, 8, innerHeight - own.height - 8)}px`;
    slider.focus();
  }

  function spotOf([name, label, kind, left, top, width, height]) {
    const spot = button("", "spot", () => {
      if (kind === "percent") slide(name, label, spot);
      else turn(name, NEXT[kind](valueOf(name)));
    });
    Object.assign(spot.style, { left: `${left}%`, top: `${top}%`, width: `${width}%`, height: `${height}%` });
    watch(name, (entry) => {
      spot.setAttribute("aria-label", `${label}: ${entry.text}`);
      spot.title = `${label}: ${entry.text}`;
      if (sliding === name && panel.matches(":popover-open")) {
        slider.value = entry.value;
        reading.textContent = entry.text;
      }
    });
    spot.dataset.name = name;
    return spot;
  }

  const spots = root.querySelector(".spots"), strip = root.querySelector(".knobs");
  spots.append(...SPOTS.map(spotOf));
  strip.append(...STRIP.map(([name, label, kind]) => knob(name, label, kind)));
  root.append(panel);
  let away = "";  // why the car hears nothing, or ""
  function usable() {
    const why = lane.app.blocked || away;
    strip.title = why;
    for (const each of root.querySelectorAll(".spots button, .knobs button, .knobs select")) each.disabled = Boolean(why);
  }
  lane.app.on("usable", usable);
  usable();

  return {
    usable(why) { away = why; usable(); },
    /** Show those values of the car that are new; those in `fresh` flash. */
    show(now, names, fresh) {
      values = now;
      for (const name of names) for (const show of shown[name] || []) show(now[name]);
      for (const name of fresh) {
        for (const spot of spots.querySelectorAll(`[data-name="${name}"]`)) flash(spot);
      }
    },
  };
}

function flash(spot) {
  spot.classList.remove("fresh");
  void spot.offsetWidth;  // begins the animation again
  spot.classList.add("fresh");
  spot.addEventListener("animationend", () => spot.classList.remove("fresh"), { once: true });
}
