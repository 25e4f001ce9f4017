/** The app that calls the other: one call after another, timed where they are made. */

import { callTool, callToolWithAttachment, exposeTool } from "../../bascule/app/index.js";
import { timed } from "./timed.js";

const TARGET = "app:echo:background";

exposeTool(
  "calls",
  {
    description: "Makes trivial calls",
    inputSchema: { type: "object", required: ["samples", "each"] },
  },
  async ({ samples, each }) => ({
    ms: await timed(samples, each, () =>
      callTool({ target: TARGET, name: "echo", arguments: { n: 1 } }),
    ),
  }),
);
exposeTool(
  "transfers",
  {
    description: "Sends bytes there and back",
    inputSchema: { type: "object", required: ["samples", "bytes"] },
  },
  async ({ samples, bytes }) => {
    let attachment = new ArrayBuffer(bytes);
    const call = { target: TARGET, name: "echo_bytes", arguments: {} };
    const ms = await timed(samples, 1, async () => {
      ({ attachment } = await callToolWithAttachment({ ...call, attachment }));
      if (attachment.byteLength !== bytes) throw new Error("the bytes did not come back");
    });
    return { ms };
  },
);
