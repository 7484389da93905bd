// Who spoke and who thought in the last seconds: two rows on one time axis that moves on.

import { calm, element } from "../dom.js";

const SECONDS = 30;  // what is visible
const SHOWN = { speaking: "speaking", thinking: "thinking" };

export function mountStrip(root, lane) {
  const tracks = { driver: element("div", "row-of driver"), assistant: element("div", "row-of assistant") };
  const moving = element("div", "moving", tracks.driver, tracks.assistant);
  const strip = element("div", "strip", moving);
  strip.setAttribute("aria-hidden", "true");
  root.append(strip);
  const began = performance.now();
  const open = {};      // the block that grows, by person
  let running = false, lastMs = 0;

  const at = (ms) => `${((ms - began) / 1000 / SECONDS) * 100}%`;

  function status({ who, doing, past }) {
    if (past || !tracks[who]) return;
    close(who);
    lastMs = performance.now();
    if (SHOWN[doing]) {
      const block = element("i", doing);
      block.style.left = at(lastMs);
      tracks[who].append(block);
      open[who] = { block, since: lastMs };
    }
    if (!running) { running = true; requestAnimationFrame(go); }
  }

  function close(who) {
    if (!open[who]) return;
    grow(open[who], performance.now());
    open[who] = null;
  }

  const grow = ({ block, since }, now) => { block.style.width = `${((now - since) / 1000 / SECONDS) * 100}%`; };

  // Nothing moves once all that was said has left the strip.
  function go() {
    const now = performance.now();
    for (const each of Object.values(open)) if (each) grow(each, now);
    moving.style.transform = `translateX(calc(100% - ${at(now)}))`;
    if (Object.values(open).every((each) => !each) && now - lastMs > SECONDS * 1000) {
      for (const track of Object.values(tracks)) track.replaceChildren();
      running = false;
      return;
    }
    if (calm.matches) setTimeout(go, 500);
    else requestAnimationFrame(go);
  }

  lane.onHello(() => {
    for (const who of Object.keys(tracks)) { open[who] = null; tracks[who].replaceChildren(); }
  });
  lane.on("status", status);
}
