// @ts-check
/** What replacing many stretches of a document's text by one text makes of its paragraphs. */

import { lengthOf, lineStarts, placeOf, replaced, startOf } from "./paragraph_list.js";

/** @import { Paragraph } from "./paragraph.js" */
/** @import { Splice } from "./paragraph_list.js" */

/**
 * @param {readonly Paragraph[]} paragraphs
 * @param {readonly { start: number, end: number }[]} spans At least one; in order, not overlapping.
 * @param {string} text
 * @returns {Splice}
 */
export function allReplaced(paragraphs, spans, text) {
  const first = placeOf(paragraphs, spans[0]?.start ?? 0).index;
  const last = placeOf(paragraphs, spans.at(-1)?.end ?? lengthOf(paragraphs)).index;
  const removed = paragraphs.slice(first, last + 1);
  const base = startOf(paragraphs, first);
  const starts = lineStarts(removed).map((start) => base + start);
  const startAt = (/** @type {number} */ index) => starts[index] ?? 0;
  const work = [...removed];
  let cursor = removed.length - 1;
  // From the end, so that what is still to come stands where it stood.
  for (const { start, end } of spans.toReversed()) {
    while (startAt(cursor) > end) cursor--;
    const to = { index: cursor, offset: end - startAt(cursor) };
    while (startAt(cursor) > start) cursor--;
    const from = { index: cursor, offset: start - startAt(cursor) };
    const cut = replaced(work, from, to, text);
    work.splice(cut.at, cut.removed.length, ...cut.inserted);
  }
  return { at: first, removed, inserted: work };
}
