// The colours of the ambient light, as they look on the page.

export const COLOURS = {
  RED: "#ff3b30", GREEN: "#34c759", BLUE: "#2f7bff", YELLOW: "#ffd60a", WHITE: "#ffffff",
  PINK: "#ff6fae", ORANGE: "#ff9500", PURPLE: "#af52de", CYAN: "#32d1ea",
};
