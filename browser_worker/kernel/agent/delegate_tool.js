// @ts-check
/** The kernel's tool that gives a delegation to who runs a tool for somebody. Contract: bus, delegations. */

import { BusError } from "../../contract/bus_error.js";
import { KERNEL_ENDPOINT, readEndpointId } from "../../contract/bus_names.js";
import { BUS_LIMITS } from "../../contract/limits.js";

/** @import { KernelTools } from "../tools/kernel_tools.js" */
/** @import { Delegations } from "./delegations.js" */

/**
 * @param {KernelTools} tools
 * @param {Delegations} delegations
 */
export function addDelegateTool(tools, delegations) {
  tools.add("attachments.delegate", {
    description: {
      title: "Delegate one call",
      description:
        "Lets code without a context.kernel make one call, with an attachment or without, under the call " +
        `that its app runs now: it passes the delegation to callToolWithAttachment within ${BUS_LIMITS.delegationSeconds} s.`,
      inputSchema: {
        type: "object",
        properties: {
          target: { type: "string", maxLength: 200, description: "The endpoint to be called" },
          name: { type: "string", maxLength: 100, description: "The tool" },
        },
        required: ["target", "name"],
        additionalProperties: false,
      },
      outputSchema: {
        type: "object",
        properties: { delegation: { type: "string" }, expiresInMs: { type: "integer" } },
        required: ["delegation", "expiresInMs"],
        additionalProperties: false,
      },
    },
    secret: true,
    run: (/** @type {{ target: string, name: string }} */ call, source) => {
      const { endpoint, invocation } = source;
      if (endpoint === null || invocation === null) {
        const text =
          "A delegation is given within a call only; none was given. Ask for it by the context.kernel " +
          "of the tool that runs.";
        throw new BusError("SCOPED_CONTEXT_REQUIRED", text);
      }
      const place = readEndpointId(call.target);
      if (place === undefined && call.target !== KERNEL_ENDPOINT) {
        throw new BusError("UNKNOWN_ENDPOINT", "No endpoint has such a name; none was given.");
      }
      if (place?.kind === "tray") {
        throw new BusError("OWNER_REQUIRED", "A tray takes no delegated call; none was given.");
      }
      return delegations.give(invocation, endpoint, call);
    },
  });
}
