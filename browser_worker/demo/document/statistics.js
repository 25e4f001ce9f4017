// @ts-check
/** Counts words and characters. A paragraph never changes, so each is counted once. */

/** @import { Paragraph } from "./paragraph.js" */

/** @typedef {{ words: number, characters: number }} Counts Characters as a reader sees them. */

const WORD = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}]|[^\s\p{sc=Han}\p{sc=Hira}\p{sc=Kana}]+/gu;
const LETTER = /[\p{L}\p{N}]/u;
const ASCII = /^[\x20-\x7e]*$/;
const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });

/** @type {WeakMap<Paragraph, Counts>} */
const known = new WeakMap();

/**
 * Words and characters of all paragraphs, line feeds not counted.
 *
 * @param {readonly Paragraph[]} paragraphs
 * @returns {Counts}
 */
export function countAll(paragraphs) {
  let words = 0;
  let characters = 0;
  for (const paragraph of paragraphs) {
    const counts = countsOf(paragraph);
    words += counts.words;
    characters += counts.characters;
  }
  return { words, characters };
}

/** @param {Paragraph} paragraph */
function countsOf(paragraph) {
  let counts = known.get(paragraph);
  if (counts === undefined) {
    counts = { words: countWords(paragraph.text), characters: countCharacters(paragraph.text) };
    known.set(paragraph, counts);
  }
  return counts;
}

/**
 * Words are what stands between spaces and has a letter or a digit; each character of a script
 * without spaces is one.
 *
 * @param {string} text
 */
export function countWords(text) {
  return (text.match(WORD) ?? []).filter((word) => LETTER.test(word)).length;
}

/** @param {string} text */
export function countCharacters(text) {
  if (ASCII.test(text)) return text.length;
  let count = 0;
  for (const _ of graphemes.segment(text)) count++;
  return count;
}
