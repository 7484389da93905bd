// What was said, to hear again: the driver on the left channel, the assistant on the right.
const HOP_MS = 10;
const AUDIBLE = 0.0056; // -45 dBFS, as runs measure it
const PAUSE_HOPS = 20; // shorter pauses belong to the speech around them
const FASTEST = 2;

// Reads a FLAC file in base64. Rejects with an error if the browser cannot.
export async function voicesOf(flac) {
  const bytes = Uint8Array.from(atob(flac), (char) => char.charCodeAt(0));
  const rate = (bytes[18] << 12) | (bytes[19] << 4) | (bytes[20] >> 4);
  return voicesIn(await new OfflineAudioContext(2, 1, rate).decodeAudioData(bytes.buffer));
}

// `levels(channel, from, to, count)` are the peaks of parts of equal length, times in ms; `play(ms, speed)` and
// `stop()` are for ears; `together` is when both were audible, in ms.
export function voicesIn(buffer) {
  const perMs = buffer.sampleRate / 1000;
  const channels = [0, 1].map((number) => buffer.getChannelData(number));
  let context = null;
  let source = null;

  function levels(channel, from, to, count) {
    const samples = channels[channel];
    const step = ((to - from) / count) * perMs;
    return Array.from({ length: count }, (_, part) => peak(samples, from * perMs + part * step, from * perMs + (part + 1) * step));
  }

  function play(ms, speed) {
    stop();
    if (speed > FASTEST) return;
    context ??= new AudioContext();
    context.resume();
    source = new AudioBufferSourceNode(context, { buffer, playbackRate: speed });
    source.connect(context.destination);
    source.start(0, Math.max(0, ms / 1000));
  }

  function stop() {
    if (source) source.stop();
    source = null;
  }

  const loudest = Math.max(0.01, ...channels.map((samples) => peak(samples, 0, samples.length)));
  const audible = channels.map((samples) => speech(samples, perMs));
  const together = stretches(audible[0].map((yes, hop) => yes && audible[1][hop]));
  return { levels, play, stop, loudest, together, fastest: FASTEST, audible: audible.map(stretches) };
}

function peak(samples, from, to) {
  let most = 0;
  for (let index = Math.floor(from), last = Math.min(samples.length, Math.ceil(to)); index < last; index += 1) {
    most = Math.max(most, Math.abs(samples[index]));
  }
  return most;
}

// For each hop whether the voice is audible.
function speech(samples, perMs) {
  const hop = Math.round(HOP_MS * perMs);
  const hops = [];
  let last = -Infinity;
  for (let start = 0; start < samples.length; start += hop) {
    let energy = 0;
    for (let index = start; index < Math.min(start + hop, samples.length); index += 1) energy += samples[index] ** 2;
    const loud = energy / hop >= AUDIBLE ** 2;
    if (loud && hops.length - last <= PAUSE_HOPS) hops.fill(true, Math.max(0, last));
    if (loud) last = hops.length;
    hops.push(loud);
  }
  return hops;
}

function stretches(hops) {
  const found = [];
  for (const [hop, yes] of hops.entries()) {
    if (yes && !hops[hop - 1]) found.push([hop * HOP_MS, hop * HOP_MS]);
    if (yes) found[found.length - 1][1] = (hop + 1) * HOP_MS;
  }
  return found;
}
