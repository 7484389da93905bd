// The latency meter of one lane: the time to first speech against the budget, with its history,
// and what driver and assistant are doing.

import { byId, element, fragment, markOf, seconds } from "../dom.js";
import { mountStrip } from "./strip.js";

const LAYOUT = `
<div class="people" aria-live="off">
<span class="person" data-who="driver" data-doing=""><i></i><b>Driver</b><span></span></span>
<span class="person" data-who="assistant" data-doing=""><i></i><b>Assistant</b><span></span></span>
</div>
<div class="meter" data-mark="idle">
<div class="reading"><output aria-live="off">–</output><span class="caption">to first speech</span></div>
<div class="track">
<div class="scale"><i class="fill"></i><u class="soft"></u><u class="hard"></u><b class="effect" hidden title="Effect in the car"></b></div>
<div class="limits" aria-hidden="true"></div>
</div>
<figure class="past"><ol aria-label="Time to first speech in earlier turns"></ol><figcaption>last turns, in s</figcaption></figure>
<p class="legend"><i class="ok"></i><i class="soft"></i><i class="hard">then too late</i><i class="acted">effect in the car</i><span class="budget"></span></p>
</div>`;
const SHOWN = 6;
const NO_LIMIT = { soft: 1.5, hard: 3, text: "" };

export function mountMeter(root, lane) {
  root.append(fragment(LAYOUT));
  mountStrip(root.querySelector(".people"), lane);
  const find = (selector) => root.querySelector(`.meter ${selector}`);
  const meter = root.querySelector(".meter");
  let limit = NO_LIMIT, since = null, waiting = false, number = 0;

  const scaleEnd = () => limit.hard * 1.35;
  const share = (s) => `${Math.min(100, (s / scaleEnd()) * 100)}%`;
  const against = (s) => markOf(s * 1000, [limit.soft, limit.hard]);

  function limitOf(turn) {
    const { limits, turn_classes: classes } = lane.app.hello;
    return limits[classes[Math.min(Math.max(turn, 1), classes.length) - 1]];
  }

  function drawLimits(given) {
    limit = given || NO_LIMIT;
    for (const name of ["soft", "hard"]) find(`u.${name}`).style.left = share(limit[name]);
    find(".legend .ok").textContent = `good up to ${limit.soft} s`;
    find(".legend .soft").textContent = `slow up to ${limit.hard} s`;
    find(".budget").textContent = limit.text;
    find(".limits").replaceChildren(...["soft", "hard"].map((name) => {
      const made = element("span", "", `${limit[name]} s`);
      made.style.left = share(limit[name]);
      return made;
    }));
  }

  function read(s, mark, caption = "to first speech") {
    meter.dataset.mark = mark;
    meter.classList.remove("silent");
    find("output").textContent = `${s.toFixed(2)} s`;
    find(".fill").style.setProperty("--share", share(s));
    find(".caption").textContent = caption;
  }

  function reset() {
    find(".past ol").replaceChildren();
    find("output").textContent = "–";
    find(".fill").style.setProperty("--share", "0%");
    find(".effect").hidden = true;
    meter.dataset.mark = "idle";
    waiting = false;
    number = 0;
    drawLimits(limitOf(1));
    for (const person of root.querySelectorAll(".person")) person.dataset.doing = "";
  }

  function began(message) {
    since = message.since_ms === undefined ? null : performance.now() - message.since_ms;
    waiting = since !== null;
    find(".effect").hidden = true;
    drawLimits(limitOf(message.turn));
    if (waiting) requestAnimationFrame(tick);
  }

  function tick(now) {
    if (!waiting) return;
    const s = Math.max(0, (now - since) / 1000);
    read(s, against(s));
    requestAnimationFrame(tick);
  }

  function heard(message) {
    if (message.past) return;
    waiting = false;
    const s = message.after_ms / 1000;
    read(s, against(s));
  }

  function silent() {
    waiting = false;
    meter.dataset.mark = "hard";
    meter.classList.add("silent");
    find("output").textContent = "no reply";
    find(".caption").textContent = "the assistant said nothing";
    find(".fill").style.setProperty("--share", "100%");
  }

  // The driver interrupted before the first word.
  function cut() {
    meter.dataset.mark = "idle";
    find("output").textContent = "–";
    find(".caption").textContent = "cut before the first word";
    find(".fill").style.setProperty("--share", "0%");
  }

  function turnOver(message) {
    const first = message.spans_ms.upl, effect = message.spans_ms.effect_latency;
    const mark = message.verdict.first_speech;
    waiting = false;
    drawLimits(lane.app.hello.limits[message.turn_class] || limit);
    if (first == null && mark === "n/a") cut();
    else if (first == null) silent();
    else read(first / 1000, mark);
    find(".effect").hidden = !effect;
    if (effect) find(".effect").style.left = share(effect / 1000);
    remember(first, mark);
  }

  function remember(first, mark) {
    number += 1;
    const past = find(".past ol"), turn = element("li", mark), bar = element("i");
    const silence = mark === "missing" || mark === "hard" ? Infinity : 0;
    bar.style.height = `${Math.min(100, ((first ?? silence) / (scaleEnd() * 1000)) * 100)}%`;
    turn.append(element("span", "", first == null ? "–" : (first / 1000).toFixed(1)), bar, element("small", "", String(number)));
    turn.title = `turn ${number}: first speech after ${seconds(first)}`;
    past.append(turn);
    while (past.children.length > SHOWN) past.firstChild.remove();
  }

  function over() {
    if (waiting) silent();
  }

  function status(message) {
    const person = root.querySelector(`.person[data-who="${message.who}"]`);
    person.dataset.doing = message.doing;
    person.lastChild.textContent = message.doing === "idle" ? "" : message.doing;
    if (lane.name === "a") byId("drive").dataset[message.who] = message.doing;
  }

  const SHOW = { began, heard, turn: turnOver, over, status };
  lane.onHello(reset);
  for (const [kind, handler] of Object.entries(SHOW)) lane.on(kind, handler);
}
