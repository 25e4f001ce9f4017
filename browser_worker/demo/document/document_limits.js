// @ts-check
/** How large a document may be: a page of a browser stays quick with it, and its storage holds it. */

/** @import { Change } from "./history.js" */
/** @import { Paragraph } from "./paragraph.js" */

import { lengthOf } from "./paragraph_list.js";

/**
 * @typedef {object} DocumentLimits
 * @property {number} maxCodeUnits Of the whole text.
 * @property {number} maxParagraphs
 * @property {number} maxTitleCodeUnits
 */

export const DOCUMENT_LIMITS = Object.freeze({
  maxCodeUnits: 500_000,
  maxParagraphs: 10_000,
  maxTitleCodeUnits: 500,
});

/** The document would be larger than it may. Nothing was changed. */
export class DocumentLimitError extends RangeError {
  /**
   * @param {keyof DocumentLimits} limit
   * @param {number} maximum
   */
  constructor(limit, maximum) {
    super(`the document has a limit ${limit} of ${maximum}`);
    this.limit = limit;
    this.maximum = maximum;
  }
}

/**
 * @param {readonly Paragraph[]} paragraphs As they are now.
 * @param {Change} change
 * @param {Readonly<DocumentLimits>} limits
 * @throws {DocumentLimitError} Where the change makes a document too large; a smaller one is always fine.
 */
export function checkLimits(paragraphs, { splice, title }, limits) {
  const { maxCodeUnits, maxParagraphs, maxTitleCodeUnits } = limits;
  const more = splice.inserted.length - splice.removed.length;
  const grown = lengthOf(splice.inserted) - lengthOf(splice.removed);
  if (grown > 0 && lengthOf(paragraphs) + grown > maxCodeUnits) {
    throw new DocumentLimitError("maxCodeUnits", maxCodeUnits);
  }
  if (more > 0 && paragraphs.length + more > maxParagraphs) {
    throw new DocumentLimitError("maxParagraphs", maxParagraphs);
  }
  if (title !== null && title.after.length > maxTitleCodeUnits) {
    throw new DocumentLimitError("maxTitleCodeUnits", maxTitleCodeUnits);
  }
}
