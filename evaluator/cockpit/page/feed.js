// Sockets to the server that connect again, and handlers by the kind of message.

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

/** A socket with the token of the page; a frame is a message or a list of them. `onLink` gets "connected" or "lost"; close() ends it. */
export function openSocket(path, onMessage, onLink = () => {}) {
  let socket = null, patience = 250, wanted = true;
  function connect() {
    const scheme = location.protocol === "https:" ? "wss:" : "ws:";
    const query = new URLSearchParams(location.search);
    query.set("token", token);
    socket = new WebSocket(`${scheme}//${location.host}${path}?${query}`);
    socket.onopen = () => { patience = 250; onLink("connected"); };
    socket.onmessage = (event) => [JSON.parse(event.data)].flat().forEach((each) => onMessage(each));
    socket.onclose = () => {
      if (!wanted) return;
      onLink("lost");
      setTimeout(connect, patience);
      patience = Math.min(patience * 2, 4000);
    };
  }
  connect();
  return {
    send(message) {
      if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
    },
    close() { wanted = false; socket.close(); },
  };
}
