// @ts-check
/**
 * Offsets into a text, in UTF-16 code units as the DOM counts them, and texts that are safe to
 * count in: line feeds only, no lone surrogate. Nothing here knows documents.
 */

/** @typedef {{ start: number, removed: number, inserted: number }} TextEdit One replaced stretch. */

const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** An offset or a number of a paragraph that does not fit the document as it is now. */
export class OffsetError extends RangeError {
  /**
   * @param {string} name Which input it is.
   * @param {string} message
   */
  constructor(name, message) {
    super(message);
    this.offset = name;
  }
}

/** @param {number} unit */
const isHigh = (unit) => unit >= 0xd800 && unit <= 0xdbff;
/** @param {number} unit */
const isLow = (unit) => unit >= 0xdc00 && unit <= 0xdfff;

/**
 * Text as a document keeps it.
 *
 * @param {string} text
 */
export function cleanText(text) {
  return text.replace(/\r\n?/g, "\n").replace(LONE_SURROGATE, "\ufffd");
}

/**
 * Whether an offset stands inside a character.
 *
 * @param {string} text
 * @param {number} offset
 */
export function splitsCharacter(text, offset) {
  return (
    offset > 0 &&
    offset < text.length &&
    isHigh(text.charCodeAt(offset - 1)) &&
    isLow(text.charCodeAt(offset))
  );
}

/**
 * The largest offset not above `offset` that stands between characters of the text.
 *
 * @param {string} text
 * @param {number} offset
 */
export function floorOffset(text, offset) {
  const within = Math.max(0, Math.min(offset, text.length));
  return splitsCharacter(text, within) ? within - 1 : within;
}

/**
 * The one stretch in which two texts differ.
 *
 * @param {string} before
 * @param {string} after
 * @param {number} [caret] Where the caret stands in `after`: of several stretches that would do, the
 *   one that ends there.
 * @returns {{ start: number, end: number, inserted: string }} `end` counts in `before`.
 */
export function difference(before, after, caret = after.length) {
  const most = Math.min(before.length, after.length);
  const same = (/** @type {number} */ tail) => before.at(-1 - tail) === after.at(-1 - tail);
  let tail = 0;
  while (tail < Math.min(most, after.length - caret) && same(tail)) tail++;
  let start = 0;
  while (start < most - tail && before[start] === after[start]) start++;
  if (start > 0 && isHigh(before.charCodeAt(start - 1))) start--;
  while (tail < most - start && same(tail)) tail++;
  if (tail > 0 && isLow(before.charCodeAt(before.length - tail))) tail--;
  return { start, end: before.length - tail, inserted: after.slice(start, after.length - tail) };
}

/**
 * Where an offset stands after an edit before, around or behind it. One that stands where text is
 * put in goes behind that text.
 *
 * @param {number} offset
 * @param {TextEdit} edit
 */
export function movedOffset(offset, { start, removed, inserted }) {
  if (offset < start) return offset;
  return offset >= start + removed ? offset - removed + inserted : start + inserted;
}
