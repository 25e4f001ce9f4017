// @ts-check
/** Text of an app's own that has to be written as JSON, whatever it is. */

/**
 * What a person does not see, and what moves other text about: controls, marks, directions, and letters
 * that are drawn as nothing, in which a text can hide.
 */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu;

/**
 * @param {string} text
 * @param {number} maxChars
 * @returns {string} One line of at most as many characters, of which each is seen where it stands.
 */
export function seen(text, maxChars) {
  return wellFormed(text, maxChars).replace(UNSEEN, "\ufffd");
}

/**
 * As `seen`, of a text in which lines and tabs are as its writer meant them. A carriage return alone is
 * none: where it is pasted it may do what Enter does.
 *
 * @param {string} text
 * @param {number} maxChars
 */
export function seenLines(text, maxChars) {
  return wellFormed(text, maxChars)
    .replace(/\r\n/g, "\n")
    .replace(UNSEEN, (char) => (char === "\n" || char === "\t" ? char : "\ufffd"));
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

/**
 * JSON of which a person sees each character where it stands. Outside of its strings there is nothing
 * unseen but its own line breaks, and inside an escape stands for the same value.
 *
 * @param {string} json As `JSON.stringify` writes it.
 */
export function seenJson(json) {
  return json.replace(UNSEEN, (char) => (char === "\n" ? char : escaped(char)));
}

/** @param {string} char Of one or two units. */
function escaped(char) {
  return char
    .split("")
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .join("");
}
