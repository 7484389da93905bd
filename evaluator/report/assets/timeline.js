// Who spoke and worked when: a row for driver, agent and car, drawn as wide as there is room.
import { make, markOf } from "./elements.js";

const LEFT = 48;
const RIGHT = 14;
const FIRST = 26;
const BETWEEN = 10;
const LOW = 14;
const HIGH = 40; // with waveforms
const TICKS = [1, 2, 5, 10, 20, 30, 60, 120];

// `point(ms)` moves the mark of the moment; `onseek` gets the moment that was clicked; `hear(voices)` draws what was said.
export function timeline(lines, speech, end, timed, onseek) {
  const node = make("div", { class: "timeline-place" });
  let wide = 0;
  let at = end;
  let needle = null;
  let voices = null;
  let high = LOW;
  let row = rows();
  const x = (ms) => LEFT + (ms / end) * (wide - LEFT);

  function rows() {
    return { driver: FIRST, agent: FIRST + high + BETWEEN, call: FIRST + 2 * (high + BETWEEN) };
  }

  function hear(found) {
    voices = found;
    high = HIGH;
    row = rows();
    if (wide) draw();
  }

  function draw() {
    const waves = voices ? [waveform("driver", 0), waveform("agent", 1), ...voices.together.map(overlap)] : [];
    const parts = [...axes(), ...speech.map(bar), ...waves, ...lines.map(mark)].filter(Boolean);
    needle = make("svg:line", { class: "needle", y1: 6, y2: row.call + 22 });
    const svg = make("svg:svg", {
      class: voices ? "timeline heard" : "timeline", viewBox: `0 0 ${wide + RIGHT} ${row.call + 38}`, role: "img", "aria-label": "Who spoke and worked when",
      onclick: (event) => {
        const box = svg.getBoundingClientRect();
        const place = ((event.clientX - box.left) / box.width) * (wide + RIGHT);
        onseek(((place - LEFT) / (wide - LEFT)) * end);
      },
    }, parts, needle);
    node.replaceChildren(svg);
    node.parentElement.style.setProperty("--timeline-left", `${(LEFT / (wide + RIGHT)) * 100}%`);
    node.parentElement.style.setProperty("--timeline-right", `${(RIGHT / (wide + RIGHT)) * 100}%`);
    point(at);
  }

  const middle = (name) => row[name] + (name === "call" ? LOW : high) / 2;

  // A stroke for each pixel, as high as the voice is loud there.
  function waveform(who, channel) {
    const strokes = voices.levels(channel, 0, end, Math.round(wide - LEFT)).map((level, index) => {
      const size = (level / voices.loudest) * (high / 2);
      return size < 0.5 ? "" : `M${LEFT + index + 0.5} ${(middle(who) - size).toFixed(1)}v${(2 * size).toFixed(1)}`;
    });
    return make("svg:path", { class: `wave ${who}`, d: strokes.join("") });
  }

  function overlap([from, to]) {
    return make("svg:rect", { class: "overlap", x: x(from), y: row.driver - 2, width: Math.max(2, x(to) - x(from)), height: 2 * high + BETWEEN + 4 },
      make("svg:title", {}, `both are heard for ${((to - from) / 1000).toFixed(2)} s`));
  }

  function axes() {
    const parts = [["driver", "driver"], ["agent", "agent"], ["call", "car"]].map(([name, label]) => [
      make("svg:text", { x: 0, y: middle(name) + 4 }, label),
      make("svg:line", { class: "axis", x1: LEFT, x2: wide, y1: middle(name), y2: middle(name) }),
    ]).flat();
    const every = TICKS.find((each) => end / 1000 / each <= wide / 75) || 300;
    for (let tick = 0; tick * 1000 <= end; tick += every) {
      const label = timed ? `${tick} s` : tick ? `${tick}` : "message";
      parts.push(make("svg:text", { x: x(tick * 1000), y: row.call + 34, "text-anchor": tick ? "middle" : "start" }, label));
    }
    return parts;
  }

  function bar({ who, from, to, limit, text }) {
    if (who === "wait") {
      if (!timed) return null;
      return make("svg:line", { class: `wait ${markOf(to - from, limit)}`, x1: x(from), x2: x(to), y1: middle("agent"), y2: middle("agent") }, make("svg:title", {}, text));
    }
    return make("svg:rect", { class: who, x: x(from), y: row[who], width: Math.max(2, x(to) - x(from)), height: high, rx: 3 }, make("svg:title", {}, text));
  }

  function mark([ms, , what, text, , detail]) {
    const titled = (tag, attributes, title) => make(`svg:${tag}`, attributes, make("svg:title", {}, title));
    switch (what) {
      case "call":
        return titled("rect", { class: "call", x: x(ms) - 1.5, y: row.call, width: 3, height: 14, rx: 1 }, detail.tool);
      case "reply":
        return detail && detail.status !== "SUCCESS"
          ? titled("circle", { class: "refused", cx: x(ms), cy: row.call + 7, r: 5 }, `${detail.status || "no reply"} ${detail.error || ""}`) : null;
      case "state":
        return titled("circle", { class: "agent", cx: x(ms), cy: row.call + 7, r: 4 }, detail.map(([name]) => name).join(", "));
      case "breach":
        return titled("path", { class: "breach", d: `M${x(ms)} 20l-6 -11h12z` }, text);
      case "fault":
      case "by_hand":
        return titled("path", { class: "event", d: `M${x(ms)} ${row.call - 3}l-5 -9h10z` }, text);
      default:
        return null;
    }
  }

  function point(ms) {
    at = ms;
    if (!needle) return;
    needle.setAttribute("x1", x(ms));
    needle.setAttribute("x2", x(ms));
  }

  new ResizeObserver(() => {
    const room = Math.min(1100, Math.max(260, node.clientWidth - RIGHT));
    if (room === wide || !node.clientWidth) return;
    wide = room;
    draw();
  }).observe(node);
  return { node, point, hear };
}
