// @ts-check
/**
 * Whether a call may begin an agent's turn, by who calls and from where. Only the app's own tile that the
 * person works in does, at once after their click. Contract: bus, agent mode.
 */

import { BusError } from "../../contract/bus_error.js";

/** @import { EndpointPlace } from "../../contract/bus_names.js" */
/** @import { Unavailability } from "../../dispatcher/host.js" */
/** @import { CallSource } from "../calls/broker.js" */

/**
 * @param {CallSource} source
 * @param {string} app Whose turn it would be.
 * @param {string} tool
 * @param {{ focused: boolean, active: boolean }} attention `focused`: the source has the focus.
 *   `active`: a click or a key is fresh, in the page or any frame of it. Whether it was in the tile itself
 *   the browser says of the call, where it can.
 * @returns {BusError | null} Null where it may.
 */
export function beginProblem(source, app, tool, attention) {
  const { app: caller, endpoint, root, invocation, sender = null } = source;
  if (endpoint === null || caller !== app) {
    return refused(tool, `only a person's click in a tile of ${app} starts it`);
  }
  if (endpoint.place.kind !== "tile") {
    return refused(tool, `a ${endpoint.place.kind} does not start it, only a tile does`);
  }
  // A tool of the tile's that somebody else has called is no click of a person's.
  const own = root === null || (root.kind === "app" && root.app === app);
  if (!own || invocation !== null) return refused(tool, "a call within another does not start it");
  if (!attention.focused) return refused(tool, "the person does not work in this tile now");
  if (!attention.active) return refused(tool, "it has to come from a click or a key, at once");
  if (sender === null || sender.fresh) return null;
  return refused(tool, "it has to come, at once, from a click or a key in that tile itself");
}

/**
 * Why a tool is nothing for a terminal, which is no tile.
 *
 * @param {EndpointPlace | undefined} place Where the tool is.
 * @param {string} tool
 * @param {readonly string[]} entrypoints What the app declares.
 * @returns {Unavailability | null} Null where it may be.
 */
export function entrypointOnly(place, tool, entrypoints) {
  // A tile's tool of that name begins no turn.
  if (place?.kind !== "background" || !entrypoints.includes(tool)) return null;
  const reason = `${tool} begins an agent's turn, which only a person's click in a tile of ${place.app} starts.`;
  return { code: "OWNER_REQUIRED", reason };
}

/**
 * @param {string} tool
 * @param {string} why
 */
function refused(tool, why) {
  return new BusError(
    "OWNER_REQUIRED",
    `${tool} begins an agent's turn, and was not run, because ${why}.`,
  );
}
