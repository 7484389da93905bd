// How loud driver and assistant were in the last seconds: two rows on one axis that moves on, marked where both are heard.

import { calm, element } from "../dom.js";

const SECONDS = 20;
const BIN_MS = 20;
const AUDIBLE = 184;   // of 32768, -45 dBFS
const PAUSE_BINS = 5;  // to each side, that belong to the speech around them
const LOUDEST = 12000;
const ROWS = { driver: 0.27, agent: 0.73 };
// A canvas knows no variables of CSS: its own properties carry the colours of the page.
const COLOUR = { driver: "color", agent: "outlineColor", both: "caretColor" };

export function mountVoices(root, lane) {
  const canvas = element("canvas", "voices");
  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-label", "How loud driver and assistant were, and when both");
  canvas.hidden = true;
  root.append(canvas);
  const bins = { driver: new Map(), agent: new Map() };  // the loudest sample by the number of the bin
  const brush = canvas.getContext("2d");
  let running = false;

  function voice({ who, from, samples, perMs = 24 }) {
    const size = Math.round(perMs * BIN_MS);
    for (let start = 0; start < samples.length; start += size) {
      let most = 0;
      for (let at = start; at < Math.min(start + size, samples.length); at += 1) most = Math.max(most, Math.abs(samples[at]));
      bins[who].set(Math.floor((from + start / perMs) / BIN_MS), most);
    }
    if (!running) { running = true; requestAnimationFrame(go); }
  }

  function hushed({ at }) {
    for (const bin of bins.agent.keys()) if (bin * BIN_MS >= at) bins.agent.delete(bin);
  }

  const both = (bin) => bins.driver.has(bin) && bins.agent.has(bin);

  function heard(who, bin) {
    for (let by = -PAUSE_BINS; by <= PAUSE_BINS; by += 1) if (bins[who].get(bin + by) > AUDIBLE) return true;
    return false;
  }

  function draw(now) {
    const { clientWidth: wide, clientHeight: high } = canvas, ratio = devicePixelRatio;
    if (canvas.width !== Math.round(wide * ratio)) { canvas.width = Math.round(wide * ratio); canvas.height = Math.round(high * ratio); }
    const colours = getComputedStyle(canvas), step = wide / ((SECONDS * 1000) / BIN_MS), last = Math.floor(now / BIN_MS);
    brush.setTransform(ratio, 0, 0, ratio, 0, 0);
    brush.clearRect(0, 0, wide, high);
    for (let bin = last - (SECONDS * 1000) / BIN_MS; bin <= last; bin += 1) {
      const x = wide - (last - bin) * step;
      const there = Object.keys(ROWS).filter((who) => bins[who].has(bin));
      if (both(bin - 1) && both(bin) && both(bin + 1) && heard("driver", bin) && heard("agent", bin)) fill("both", 0.4, x - step, 0, step + 0.5, high);
      for (const who of there) {
        const size = Math.max(0.5, Math.min(1, bins[who].get(bin) / LOUDEST) * high * 0.23);
        fill(who, 1, x - step, high * ROWS[who] - size, Math.max(0.8, step - 0.3), 2 * size);
      }
    }
    function fill(colour, alpha, ...box) {
      brush.globalAlpha = alpha;
      brush.fillStyle = colours[COLOUR[colour]];
      brush.fillRect(...box);
    }
  }

  // Nothing moves once all that was said has left the picture.
  function go() {
    const now = performance.now(), oldest = Math.floor(now / BIN_MS) - (SECONDS * 1000) / BIN_MS;
    for (const each of Object.values(bins)) for (const bin of each.keys()) if (bin < oldest) each.delete(bin);
    draw(now);
    running = Object.values(bins).some((each) => each.size > 0);
    if (!running) return;
    if (calm.matches) setTimeout(go, 500);
    else requestAnimationFrame(go);
  }

  lane.onHello(({ heard: isHeard }) => {
    canvas.hidden = !isHeard;
    for (const each of Object.values(bins)) each.clear();
  });
  lane.on("voice", voice);
  lane.on("hushed", hushed);
}
