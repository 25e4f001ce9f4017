// @ts-check
/** The kernel's tool by which an app sees the calls that it has made, and those that it was given.
 * Contract: bus, kernel tools, audit. */

import { BusError } from "../../contract/bus_error.js";
import { readEndpointId } from "../../contract/bus_names.js";
import { BUS_LIMITS } from "../../contract/limits.js";

/** @import { AuditEntry, AuditRing } from "./audit_ring.js" */
/** @import { KernelTools } from "../tools/kernel_tools.js" */

/**
 * @param {KernelTools} tools
 * @param {Pick<AuditRing, "entries">} audit
 */
export function addAuditTools(tools, audit) {
  tools.add("audit.list", {
    description: {
      title: "List own calls",
      description:
        "Lists the last calls that this app has made or was given, oldest first, with summaries; under an agent's turn only those of that agent.",
      inputSchema: {
        type: "object",
        properties: {
          limit: {
            type: "integer",
            minimum: 1,
            maximum: BUS_LIMITS.maxAuditEntries,
            description: "Only so many of the last.",
          },
        },
        additionalProperties: false,
      },
      outputSchema: {
        type: "object",
        properties: { entries: { type: "array", items: { type: "object" } } },
        required: ["entries"],
        additionalProperties: false,
      },
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    run: (
      /** @type {{ limit?: number }} */ { limit = BUS_LIMITS.maxAuditEntries },
      { app, root },
    ) => {
      if (app === null) {
        throw new BusError(
          "INVALID_INPUT",
          "Only an app has entries of its own; nothing was read.",
        );
      }
      const agent = root?.kind === "agent" ? root.subject : null;
      const entries = audit.entries(
        (entry, letThrough) =>
          isOwn(entry, app, letThrough) && (agent === null || entry.root === agent),
      );
      return { entries: entries.slice(-limit).map((entry) => toldTo(app, entry)) };
    },
  });
}

/**
 * A call that was refused, or given up before it was decided on, never came to its target: it is its
 * caller's alone. Else whoever calls could tell an app something that the owner has not let through.
 *
 * @param {AuditEntry} entry
 * @param {string} app
 * @param {boolean} letThrough
 */
function isOwn({ caller, target, private: isPrivate }, app, letThrough) {
  if (isPrivate) return false;
  return isOf(caller, app) || (isOf(target, app) && letThrough);
}

/**
 * @param {string} app
 * @param {AuditEntry} entry
 */
function toldTo(app, { caller, target, tool, startedAt, status, durationMs, ...rest }) {
  const told = { caller, target, tool, startedAt, status, durationMs };
  // What another has written comes to the app by its tool, and only where the tool was let run.
  if (!isOf(caller, app) && status !== "completed") return told;
  return { ...told, arguments: rest.arguments, outcome: rest.outcome };
}

/**
 * @param {string} endpoint
 * @param {string} app
 */
function isOf(endpoint, app) {
  return readEndpointId(endpoint)?.app === app;
}
