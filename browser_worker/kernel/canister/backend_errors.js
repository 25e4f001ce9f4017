// @ts-check
/** What a caller of a backend is told where the backend said nothing that could be told. */

import { BusError } from "../../contract/bus_error.js";

/** @param {unknown} error Of whatever went wrong: only a `BusError` was written to be told. */
export function backendError(error) {
  if (error instanceof BusError) return error;
  return new BusError("TOOL_FAILED", "The backend failed; it may have done part of it.");
}

/** @param {number} seconds */
export function backendTimedOut(seconds) {
  const text = `The backend did not answer in ${seconds} s; it may have been done, look before you try again.`;
  return new BusError("TIMEOUT", text, { data: { outcome: "unknown" } });
}
