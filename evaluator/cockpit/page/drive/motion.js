// Lets the car drive its route, or stand, with a speed factor: how many times as far it drives in the same time.

import { button, element } from "../dom.js";

const FACTORS = [1, 2, 5, 10, 20, 60];

export function mountMotion(root, lane) {
  const factor = element("select"), drives = button("", "drives", () => { show(!driving()); send(); });
  const box = element("div", "motion", drives, factor);
  factor.setAttribute("aria-label", "Speed factor");
  factor.title = "Speed factor: how many times as far in the same time, at the same speed";
  factor.append(...FACTORS.map(option));
  factor.addEventListener("change", () => { if (driving()) send(); });
  root.append(box);

  const driving = () => drives.getAttribute("aria-pressed") === "true";
  const send = () => lane.send({ kind: "motion", on: driving(), speed_factor: Number(factor.value) });

  function show(on) {
    drives.setAttribute("aria-pressed", String(on));
    drives.textContent = on ? "Stop driving" : "Let it drive";
  }

  function motion(message) {
    show(message.on);
    const value = String(message.speed_factor);
    if (![...factor.options].some((each) => each.value === value)) factor.append(option(message.speed_factor));
    factor.value = value;
  }

  function usable() {
    for (const each of [drives, factor]) each.disabled = Boolean(lane.app.blocked);
  }

  lane.onHello((hello) => show(Boolean(hello.motion)));
  lane.on("motion", motion);
  lane.on("usable", usable);
  usable();
}

const option = (times) => new Option(`${times} × speed`, times);
