// @ts-check
/**
 * Whether a call may begin an agent's turn, by who calls and from where: the app's own tile that the
 * person works in, at once after their click. Contract: bus, agent mode.
 */

import { BusError } from "../../contract/bus_error.js";

/** @import { CallSource } from "../broker.js" */

/**
 * @param {CallSource} source
 * @param {string} app Whose turn it would be.
 * @param {string} tool
 * @param {{ focused: boolean, active: boolean }} attention `focused`: the source has the focus.
 *   `active`: a click or a key is fresh.
 * @returns {BusError | null} Null where it may.
 */
export function beginProblem({ app: caller, endpoint, root, invocation }, app, tool, attention) {
  if (endpoint === null || caller !== app) {
    return refused(tool, `only the app's own tile starts it: a person does so in ${app}`);
  }
  if (endpoint.place.kind !== "tile") {
    return refused(tool, `a ${endpoint.place.kind} does not start it, only a tile`);
  }
  // A tool of the tile's that somebody else has called is no click of a person's.
  const own = root === null || (root.kind === "app" && root.app === app);
  if (!own || invocation !== null) return refused(tool, "a call within another does not start it");
  if (!attention.focused) return refused(tool, "the person does not work in this tile now");
  return attention.active ? null : refused(tool, "it has to come from a click or a key, at once");
}

/**
 * @param {string} tool
 * @param {string} why
 */
function refused(tool, why) {
  return new BusError("OWNER_REQUIRED", `${tool} begins an agent's turn, and was not run: ${why}.`);
}
