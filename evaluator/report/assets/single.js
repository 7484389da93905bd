// A file with one conversation, or with one comparison.
import { make } from "./elements.js";
import { comparisonView } from "./comparison.js";
import { unitStory } from "./story.js";

const content = JSON.parse(document.getElementById("data").textContent);
document.getElementById("content").append(content.comparison
  ? comparisonView(content.comparison)
  : make("section", { class: "card wide" }, unitStory(content.unit, content.told, content.captions)));
