// @ts-check
/**
 * How much of a list goes into one answer: a count of entries, and no more than fit a line.
 * Which entries there are, and what a cursor means, is for who lists. Contract: size.
 */

import { MAX_LIST_BYTES } from "../contract/limits.js";
import { stringify } from "../contract/strict_json.js";
import { utf8Length } from "../contract/utf8.js";

/**
 * Those of a list that fit a page together, from the first on; that one whatever its size.
 *
 * @template T
 * @param {Iterable<T>} entries Of which one more is asked for than is returned at most.
 * @returns {T[]}
 */
export function fitting(entries) {
  /** @type {T[]} */
  const page = [];
  let left = MAX_LIST_BYTES;
  for (const entry of entries) {
    left -= writtenBytes(entry);
    if (left < 0 && page.length > 0) break;
    page.push(entry);
  }
  return page;
}

/** @param {unknown} entry */
function writtenBytes(entry) {
  try {
    return utf8Length(stringify(entry));
  } catch {
    // It cannot be written: its own page tells so, and no other.
    return Infinity;
  }
}
