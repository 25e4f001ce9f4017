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
