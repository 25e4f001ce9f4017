// @ts-check
/** Counts below the page. No live region: nobody wants to hear a number at each letter. */

import { countAll } from "../document/statistics.js";

/** @import { TextDocument } from "../document/text_document.js" */

const number = new Intl.NumberFormat("en");

/**
 * @param {number} count
 * @param {string} one
 */
const counted = (count, one) => `${number.format(count)} ${one}${count === 1 ? "" : "s"}`;

/**
 * @param {{ counts: HTMLElement, revision: HTMLElement }} parts
 * @param {TextDocument} text
 */
export function bindStatusBar({ counts, revision }, text) {
  const show = () => {
    const { words, characters } = countAll(text.paragraphs);
    counts.textContent = `${counted(words, "word")} · ${counted(characters, "character")}`;
    revision.textContent = `revision ${text.revision}`;
  };
  text.onChange(show);
  show();
}
