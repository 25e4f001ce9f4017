// @ts-check
/** A text cut to what a line of JSON has room for: whole characters, and a mark where it was cut. */

const MARK = "…";
const MARK_BYTES = 3;
const SHORT_ESCAPES = new Set('"\\\b\t\n\f\r');
const LONG_ESCAPES = new Set("\u2028\u2029");

/**
 * A text, or its beginning with a mark after it, the mark included.
 *
 * @param {string} text Well-formed.
 * @param {number} maxChars Unicode's.
 * @param {number} maxBytes Of JSON on the wire, without quotes.
 * @returns {string} Nothing where not even a character and the mark fit.
 */
export function clipped(text, maxChars, maxBytes) {
  let chars = 0;
  let used = 0;
  /** What is kept if the text goes on for too long, and how much that is in UTF-16. */
  let kept = 0;
  let at = 0;
  for (const char of text) {
    if (used + MARK_BYTES <= maxBytes && chars < maxChars) kept = at;
    used += jsonBytes(char);
    chars++;
    if (used > maxBytes || chars > maxChars) return kept > 0 ? text.slice(0, kept) + MARK : "";
    at += char.length;
  }
  return text;
}

/**
 * What a character takes in a string of JSON, as ours is written.
 *
 * @param {string} char
 */
function jsonBytes(char) {
  if (SHORT_ESCAPES.has(char)) return 2;
  if (char < " " || LONG_ESCAPES.has(char)) return 6;
  const point = /** @type {number} */ (char.codePointAt(0));
  return point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
}
