// @ts-check
/** How long a call may last, as whoever calls says. Contract: bus, calling. */

import { BusError } from "../../contract/bus_error.js";
import { BUS_LIMITS } from "../../contract/limits.js";

/**
 * @param {unknown} timeout Seconds.
 * @returns {{ timeoutSeconds?: number }}
 * @throws {BusError} `INVALID_MESSAGE`
 */
export function timeoutOf(timeout) {
  if (timeout === undefined) return {};
  const most = BUS_LIMITS.maxTimeoutSeconds;
  if (typeof timeout !== "number" || !(timeout >= 1 && timeout <= most)) {
    throw new BusError("INVALID_MESSAGE", `A timeout is 1 to ${most} seconds; nothing was run.`);
  }
  return { timeoutSeconds: timeout };
}
