// A person takes part: plays the assistant, or in a run the driver.

import { element } from "./dom.js";
import { mountAssistant } from "./wizard/assistant.js";
import { mountDriver } from "./wizard/driver.js";

const SEATS = { assistant: mountAssistant, driver: mountDriver };

export function mount(root, app) {
  let seat = null;
  const socket = app.openSocket("/wizard", (message) => {
    if (message.kind === "hello") {  // also after a lost connection: everything is shown again
      root.replaceChildren();
      seat = SEATS[message.seat]?.(root, app, (answer) => socket.send(answer));
      if (!seat) root.append(element("p", "empty", "No person takes part in this session."));
      return;
    }
    seat?.receive(message);
  });
}
