// ws_agent.mjs as an MCP client, with the official TypeScript SDK (npm install in this folder):
// it finds the window that is open and closes it.
//
// codriver run --agent mcp --task-ids settle_open_window --agent-command "node examples/mcp_agent.mjs {url}"

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const WINDOWS = ["driver", "passenger", "driver_rear", "passenger_rear"];

const [url] = process.argv.slice(2);
if (!url) {
  console.error("start me as node mcp_agent.mjs URL");
  process.exit(1);
}
const client = new Client({ name: "example", version: "1" });
await client.connect(new StreamableHTTPClientTransport(new URL(url)));
await client.listTools();

const call = (name, args = {}) => client.callTool({ name, arguments: args });
const text = (result) => result.content.at(-1).text;
const isOver = (result) => Boolean(result.structuredContent?.conversation_over);
const say = (message) => call("send_message_to_user", { message });

async function closeWindow() {
  const found = JSON.parse(text(await call("get_vehicle_window_positions")));
  if (found.status !== "SUCCESS") return "Sorry, that did not work.";
  const position = (name) => found.result[`window_${name}_position`];
  const window = WINDOWS.reduce((widest, name) => (position(name) > position(widest) ? name : widest));
  const done = await call("open_close_window", { window: window.toUpperCase(), percentage: 0 });
  return done.isError ? "Sorry, that did not work." : "I've closed it.";
}

let result;
while (!isOver((result = await call("start_conversation")))) {
  while (!isOver(result)) {
    const heard = text(result).toLowerCase();
    result = await say(heard.includes("window") ? await closeWindow() : "Sorry, I only know about windows.");
  }
}
await client.close();
