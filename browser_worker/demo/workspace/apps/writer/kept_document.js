// @ts-check
/**
 * What the writer's background keeps for its tile: one text, in memory. A frame without an origin has
 * no storage, and a tile that is not shown is not there.
 */

import { BusError } from "../../../../contract/bus_error.js";
import { readEndpointId } from "../../../../contract/bus_names.js";

/** @import { AppRuntime } from "../../../../app/app_runtime.js" */
/** @import { ToolContext } from "../../../../app/exposed_tools.js" */

export const WRITER = "writer";
export const WRITER_BACKGROUND = `app:${WRITER}:background`;
export const KEEP = "document_keep";
export const KEPT = "document_kept";

/** @param {Pick<AppRuntime, "exposeTool">} bus */
export function exposeKeptDocument(bus) {
  /** @type {Uint8Array | null} */
  let kept = null;
  bus.exposeTool(
    KEEP,
    {
      title: "Keep the document",
      description:
        "For the writer's own tile: keep the document, in its own form, while the tile is closed",
      annotations: {
        "bascule:attachments": {
          api: 1,
          input: { required: true, mediaTypes: ["application/json"] },
        },
      },
    },
    (_args, context) => {
      requireOwn(context);
      kept = new Uint8Array(/** @type {ArrayBuffer} */ (context.attachment));
    },
  );
  bus.exposeTool(
    KEPT,
    {
      title: "Kept document",
      description:
        "For the writer's own tile: give the document that was kept last, if there is one",
      outputSchema: {
        type: "object",
        properties: { found: { type: "boolean" } },
        required: ["found"],
        additionalProperties: false,
      },
      annotations: {
        readOnlyHint: true,
        "bascule:attachments": { api: 1, output: { mediaTypes: ["application/json"] } },
      },
    },
    (_args, context) => {
      requireOwn(context);
      // What is sent is gone here: a copy goes.
      if (kept !== null) context.replyAttachment(kept.slice().buffer);
      return { found: kept !== null };
    },
  );
}

/**
 * Another app has the document's own actions; this form of it is nobody's but the writer's.
 *
 * @param {ToolContext} context
 */
function requireOwn({ caller }) {
  if (readEndpointId(caller)?.app === WRITER) return;
  throw new BusError("TOOL_FAILED", "Only the writer's own tile uses this; nothing was done.");
}
