// Both voices of the cars: their samples come before they are due, are drawn, and are heard once somebody asks for it.

import { byId } from "../dom.js";
import { openSocket } from "../feed.js";

const RATE = 24000;
const AHEAD_MS = 150;  // from the time of a session to the loudspeaker, so that nothing comes too late
const SIDE = { driver: -0.4, agent: 0.4 };
const LOUD_LANE = "a";  // of two cars, in which the driver says the same, one is heard

/**
 * Emits "voice" with {lane, who, from, samples} and "hushed" with {lane, at}; times are those of performance.now().
 */
export function mountHearing(app) {
  const toggle = byId("hear");
  const lanes = new Map();   // conversation, and when its session began
  let sources = [];          // what the assistant still says
  let context = null, socket = null;
  let clock = 0;             // of the context, when that of the page is at zero

  function take(bytes) {
    const end = new Uint8Array(bytes).indexOf(10);
    const about = JSON.parse(new TextDecoder().decode(bytes.slice(0, end)));
    const began = beganAt(about);
    if (about.stop_ms !== undefined) return hush(about.lane, began + about.stop_ms);
    const samples = new Int16Array(bytes.slice(end + 1)), from = began + about.at_ms;
    app.receive({ kind: "voice", lane: about.lane, who: about.who, from, samples });
    if (context && about.lane === LOUD_LANE) play(about.who, samples, from);
  }

  function beganAt({ lane, conversation, at_ms: ms }) {
    if (lanes.get(lane)?.conversation !== conversation) lanes.set(lane, { conversation, began: performance.now() + AHEAD_MS - (ms ?? 0) });
    return lanes.get(lane).began;
  }

  const inContext = (ms) => clock + ms / 1000;

  function play(who, samples, from) {
    const buffer = context.createBuffer(1, samples.length, RATE);
    buffer.getChannelData(0).set(Float32Array.from(samples, (sample) => sample / 32768));
    const source = new AudioBufferSourceNode(context, { buffer });
    source.connect(new StereoPannerNode(context, { pan: SIDE[who] })).connect(context.destination);
    const late = context.currentTime - inContext(from);
    source.start(Math.max(0, inContext(from)), Math.max(0, late));
    if (who === "agent") sources.push(source);
    source.onended = () => { sources = sources.filter((each) => each !== source); };
  }

  function hush(lane, at) {
    app.receive({ kind: "hushed", lane, at });
    if (context && lane === LOUD_LANE) for (const source of sources) source.stop(Math.max(context.currentTime, inContext(at)));
  }

  function loud(on) {
    if (on) {
      context = new AudioContext({ sampleRate: RATE });
      clock = context.currentTime - performance.now() / 1000;
    } else { context.close(); context = null; sources = []; }
    toggle.setAttribute("aria-pressed", String(on));
    toggle.title = on ? "Be quiet" : "Hear both voices";
  }

  toggle.addEventListener("click", () => loud(!context));
  app.on("hello", ({ heard }) => {
    toggle.hidden = !heard;
    if (heard) socket ??= openSocket("/sound", take);
  });
}
