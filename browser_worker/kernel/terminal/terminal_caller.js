// @ts-check
/** Who calls a workspace's actions, as the bus knows it. Contract: bus, the terminal. */

import { KERNEL_ENDPOINT } from "../../contract/bus_names.js";

/**
 * @param {string | undefined} session Undefined for the page itself.
 */
export function callerOf(session) {
  return session === undefined ? KERNEL_ENDPOINT : `external:bridge:${session}`;
}
