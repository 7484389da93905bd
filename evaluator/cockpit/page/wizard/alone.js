// The page of a person who takes part in a run: one seat, without the other views.

import { byId } from "../dom.js";
import { Handlers, openSocket, token } from "../feed.js";
import { mount } from "../wizard.js";

const LINKS = { connected: "connected", lost: "the run is over, or its page cannot be reached" };
const SEATS = { assistant: "you are the assistant", driver: "you are the driver" };
const handlers = new Handlers();

globalThis.cockpit = {
  token,
  hello: null,
  view: "wizard",
  on: (kind, handler) => handlers.on(kind, handler),
  openSocket: (path, receive) => openSocket(path, (message) => {
    if (message.kind === "hello") {
      byId("agent").textContent = SEATS[message.seat];
      document.title = `${SEATS[message.seat]} – codriver run`;
    }
    receive(message);
  }, (link) => {
    document.body.dataset.link = link;
    byId("link").textContent = LINKS[link];
  }),
  aloud: (text) => { byId("aloud").textContent = text; },
};
mount(byId("wizard"), globalThis.cockpit);
