// Sockets to the server that connect again, and handlers by the kind of message.

import { element } from "./dom.js";

export const token = new URLSearchParams(location.search).get("token") || "";

/** Handlers by kind; a handler that is added later does not get earlier messages. */
export class Handlers {
  #byKind = new Map();

  /** Returns a function that takes the handler away again. */
  on(kind, handler) {
    const known = this.#byKind.get(kind) || [];
    this.#byKind.set(kind, [...known, handler]);
    return () => {
      this.#byKind.set(kind, this.#byKind.get(kind).filter((each) => each !== handler));
    };
  }

  emit(kind, message) {
    for (const handler of this.#byKind.get(kind) || []) handler(message);
  }
}

/**
 * A socket with the token of the page; a frame is a message, a list of them, or bytes. `onLink` gets
 * "connected" or "lost"; close() ends it. It connects again unless the server refuses the page.
 */
export function openSocket(path, onMessage, onLink = () => {}) {
  let socket = null, patience = 250, wanted = true, opened = false;
  function connect() {
    const scheme = location.protocol === "https:" ? "wss:" : "ws:";
    const query = new URLSearchParams(location.search);
    query.set("token", token);
    socket = new WebSocket(`${scheme}//${location.host}${path}?${query}`);
    socket.binaryType = "arraybuffer";
    opened = false;
    socket.onopen = () => { opened = true; patience = 250; onLink("connected"); };
    socket.onmessage = ({ data }) => {
      if (data instanceof ArrayBuffer) onMessage(data);
      else [JSON.parse(data)].flat().forEach((each) => onMessage(each));
    };
    socket.onclose = async () => {
      if (!wanted) return;
      onLink("lost");
      const why = opened ? "" : await refusal();
      if (why) return tellRefused(why);
      setTimeout(connect, patience);
      patience = Math.min(patience * 2, 4000);
    };
  }
  connect();
  return {
    send(message) {
      if (socket.readyState === WebSocket.OPEN) socket.send(message instanceof ArrayBuffer ? message : JSON.stringify(message));
    },
    close() { wanted = false; socket.close(); },
  };
}

/** Why the server refuses this page, or "" if it does not, or cannot be reached. */
async function refusal() {
  const answer = await fetch(location.pathname + location.search).catch(() => null);
  return answer?.status === 403 ? (await answer.text()).trim() : "";
}

function tellRefused(why) {
  if (document.body.classList.contains("refused")) return;
  document.body.classList.add("refused");
  const alert = element("p", "card refusal", `The server refuses this page: ${why}`);
  alert.setAttribute("role", "alert");
  document.body.append(alert);
}
