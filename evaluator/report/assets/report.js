// The page of a run: tabs, its units, and a drawer with the conversation of one.
import { make, unitName } from "./elements.js";
import { unitStory } from "./story.js";
import { unitTable } from "./units.js";

const byId = (id) => document.getElementById(id);
const data = JSON.parse(byId("data").textContent);
const units = data.units;

for (const button of document.querySelectorAll("[data-tab]")) {
  button.addEventListener("click", () => {
    for (const other of button.parentElement.children) {
      other.setAttribute("aria-pressed", String(other === button));
      byId(other.dataset.tab).hidden = other !== button;
    }
  });
}

const table = unitTable(units, data.captions, openUnit);
byId("units").append(table.node);

// --- one unit

const dialog = byId("unit");
const unpacked = new Map();
let current = null;

async function unpack(number) {
  if (!unpacked.has(number)) {
    const packed = Uint8Array.from(atob(byId(`block-${number}`).textContent), (c) => c.charCodeAt(0));
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
    unpacked.set(number, JSON.parse(await new Response(stream).text()));
  }
  return unpacked.get(number);
}

async function openUnit(unit) {
  current = unit;
  if (!dialog.open) dialog.showModal();
  if (decodeURIComponent(location.hash) !== `#unit=${unitName(unit)}`) history.replaceState(null, "", `#unit=${unitName(unit)}`);
  const among = neighbours();
  byId("position").textContent = `${among.indexOf(unit) + 1} of ${among.length}`;
  const place = byId("story");
  if (!unit.place) {
    place.replaceChildren(make("h2", {}, unitName(unit)), make("p", { class: "note" }, "No conversation was stored."));
    return;
  }
  const told = (await unpack(unit.place[0]))[unit.place[1]];
  if (current !== unit) return;
  place.replaceChildren(unitStory(unit, told, data.captions));
  dialog.scrollTop = 0;
}

const neighbours = () => (table.shown().includes(current) ? table.shown() : units);
function step(by) {
  const among = neighbours();
  const next = among[among.indexOf(current) + by];
  if (next) openUnit(next);
}
byId("previous").addEventListener("click", () => step(-1));
byId("next").addEventListener("click", () => step(1));
byId("close").addEventListener("click", () => dialog.close());
dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
dialog.addEventListener("close", () => { current = null; byId("story").replaceChildren(); history.replaceState(null, "", location.pathname + location.search); });
dialog.addEventListener("keydown", (event) => {
  if (event.target.matches("input, select")) return;
  if (event.key === "ArrowLeft") step(-1);
  if (event.key === "ArrowRight") step(1);
});

function followHash() {
  const wanted = decodeURIComponent(location.hash);
  const unit = wanted.startsWith("#unit=") && units.find((each) => `#unit=${unitName(each)}` === wanted);
  if (unit && unit !== current) openUnit(unit);
}
window.addEventListener("hashchange", followHash);
followHash();
