// @ts-check
/** What those are told whom the owner did not let do what they asked for. Contract: bus, consent. */

import { BusError } from "../../contract/bus_error.js";

/** @import { No } from "./consent_queue.js" */

/**
 * @param {No} answer
 * @param {{ what: string, agent: boolean }} about `what`: "call draw_shape of board", say, as an infinitive; `agent`:
 *   whether an agent's turn asked, which has codes of its own.
 * @returns {BusError}
 */
export function refusalOf({ reason, retryAfterMs, unasked = false }, { what, agent }) {
  const later = retryAfterMs === null ? {} : { retryAfterMs };
  if (reason === "busy") {
    const text = `The owner has too many questions to answer; nothing was run. Try to ${what} again later.`;
    return new BusError("UI_BUSY", text, later);
  }
  const data = { reason };
  switch (reason) {
    case "denied":
      return new BusError(
        agent ? "AGENT_CONSENT_DENIED" : "OWNER_REQUIRED",
        unasked
          ? `The owner was not asked for leave to ${what}, having said no shortly before; nothing was run.`
          : `Asked for leave to ${what}, the owner said no; nothing was run.`,
        { ...later, data },
      );
    case "timeout":
      return new BusError(
        agent ? "AGENT_CONSENT_TIMEOUT" : "OWNER_REQUIRED",
        unasked
          ? `The owner was not asked for leave to ${what}, having left a question unanswered shortly before; nothing was run.`
          : `Asked for leave to ${what}, the owner did not answer in time; nothing was run.`,
        { ...later, data },
      );
    case "others":
      return new BusError(
        "OWNER_REQUIRED",
        `The owner was not asked for leave to ${what}; nothing was run. They refused what several terminals asked in a row, and none that is new is asked about for a while: try again once, later, or have the owner lock and unlock the workspace.`,
        { ...later, data },
      );
    case "gone":
      return new BusError(
        "CANCELLED",
        `Nobody waits any more for the owner's leave to ${what}; nothing was run.`,
        { data },
      );
  }
}
