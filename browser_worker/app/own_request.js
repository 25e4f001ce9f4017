// @ts-check
/** What an app asks the kernel for itself: how that failed is known from what its tools fail of. */

import { BusError } from "../contract/bus_error.js";

/** How requests failed. @type {WeakSet<object>} */
const FAILURES = new WeakSet();

/**
 * Whether that is how a request of this app's failed: it tells what became of the request, and nothing of
 * whatever the app did besides.
 *
 * @param {object} error
 */
export function isOfRequest(error) {
  return FAILURES.has(error);
}

/**
 * Does what asks the kernel. What goes wrong before anything is sent tells of the request alone, too.
 *
 * @template T
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function asRequest(work) {
  try {
    return await work();
  } catch (error) {
    if (error instanceof BusError) FAILURES.add(error);
    throw error;
  }
}
