// @ts-check
/** Text of an app's own that has to be written as JSON, whatever it is. */

/**
 * @param {string} text
 * @param {number} maxChars
 * @returns {string} At most as many characters, without half ones (lone surrogates).
 */
export function wellFormed(text, maxChars) {
  const cut = text.length > maxChars ? `${text.slice(0, maxChars - 1)}…` : text;
  return cut.replace(/\p{Surrogate}/gu, "\ufffd");
}
