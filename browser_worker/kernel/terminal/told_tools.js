// @ts-check
/**
 * What a terminal is told of the tools of endpoints: as much as one line can carry. What an app says of
 * its own may cost its own place in it, and nobody else's. Contract: bus, the terminal.
 */

import { JSON_LIMITS } from "../../contract/limits.js";
import { StrictJsonError, stringify } from "../../contract/strict_json.js";
import { wellFormed } from "../well_formed.js";

/** @import { BusError } from "../../contract/bus_error.js" */
/** @import { Unavailability } from "../../dispatcher/host.js" */
/** @import { ToolsOfEndpoint } from "./live_tools.js" */
/** @import { ToolDescriptor } from "../tools/tool_descriptors.js" */

/**
 * @typedef {object} ToldEndpoint
 * @property {string} endpoint
 * @property {ToolDescriptor[]} [tools]
 * @property {number} [omitted] Tools that cannot be written in a line.
 * @property {Unavailability} [unavailable] Why there are no tools here.
 */

/** What a line, a batch or an MCP answer has around a tool. */
const TOOL = Object.freeze({ ...JSON_LIMITS, maxDepth: JSON_LIMITS.maxDepth - 12 });
/** And around all of them. */
const ALL = Object.freeze({
  ...JSON_LIMITS,
  maxEncodedBytes: JSON_LIMITS.maxEncodedBytes - 4_096,
  maxValues: JSON_LIMITS.maxValues - 64,
});
const MAX_REASON_CHARS = 500;

/**
 * @param {string} endpoint
 * @param {readonly ToolDescriptor[]} tools
 * @returns {ToldEndpoint}
 */
export function toldTools(endpoint, tools) {
  const told = tools.filter((tool) => fits(tool, TOOL));
  const omitted = tools.length - told.length;
  return { endpoint, tools: told, ...(omitted === 0 ? {} : { omitted }) };
}

/**
 * All endpoints in one answer. Where it would be too large, the largest are named without their tools.
 *
 * @param {readonly ToolsOfEndpoint[]} listed
 * @returns {ToldEndpoint[]} In the same order.
 */
export function toldEndpoints(listed) {
  const told = listed.map(({ endpoint: { endpoint }, tools, error }) =>
    tools === null ? { endpoint, unavailable: silence(error) } : toldTools(endpoint, tools),
  );
  if (fits(told, ALL)) return told;
  /** @type {ToldEndpoint[]} */
  const all = told.map(({ endpoint }) => ({ endpoint, unavailable: TOO_LARGE }));
  const bySize = told
    .map((each, at) => ({ each, at, size: JSON.stringify(each).length }))
    .sort((one, other) => one.size - other.size);
  for (const { each, at } of bySize) {
    const before = /** @type {ToldEndpoint} */ (all[at]);
    all[at] = each;
    if (!fits(all, ALL)) all[at] = before;
  }
  return all;
}

/** @type {Unavailability} */
const TOO_LARGE = Object.freeze({
  code: "TOO_LARGE",
  reason: "Its tools do not fit into one answer with the others': list them by its endpoint.",
});

/**
 * @param {BusError | null} error
 * @returns {Unavailability}
 */
function silence(error) {
  if (error !== null) {
    return { code: error.code, reason: wellFormed(error.message, MAX_REASON_CHARS) };
  }
  return { code: "NOT_RESPONDING", reason: "The app did not say in time which tools it has." };
}

/**
 * @param {unknown} value
 * @param {typeof JSON_LIMITS} limits
 */
function fits(value, limits) {
  try {
    stringify(value, limits);
    return true;
  } catch (error) {
    if (!(error instanceof StrictJsonError)) throw error;
    return false;
  }
}
