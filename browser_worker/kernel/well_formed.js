// @ts-check
/** Text of an app's own that has to be written as JSON, whatever it is. */

/** What a person does not see, and what moves other text about: controls, and directions. */
const UNSEEN = /[\p{Cc}\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/gu;

/**
 * @param {string} text
 * @param {number} maxChars
 * @returns {string} One line of at most as many characters, of which each is seen where it stands.
 */
export function seen(text, maxChars) {
  return wellFormed(text, maxChars).replace(UNSEEN, "\ufffd");
}

/**
 * @param {string} text
 * @param {number} maxChars
 * @returns {string} At most as many characters, without half ones (lone surrogates).
 */
export function wellFormed(text, maxChars) {
  const cut = text.length > maxChars ? `${text.slice(0, maxChars - 1)}…` : text;
  return cut.replace(/\p{Surrogate}/gu, "\ufffd");
}
