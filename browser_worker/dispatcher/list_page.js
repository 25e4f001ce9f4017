// @ts-check
/**
 * How much of a list goes into one answer: a count of entries, and no more than fit a line.
 * Which entries there are, and what a cursor means, is for who lists. Contract: size.
 */

import { MAX_LIST_BYTES } from "../contract/limits.js";
import { stringify } from "../contract/strict_json.js";
import { utf8Length } from "../contract/utf8.js";

/**
 * Says where a page ends: after a count of entries, or where it is full. The first entry is on its page
 * whatever its size.
 *
 * @param {readonly unknown[]} listed
 * @param {number} start Where the page begins.
 * @param {number} most How many entries it holds at most.
 * @returns {number} The place after its last entry. Never throws.
 */
export function pageEnd(listed, start, most) {
  const last = Math.min(listed.length, start + most);
  let end = start;
  let left = MAX_LIST_BYTES;
  while (end < last) {
    left -= writtenBytes(listed[end]);
    if (left < 0 && end > start) break;
    end++;
  }
  return end;
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
