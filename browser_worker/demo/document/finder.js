// @ts-check
/** Finds a text in a text. Knows no documents. */

import { floorOffset } from "./text_offsets.js";

/** @typedef {{ start: number, end: number }} Match */
/** @typedef {{ matchCase?: boolean | undefined, wholeWord?: boolean | undefined }} FindOptions */

/** The most matches that are counted; a document may well be nothing but matches. */
export const MAX_MATCHES = 10_000;

const SNIPPET_SIDE = 40;

/**
 * All matches, in order and not overlapping, at most `MAX_MATCHES`.
 *
 * @param {string} text
 * @param {string} query Taken literally.
 * @param {FindOptions} [options] Without `matchCase` letters match either case.
 * @returns {Match[]}
 */
export function findMatches(text, query, { matchCase = false, wholeWord = false } = {}) {
  if (query === "") return [];
  const literal = query.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
  const pattern = wholeWord
    ? `(?<![\\p{L}\\p{N}\\p{M}_])${literal}(?![\\p{L}\\p{N}\\p{M}_])`
    : literal;
  // The query is escaped: it has no repetition that could take long.
  const expression = new RegExp(pattern, matchCase ? "gu" : "giu");
  /** @type {Match[]} */
  const found = [];
  for (const match of text.matchAll(expression)) {
    found.push({ start: match.index, end: match.index + match[0].length });
    if (found.length >= MAX_MATCHES) break;
  }
  return found;
}

/**
 * A match with a little of what stands around it, on one line.
 *
 * @param {string} text
 * @param {Match} match
 */
export function snippet(text, { start, end }) {
  const from = floorOffset(text, start - SNIPPET_SIDE);
  const to = floorOffset(text, Math.min(end, start + 200) + SNIPPET_SIDE);
  const around = text.slice(from, to).replace(/\s+/g, " ");
  return `${from > 0 ? "…" : ""}${around}${to < text.length ? "…" : ""}`;
}

/**
 * Which match comes next after (or before) a place, going round at the end.
 *
 * @param {readonly Match[]} matches
 * @param {Match} selection
 * @param {boolean} backward
 * @returns {number} -1 where there is none.
 */
export function nextMatch(matches, selection, backward) {
  if (matches.length === 0) return -1;
  if (backward) {
    const found = matches.findLastIndex((match) => match.end <= selection.start);
    return found === -1 ? matches.length - 1 : found;
  }
  const found = matches.findIndex((match) => match.start >= selection.end);
  return found === -1 ? 0 : found;
}
