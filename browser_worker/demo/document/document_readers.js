// @ts-check
/** The reading actions: bounded views of a document. They change nothing. */

import {
  MAX_EXCERPT,
  MAX_HEADINGS,
  MAX_LISTED,
  MAX_READ,
  MAX_SHOWN_MATCHES,
} from "./document_actions.js";
import { exported } from "./document_format.js";
import { findMatches, snippet } from "./finder.js";
import { at, placeOf, startOf } from "./paragraph_list.js";
import { marksOf } from "./paragraph_styles.js";
import { countAll } from "./statistics.js";
import { floorOffset } from "./text_offsets.js";

/** @import { ExportFormat } from "./document_format.js" */
/** @import { DocumentSelection } from "./document_selection.js" */
/** @import { TextDocument } from "./text_document.js" */

/**
 * A stretch of a text, at most `MAX_READ`, with where it stands.
 *
 * @param {string} text
 * @param {number} start
 * @param {number} [end]
 */
function chunk(text, start, end = text.length) {
  const from = floorOffset(text, start);
  const until = Math.max(from, floorOffset(text, Math.min(end, from + MAX_READ)));
  return { text: text.slice(from, until), start: from, end: until, length: text.length };
}

/**
 * @param {TextDocument} document
 * @param {{ start?: number, end?: number }} input
 */
export function read(document, { start = 0, end }) {
  return chunk(document.text, start, end);
}

/**
 * @param {TextDocument} document
 * @param {{ format: ExportFormat, from?: number }} input
 */
export function exportChunk(document, { format, from = 0 }) {
  return { format, ...chunk(exported(document, format), from) };
}

/**
 * @param {TextDocument} document
 * @param {number} index
 * @param {number} start
 */
function listed(document, index, start) {
  const { style, text } = at(document.paragraphs, index);
  const excerpt = text.slice(0, floorOffset(text, MAX_EXCERPT));
  return { paragraph: index, start, end: start + text.length, style, text: excerpt };
}

/**
 * @param {TextDocument} document
 * @param {{ first?: number, count?: number }} input
 */
export function listParagraphs(document, { first = 0, count = MAX_LISTED }) {
  const total = document.paragraphs.length;
  const paragraphs = [];
  let start = first < total ? startOf(document.paragraphs, first) : 0;
  for (let index = first; index < Math.min(total, first + count); index++) {
    const one = listed(document, index, start);
    paragraphs.push(one);
    start = one.end + 1;
  }
  return { paragraphs, total };
}

/** @param {TextDocument} document */
export function outline(document) {
  /** @type {ReturnType<typeof listed>[]} */
  const headings = [];
  let total = 0;
  let start = 0;
  document.paragraphs.forEach(({ style, length }, index) => {
    if (style.startsWith("heading") && ++total <= MAX_HEADINGS) {
      headings.push(listed(document, index, start));
    }
    start += length + 1;
  });
  return { title: document.title, headings, total };
}

/**
 * @param {TextDocument} document
 * @param {{ query: string, matchCase?: boolean, wholeWord?: boolean, from?: number }} input
 */
export function find(document, { query, matchCase, wholeWord, from = 0 }) {
  const { text, paragraphs } = document;
  const all = findMatches(text, query, { matchCase, wholeWord });
  const later = all.filter(({ start }) => start >= from);
  const matches = later.slice(0, MAX_SHOWN_MATCHES).map((match) => ({
    ...match,
    paragraph: placeOf(paragraphs, match.start).index,
    snippet: snippet(text, match),
  }));
  return { matches, total: all.length, complete: matches.length === later.length };
}

/**
 * A bounded view of everything but the text.
 *
 * @param {TextDocument} document
 * @param {DocumentSelection} selection
 */
export function inspect(document, selection) {
  const { index } = placeOf(document.paragraphs, selection.start);
  return {
    title: document.title,
    length: document.length,
    paragraphs: document.paragraphs.length,
    ...countAll(document.paragraphs),
    caret: selection.focus,
    selection: { start: selection.start, end: selection.end },
    paragraph: index,
    style: at(document.paragraphs, index).style,
    marks: marksOf(document.marksBetween(selection.start, selection.end)),
    canUndo: document.canUndo,
    canRedo: document.canRedo,
  };
}
