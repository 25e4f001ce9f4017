// @ts-check
/** Documents and edits for property tests. */

import fc from "fast-check";
import { Paragraph } from "../../../../browser_worker/demo/document/paragraph.js";
import {
  MARK_NAMES,
  STYLE_NAMES,
} from "../../../../browser_worker/demo/document/paragraph_styles.js";
import { floorOffset } from "../../../../browser_worker/demo/document/text_offsets.js";

/** @import { TextDocument } from "../../../../browser_worker/demo/document/text_document.js" */

export const anyStyle = fc.constantFrom(...STYLE_NAMES);

/** Characters that break careless code: surrogate pairs, joiners, signs of Markdown, spaces. */
const character = fc.constantFrom(
  ..."abcXYZ019 \t*_`#>-+.[]()<>&\\~|!é中",
  "😀",
  "👩‍🚀",
  "\u0301",
  "\u2028",
);
export const anyLine = fc.string({ unit: character, maxLength: 12 });
export const anyText = fc
  .array(anyLine, { minLength: 1, maxLength: 4 })
  .map((lines) => lines.join("\n"));

export const anyParagraph = fc
  .tuple(
    anyStyle,
    fc.array(fc.record({ text: anyLine, marks: fc.integer({ min: 0, max: 7 }) }), { maxLength: 4 }),
  )
  .map(([style, runs]) => new Paragraph(style, runs));

export const anyState = fc.record({
  title: anyLine,
  paragraphs: fc.array(anyParagraph, { minLength: 1, maxLength: 6 }),
});

/** One edit, whose places are parts of whatever document it meets. */
const place = fc.double({ min: 0, max: 1, noNaN: true });
export const anyEdit = fc.oneof(
  fc.record({
    kind: fc.constant("replace"),
    from: place,
    to: place,
    text: anyText,
    typed: fc.boolean(),
  }),
  fc.record({ kind: fc.constant("style"), from: place, to: place, style: anyStyle }),
  fc.record({
    kind: fc.constant("mark"),
    from: place,
    to: place,
    mark: fc.constantFrom(...MARK_NAMES),
    on: fc.boolean(),
  }),
  fc.record({ kind: fc.constant("title"), text: anyLine, typed: fc.boolean() }),
  fc.record({ kind: fc.constant("paragraphs"), from: place, paragraph: anyParagraph }),
  fc.record({ kind: fc.constant("load"), state: anyState }),
);

/**
 * @param {TextDocument} text
 * @param {any} edit
 */
export function apply(text, edit) {
  const offset = (/** @type {number} */ part) =>
    floorOffset(text.text, Math.round(part * text.length));
  const [start, end] = [offset(edit.from ?? 0), offset(edit.to ?? 0)].sort((a, b) => a - b);
  const index = (/** @type {number} */ part) => Math.round(part * (text.paragraphs.length - 1));
  switch (edit.kind) {
    case "replace":
      text.replace(start ?? 0, end ?? 0, edit.text, { typed: edit.typed });
      break;
    case "style": {
      const [first, last] = [index(edit.from), index(edit.to)].sort((a, b) => a - b);
      text.setStyle(first ?? 0, last ?? 0, edit.style);
      break;
    }
    case "mark":
      text.setMark(start ?? 0, end ?? 0, edit.mark, edit.on);
      break;
    case "title":
      text.setTitle(edit.text, { typed: edit.typed });
      break;
    case "paragraphs":
      text.insertParagraphs(Math.round(edit.from * text.paragraphs.length), [edit.paragraph]);
      break;
    default:
      text.load(edit.state);
  }
}

/** @param {TextDocument} text */
export function snapshot(text) {
  return JSON.stringify([text.title, text.paragraphs]);
}
