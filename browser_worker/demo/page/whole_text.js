// @ts-check
/** Text of whole characters, as JSON and backends want it, whoever wrote it. */

const HALF = /\p{Surrogate}/gu;

/** @param {string} text @returns {string} With a mark in place of each half character. */
export function whole(text) {
  return text.replace(HALF, "\ufffd");
}

/**
 * @param {string} text
 * @param {number} maxChars Characters, as schemas count them.
 * @returns {string} Its beginning, without half of one.
 */
export function cut(text, maxChars) {
  return whole(Array.from(text).slice(0, maxChars).join(""));
}
