// @ts-check
/** The kernel's tool by which an app asks for leave ahead of its use. Contract: bus, kernel tools, grants. */

import { BusError } from "../../contract/bus_error.js";
import { readEndpointId } from "../../contract/bus_names.js";
import { MAX_REASON_CHARS } from "./call_prompt.js";

/** @import { CallSource } from "../calls/broker.js" */
/** @import { Invocations } from "../calls/invocations.js" */
/** @import { AppSummary } from "../kernel.js" */
/** @import { KernelTools } from "../tools/kernel_tools.js" */
/** @import { OwnerPolicy } from "./owner_policy.js" */

/** More than a person looks at before a yes. */
const MAX_TOOLS = 16;
/** A tool of an app: the kernel's own, which have dots, make checks of their own. */
const TOOL_NAME = "^[a-z0-9][a-z0-9_-]{0,39}$";

/**
 * @typedef {object} PermissionParts
 * @property {Pick<OwnerPolicy, "request">} policy
 * @property {() => readonly AppSummary[]} apps
 * @property {Pick<Invocations, "via">} invocations
 */

/**
 * @param {KernelTools} tools
 * @param {PermissionParts} parts
 */
export function addPermissionTools(tools, { policy, apps, invocations }) {
  tools.add("permissions.request", {
    description: {
      title: "Ask for permission",
      description:
        "Asks the owner for leave to call tools of another app, or without tools to list them, for as long as the session lasts. Asks nothing where it is allowed already.",
      inputSchema: {
        type: "object",
        properties: {
          target: { type: "string", description: "An app, or one of its endpoints." },
          tools: {
            type: "array",
            items: { type: "string", pattern: TOOL_NAME },
            minItems: 1,
            maxItems: MAX_TOOLS,
            uniqueItems: true,
            description: "Without them: to list the app's tools.",
          },
          reason: {
            type: "string",
            maxLength: MAX_REASON_CHARS,
            description: "Shown to the owner as the app's own words.",
          },
        },
        required: ["target"],
        additionalProperties: false,
      },
      outputSchema: {
        type: "object",
        properties: {
          granted: { type: "boolean" },
          tools: { type: "array", items: { type: "string" } },
          reason: { enum: ["denied", "timeout", "busy", "gone", "others"] },
          retryAfterMs: { type: "integer", description: "When to ask again." },
        },
        required: ["granted", "tools"],
        additionalProperties: false,
      },
      annotations: { readOnlyHint: false, openWorldHint: false },
    },
    asksOwner: true,
    run: async (
      /** @type {{ target: string, tools?: string[], reason?: string }} */ input,
      source,
      signal,
    ) => {
      const root = rootOf(source);
      const target = readEndpointId(input.target)?.app ?? input.target;
      if (!apps().some(({ id }) => id === target)) {
        throw new BusError("INVALID_INPUT", "No such app is installed; nothing was asked.");
      }
      const wanted = input.tools ?? [];
      // Within an app everything is allowed.
      if (target === source.app) return { granted: true, tools: wanted };
      const request = {
        root,
        caller: source.id,
        callerApp: source.app,
        via: invocations.via(source.invocation),
        target,
        tools: wanted,
        reason: input.reason ?? null,
      };
      const answer = await policy.request(request, signal);
      if (answer.allowed) return { granted: true, tools: wanted };
      const { reason, retryAfterMs } = answer;
      return {
        granted: false,
        tools: [],
        reason,
        ...(retryAfterMs === null ? {} : { retryAfterMs }),
      };
    },
  });
}

/** @param {CallSource} source */
function rootOf({ root }) {
  if (root === null) {
    throw new BusError("INVALID_INPUT", "The page itself needs no permission; nothing was asked.");
  }
  if (root.kind === "agent") {
    const text = "An agent's turn asks for what it calls when it calls it; nothing was asked.";
    throw new BusError("OWNER_REQUIRED", text);
  }
  return root;
}
