// Lets the car drive its route, or stand, with a speed factor: how many times as far it drives in the same time.

import { button, element } from "../dom.js";

const FACTORS = [1, 2, 5, 10, 20, 60];
const FASTER = "Speed factor: how many times as far in the same time, at the same speed";
const OVER = "The task is over. Restart plays it again.";
const ASK = "The car has no route. Ask for one first: “Take me to …”.";

/** The two controls as one element. */
export function mountMotion(lane) {
  const factor = element("select"), drives = button("", "drives", () => { on = !on; show(); send(); });
  const box = element("div", "motion", drives, factor);
  let on = false, ahead = false, there = false;  // whether it may drive, has a route, and is at its end
  factor.setAttribute("aria-label", "Speed factor");
  factor.append(...FACTORS.map(option));
  factor.addEventListener("change", send);

  function send() { lane.send({ kind: "motion", on, speed_factor: Number(factor.value) }); }

  // Nothing can be stopped, and no speed has a meaning, as long as the car has nowhere to drive.
  function show() {
    const over = lane.app.hello?.state === "over" ? OVER : "";
    const blocked = lane.app.blocked || over || (ahead ? "" : ASK), driving = on && ahead && !over;
    drives.setAttribute("aria-pressed", String(driving));
    drives.textContent = driving ? "Stop driving" : ahead ? "Drive the route" : there ? "Arrived" : "No route";
    drives.disabled = Boolean(blocked);
    factor.disabled = Boolean(blocked) || !driving;
    drives.title = blocked || (driving ? "The car brakes and stands" : "The car drives along its route");
    factor.title = blocked || (driving ? FASTER : "The car stands. Let it drive first.");
  }

  function motion(message) {
    on = message.on;
    const value = String(message.speed_factor);
    if (![...factor.options].some((each) => each.value === value)) factor.append(option(message.speed_factor));
    factor.value = value;
    show();
  }

  function route({ points = [], length_km: length, at_km: at }) {
    there = points.length > 0 && length - at < 0.1;
    ahead = points.length > 0 && !there;
    show();
  }

  lane.onHello((hello) => { on = Boolean(hello.motion); ahead = there = false; factor.value = "1"; show(); });
  lane.on("motion", motion);
  lane.on("route", route);
  lane.app.on("usable", show);
  show();
  return box;
}

const option = (times) => new Option(`${times} × speed`, times);
