// @ts-check
/**
 * Paragraphs in a row as one text, a line feed between each two: where an offset stands, and what
 * paragraphs an edit of the text makes. Pure; the lists that are passed in stay as they are.
 */

import { Paragraph } from "./paragraph.js";
import { styleRow } from "./paragraph_styles.js";

/** @typedef {{ index: number, offset: number }} Place A paragraph's number and an offset in it. */
/** @typedef {{ at: number, removed: readonly Paragraph[], inserted: readonly Paragraph[] }} Splice */

/** @param {readonly Paragraph[]} paragraphs */
export function textOf(paragraphs) {
  return paragraphs.map((paragraph) => paragraph.text).join("\n");
}

/**
 * The offset at which a paragraph begins.
 *
 * @param {readonly Paragraph[]} paragraphs
 * @param {number} index
 */
export function startOf(paragraphs, index) {
  let start = 0;
  for (let i = 0; i < index; i++) start += at(paragraphs, i).length + 1;
  return start;
}

/**
 * @param {readonly Paragraph[]} paragraphs
 * @param {number} offset
 * @returns {Place} An offset past the end is the end.
 */
export function placeOf(paragraphs, offset) {
  let rest = Math.max(0, offset);
  const last = paragraphs.length - 1;
  for (let index = 0; index < last; index++) {
    const { length } = at(paragraphs, index);
    if (rest <= length) return { index, offset: rest };
    rest -= length + 1;
  }
  return { index: last, offset: Math.min(rest, at(paragraphs, last).length) };
}

/**
 * @param {readonly Paragraph[]} paragraphs
 * @param {number} index
 * @returns {Paragraph}
 */
export function at(paragraphs, index) {
  const found = paragraphs[index];
  if (found === undefined) throw new RangeError(`there is no paragraph ${index}`);
  return found;
}

/**
 * What putting `text` where `start` to `end` was makes of the paragraphs. A paragraph that goes
 * whole, with the line feed behind it, leaves the next one's style alone; one that is begun before
 * or behind a heading is body text.
 *
 * @param {readonly Paragraph[]} paragraphs
 * @param {Place} start
 * @param {Place} end
 * @param {string} text
 * @param {number} [marks] Without them it takes on those of its surroundings.
 * @returns {Splice}
 */
export function replaced(paragraphs, start, end, text, marks) {
  const head = at(paragraphs, start.index);
  const tail = at(paragraphs, end.index);
  const before = head.slice(0, start.offset);
  const after = tail.slice(end.offset);
  const replaces = start.index !== end.index || start.offset !== end.offset;
  const taken =
    marks ??
    (replaces && start.offset < head.length
      ? head.marksBehind(start.offset)
      : head.marksAt(start.offset));
  const lines = text.split("\n").map((line) => ({ text: line, marks: taken }));
  const { next } = styleRow(head.style);
  const joins = start.index !== end.index;
  const fromStart = start.offset === 0;
  /** @type {Paragraph[]} */
  let inserted;
  if (lines.length === 1) {
    const left = after.length > 0 ? tail.style : "body";
    const style = joins && fromStart && text === "" ? left : head.style;
    inserted = [new Paragraph(style, [...before, ...lines, ...after])];
  } else {
    const first = fromStart && !joins && after.length > 0 ? next : head.style;
    inserted = lines.map((line, index) => {
      if (index === 0) return new Paragraph(first, [...before, line]);
      if (index < lines.length - 1) return new Paragraph(next, [line]);
      return new Paragraph(after.length > 0 ? tail.style : next, [line, ...after]);
    });
  }
  return { at: start.index, removed: paragraphs.slice(start.index, end.index + 1), inserted };
}

/**
 * @param {readonly Paragraph[]} paragraphs
 * @param {Splice} splice
 * @returns {Paragraph[]}
 */
export function spliced(paragraphs, { at: index, removed, inserted }) {
  return paragraphs.toSpliced(index, removed.length, ...inserted);
}

/**
 * The length of the paragraphs as one text.
 *
 * @param {readonly Paragraph[]} paragraphs
 */
export function lengthOf(paragraphs) {
  return paragraphs.reduce((sum, { length }) => sum + length + 1, -1);
}

/**
 * The offset at which each paragraph begins.
 *
 * @param {readonly Paragraph[]} paragraphs
 * @returns {number[]}
 */
export function lineStarts(paragraphs) {
  let start = 0;
  return paragraphs.map(({ length }) => {
    const its = start;
    start += length + 1;
    return its;
  });
}
