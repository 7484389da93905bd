// All values of the car as text, in their groups.

import { element } from "../dom.js";
import { COLOURS } from "./colours.js";

export function mountValues(root, lane) {
  const groups = element("div", "groups");
  root.append(groups);
  let rows = {}, moving = new Set();

  function reset(hello) {
    rows = {};
    moving = new Set();
    groups.replaceChildren(...(hello.groups || []).map((group) => {
      const box = element("div", "value-group"), list = element("dl");
      for (const [name, label, moves, noun] of group.rows) {
        const row = element("div", "", element("dt", "", label), element("dd", "", "–"));
        row.dataset.name = name;
        row.title = noun[0].toUpperCase() + noun.slice(1);
        row.hidden = true;
        if (moves) moving.add(name);
        rows[name] = row;
        list.append(row);
      }
      box.hidden = true;
      box.append(element("h3", "", group.title), list);
      return box;
    }));
  }

  function changed(message) {
    for (const [name, entry] of Object.entries(message.values)) {
      const row = rows[name];
      if (!row) continue;
      const shown = row.lastChild;
      shown.textContent = entry.text;
      row.hidden = row.closest(".value-group").hidden = false;
      if (name === "ambient_light" && COLOURS[entry.value]) {
        const swatch = element("span", "swatch");
        swatch.style.background = COLOURS[entry.value];
        shown.prepend(swatch);
      }
      if (!message.first && entry.before && !moving.has(name)) row.classList.add("changed");
    }
  }

  lane.onHello(reset);
  lane.on("changed", changed);
  lane.on("began", () => { for (const row of Object.values(rows)) row.classList.remove("changed"); });
}
