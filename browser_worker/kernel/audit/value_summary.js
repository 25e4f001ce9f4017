// @ts-check
/** A few characters that say what a value is: enough to recognise it, and never more work than that. */

import { BUS_LIMITS } from "../../contract/limits.js";
import { wellFormed } from "../well_formed.js";

const MOST_OF_A_STRING = 60;

/**
 * Writes the beginning of a value, much like JSON.
 *
 * @param {unknown} value Plain JSON data.
 * @param {number} [maxChars]
 * @returns {string}
 */
export function summaryOf(value, maxChars = BUS_LIMITS.maxSummaryChars) {
  return wellFormed(written(value, maxChars), maxChars);
}

/**
 * @param {unknown} value
 * @param {number} room
 * @returns {string}
 */
function written(value, room) {
  if (typeof value === "string") {
    const short = value.length > MOST_OF_A_STRING ? `${value.slice(0, MOST_OF_A_STRING)}…` : value;
    return JSON.stringify(short);
  }
  if (value === null || typeof value !== "object") return String(value);
  const list = Array.isArray(value);
  /** @type {string[]} */
  const parts = [];
  let used = 2;
  for (const key in value) {
    if (used > room) break;
    const member = /** @type {Record<string, unknown>} */ (value)[key];
    const name = list ? "" : `${JSON.stringify(key.slice(0, MOST_OF_A_STRING))}:`;
    const part = name + written(member, room - used - name.length);
    used += part.length + 1;
    parts.push(part);
  }
  return list ? `[${parts.join(",")}]` : `{${parts.join(",")}}`;
}
