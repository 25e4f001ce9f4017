// @ts-check
/** An app whose tools do what tests of terminals need. */

import { BusError, exposeTool } from "../../../../app/index.js";

const ANY = { type: "object" };
const READS = { readOnlyHint: true };
const BYTES = 300_000;

/** How the last long call ended. */
let ended = "not yet";

exposeTool(
  "bench_wait",
  { description: "Reports progress, and ends when it is given up", annotations: READS },
  (_input, { reportProgress, signal }) => {
    ended = "not yet";
    reportProgress({ phase: "waiting", completed: 1 });
    return new Promise((_resolve, reject) => {
      signal.addEventListener("abort", () => {
        ended = "given up";
        reject(signal.reason);
      });
    });
  },
);
exposeTool(
  "bench_ended",
  { description: "Says how the last long call ended", annotations: READS },
  () => ({ ended }),
);
exposeTool("bench_fail", { description: "Fails", annotations: READS }, () => {
  throw new BusError("TOOL_FAILED", "The bench is broken.");
});
exposeTool(
  "bench_leak",
  { description: "Throws what is its own business", annotations: READS },
  () => {
    throw new Error("secret");
  },
);
exposeTool(
  "bench_picture",
  {
    description: "Gives bytes",
    annotations: {
      ...READS,
      "bascule:attachments": { api: 1, output: { mediaTypes: ["image/png"] } },
    },
  },
  (_input, { replyAttachment }) => {
    replyAttachment(Uint8Array.from({ length: BYTES }, (_, index) => index % 251).buffer);
    return { bytes: BYTES };
  },
);
exposeTool(
  "bench_sum",
  {
    description: "Adds up bytes",
    inputSchema: ANY,
    annotations: { ...READS, "bascule:attachments": { api: 1, input: { required: true } } },
  },
  (_input, { attachment }) => ({
    sum: new Uint8Array(/** @type {ArrayBuffer} */ (attachment)).reduce((a, b) => a + b, 0),
  }),
);
exposeTool("bench_where", { description: "Says who ran it", annotations: READS }, () => ({
  by: "background",
}));
