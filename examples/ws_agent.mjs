// A whole agent in JavaScript: it finds the window that is open and closes it.
//
// npm install                       (in this folder; brings the package ws)
// export CODRIVER_AGENT_TOKEN=secret
// codriver run --agent ws --gateway-port 8765 --task-ids settle_open_window
// CODRIVER_TOKEN=secret node ws_agent.mjs ws://127.0.0.1:8765

import WebSocket from "ws";

const WINDOWS = ["driver", "passenger", "driver_rear", "passenger_rear"];

if (process.argv.length !== 3 || !process.env.CODRIVER_TOKEN) {
  console.error("start me as CODRIVER_TOKEN=… node ws_agent.mjs ws://HOST:PORT");
  process.exit(1);
}

const gateway = new WebSocket(`${process.argv[2]}/agent`, "codriver.agent.v1", {
  headers: { Authorization: `Bearer ${process.env.CODRIVER_TOKEN}` },
});

let sid, turn;
const send = (type, data = {}, cid) => gateway.send(JSON.stringify({ type, sid, turn, cid, data }));

function say(text) {
  send("response.text.delta", { delta: text });
  send("response.done"); // no call in this message: the floor is the driver's again
}

function call(name, args = {}) {
  send("tool.call", { name, arguments: args }, name);
  send("response.done"); // a call in this message: another one is owed after its result
}

function onResult(cid, { output, error }) {
  if (error) return say("The car does not answer.");
  const { status, result } = JSON.parse(output);
  if (status !== "SUCCESS") return say("Sorry, that did not work.");
  if (cid !== "get_vehicle_window_positions") return say("I've closed it.");
  const position = (name) => result[`window_${name}_position`];
  const open = WINDOWS.reduce((a, b) => (position(b) > position(a) ? b : a));
  call("open_close_window", { window: open.toUpperCase(), percentage: 0 });
}

gateway.on("message", (raw) => {
  const { type, sid: session, turn: number, cid, data } = JSON.parse(raw);
  turn = number;
  switch (type) {
    case "session.start":
      sid = session;
      return send("session.ready", { name: "example.mjs" });
    case "input.transcript.final":
      if (/window/i.test(data.text)) return call("get_vehicle_window_positions");
      return say("Sorry, I only know about windows.");
    case "tool.result":
      return onResult(cid, data);
    case "error":
      return console.error(data.message);
  }
});

gateway.on("error", (error) => {
  console.error(`${process.argv[2]}: ${error.message}`); // no gateway there, or a wrong token
  process.exitCode = 1;
});
