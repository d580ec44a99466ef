// An MCP server with a resource that changes ten times per second once a client has subscribed to it.
const { createInterface } = require("node:readline");

const uri = "counter://value";
let value = 0;

const send = (message) => console.log(JSON.stringify({ jsonrpc: "2.0", ...message }));

function count() {
  value += 1;
  send({ method: "notifications/resources/updated", params: { uri } });
}

const methods = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { resources: { subscribe: true } },
    serverInfo: { name: "counter", version: "1.0.0" },
  }),
  "resources/read": () => ({ contents: [{ uri, text: String(value) }] }),
  "resources/subscribe": () => setInterval(count, 100) && {},
};

function respond({ id, method, params }) {
  if (id === undefined) return;
  const run = methods[method];
  send(run ? { id, result: run(params) } : { id, error: { code: -32601, message: "Method not found" } });
}

createInterface({ input: process.stdin })
  .on("line", (line) => respond(JSON.parse(line)))
  .on("close", () => process.exit());
