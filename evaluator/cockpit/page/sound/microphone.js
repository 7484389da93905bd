// A person at the microphone: held, the button is for talking; pressed shortly, the microphone stays open and notices who speaks.

import { byId } from "../dom.js";
import { openSocket } from "../feed.js";

const BLOCK_MS = 20;
const HOLD_MS = 250;
const BEFORE_BLOCKS = 25;  // that were heard before it was clear that somebody speaks
const BEGIN_BLOCKS = 4;    // that are loud one after the other
const QUIET_MS = 800;      // after which an utterance is over
const LEAST = 0.01, ABOVE_NOISE = 3;
const JITTER_MS = 100;

export function mountMicrophone(app) {
  const knob = byId("mic");
  let mode = "off";          // off, held, open
  let pressing = 0, talking = false;
  let microphone = null, socket = null;
  let before = [], noise = LEAST, loud = 0, quietMs = 0, following = 0;

  const tell = (text) => app.receive({ kind: "trouble", lane: "a", text });

  async function ready() {
    socket ??= openSocket("/microphone", (message) => app.receive({ lane: "a", ...message }));
    microphone ??= capture(block);
    try {
      await microphone;
    } catch (error) {
      microphone = null;
      show("off");
      tell(`This page may not hear: ${error.message}`);
    }
  }

  function show(next) {
    mode = next;
    if (mode === "off") end(0);
    knob.setAttribute("aria-pressed", String(mode !== "off"));
    knob.title = mode === "open" ? "Close the microphone" : "Hold to talk; press shortly to leave the microphone open";
  }

  async function begin() {
    if (talking || app.silent) return;
    talking = true;
    const { rate } = await microphone;
    knob.classList.add("talking");
    socket.send({ kind: "begin", rate });
    for (const each of before.splice(0)) send(each, rate);
  }

  function end(agoMs) {
    if (!talking) return;
    talking = false;
    knob.classList.remove("talking");
    socket.send({ kind: "end", ago_ms: agoMs });
  }

  function send({ samples, from }, rate) {
    socket.send(samples.buffer);
    for (const { lane } of app.hello.lanes) app.receive({ kind: "voice", lane, who: "driver", from, samples, perMs: rate / 1000 });
  }

  function block(samples, rate) {
    const now = performance.now() - BLOCK_MS, isNext = Math.abs(now - following) < JITTER_MS;
    const heard = { samples, from: isNext ? following : now };  // messages come a little early or late
    following = heard.from + BLOCK_MS;
    const level = Math.sqrt(samples.reduce((sum, each) => sum + (each / 32768) ** 2, 0) / samples.length);
    const isLoud = level > Math.max(LEAST, noise * ABOVE_NOISE);
    noise += (level - noise) * (level < noise ? 0.2 : 0.002);
    loud = isLoud ? loud + 1 : 0;
    quietMs = isLoud ? 0 : quietMs + BLOCK_MS;
    if (talking && knob.classList.contains("talking")) send(heard, rate);
    else before = [...before, heard].slice(-BEFORE_BLOCKS);
    if (mode === "open" && !talking && loud >= BEGIN_BLOCKS) begin();
    if (mode === "open" && talking && quietMs >= QUIET_MS) end(QUIET_MS);
  }

  knob.addEventListener("pointerdown", (event) => {
    knob.setPointerCapture(event.pointerId);
    ready();
    if (mode === "open") return;
    pressing = setTimeout(async () => {
      pressing = 0;
      show("held");
      await ready();
      if (mode === "held") begin();
    }, HOLD_MS);
  });
  knob.addEventListener("pointerup", () => {
    if (mode === "held") show("off");
  });
  knob.addEventListener("click", async () => {
    const isShort = pressing || mode === "open" || !microphone;
    clearTimeout(pressing);
    pressing = 0;
    if (!isShort) return;
    show(mode === "open" ? "off" : "open");
    await ready();
  });
  knob.addEventListener("pointercancel", () => show("off"));
  app.on("hello", ({ heard }) => {
    knob.hidden = !heard;
    knob.disabled = !navigator.mediaDevices;
    if (knob.disabled) knob.title = "Browsers give a microphone only to addresses of this machine, such as 127.0.0.1";
  });
  show("off");
}

/** `onBlock` gets 20 ms of samples and their rate, again and again. */
async function capture(onBlock) {
  const stream = await navigator.mediaDevices.getUserMedia({ audio: { channelCount: 1, echoCancellation: true, noiseSuppression: true } });
  const context = new AudioContext();
  await context.audioWorklet.addModule("/page/sound/worklet.js");
  const blocks = new AudioWorkletNode(context, "blocks", { channelCount: 1, channelCountMode: "explicit", numberOfOutputs: 0 });
  blocks.port.onmessage = ({ data }) => onBlock(data, context.sampleRate);
  context.createMediaStreamSource(stream).connect(blocks);
  return { rate: context.sampleRate };
}
