// chrome-remote-interface, doing the same work: node cri.mjs (resume|condition|bare) SCRIPT LINE EXPRESSION
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { resolve } from "node:path";

const CDP = createRequire(import.meta.url)("chrome-remote-interface");
const [way, script, line, expression] = process.argv.slice(2);
const child = spawn(process.execPath, ["--inspect-brk=0", script], { stdio: ["ignore", "ignore", "pipe"] });
const ended = new Promise((done) => child.on("exit", done));
const target = await new Promise((found) => {
  let text = "";
  child.stderr.on("data", (chunk) => {
    text += chunk;
    const url = /Debugger listening on (ws:\S+)/.exec(text);
    if (url) found(url[1]);
  });
});
const client = await CDP({ target, local: true });
const { Debugger, Runtime } = client;
const results = [];
await client.send("NodeRuntime.notifyWhenWaitingForDisconnect", { enabled: true });
client.on("NodeRuntime.waitingForDisconnect", () => client.close());
const url = pathToFileURL(resolve(script)).href;
const where = { url, lineNumber: Number(line) - 1 };
if (way === "condition") {
  await Runtime.addBinding({ name: "record" });
  client.on("Runtime.bindingCalled", ({ payload }) => results.push(JSON.parse(payload)));
  where.condition = `record(JSON.stringify(${expression})),false`;
}
if (way === "bare") where.condition = "false";
await Debugger.enable();
await Debugger.setBreakpointByUrl(where);
Debugger.paused(async ({ hitBreakpoints, callFrames }) => {
  if (hitBreakpoints?.length && way === "resume") {
    const callFrameId = callFrames[0].callFrameId;
    const { result } = await Debugger.evaluateOnCallFrame({ callFrameId, expression: `JSON.stringify(${expression})` });
    results.push(JSON.parse(result.value));
  }
  await Debugger.resume();
});
await Runtime.runIfWaitingForDebugger();
await ended;
console.log(results.length);
