// @ts-check
/** An app with the real runtime and a few tools; a test reaches the rest of the runtime by `bus`. */

import * as bus from "/app/index.js";

const ANY = { description: "Takes anything.", inputSchema: { type: "object" } };
const waiting = [];
let runs = 0;

bus.exposeTool("echo", ANY, (given) => given);
bus.exposeTool("runs", ANY, () => ({ runs: ++runs }));
bus.exposeTool("hang", ANY, (_given, { signal }) => {
  signal.addEventListener("abort", () => waiting.push("aborted"));
  waiting.push("begun");
  return new Promise(() => {});
});

Object.assign(window, { bus, waiting });

if (location.search === "?early") {
  // The page offers the port when it has loaded, which it has not while its scripts run.
  const call = { target: "app:notes:background", name: "echo", arguments: { early: true } };
  const connected = document.readyState === "complete";
  bus.callTool(call).then((result) => Object.assign(window, { early: { connected, result } }));
}
