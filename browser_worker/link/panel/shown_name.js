// @ts-check
/**
 * A name that somebody else chose, as a person may see it: what is invisible, reverses text or piles up
 * is written out, and length is bounded. Makes text, never markup.
 */

/** Blank on screen, but no space, control or format character by its category. */
const BLANK = "\\u2800";
/** An emoji of several parts is one picture: its joiners and selectors stay. */
const IN_EMOJI =
  "(?<=\\p{Extended_Pictographic}(?:\\ufe0f|\\p{Emoji_Modifier})*)(?:\\ufe0f|\\u200d(?=\\p{Extended_Pictographic}))";
const HIDDEN = `[\\p{Cc}\\p{Cf}\\p{Cs}\\p{Co}\\p{Cn}\\p{Zl}\\p{Zp}\\p{Default_Ignorable_Code_Point}${BLANK}]`;
/** More marks on one letter than any language writes: they would reach into the lines around. */
const PILED = "(?<=\\p{M}{4})\\p{M}";
const WRITTEN_OUT = new RegExp(`(${IN_EMOJI})|${HIDDEN}|${PILED}`, "gu");
const SPACES = /[\p{Zs}\t\n\r]+/gu;

/** What is looked at of a name at all: pattern and layout have no more to do. */
const MAX_READ_CHARS = 1_000;

/**
 * @param {string} name
 * @param {number} [maxChars] in code points, an ellipsis in the middle included: a name that only
 *   begins or only ends as another does not pass for it
 * @returns {string} never empty
 */
export function shownName(name, maxChars = 80) {
  const read = name.slice(0, MAX_READ_CHARS);
  const visible = read
    .replace(SPACES, " ")
    .replace(WRITTEN_OUT, (character, kept) => (kept === undefined ? code(character) : character))
    .trim();
  const characters = [...visible];
  if (characters.length === 0) return "(blank)";
  if (characters.length <= maxChars && read.length === name.length) return visible;
  const room = Math.min(maxChars, characters.length + 1) - 1;
  const head = Math.ceil(room * 0.6);
  const tail = room - head;
  return `${characters.slice(0, head).join("")}…${tail > 0 ? characters.slice(-tail).join("") : ""}`;
}

/** @param {string} character */
function code(character) {
  const point = character.codePointAt(0) ?? 0;
  return `[U+${point.toString(16).toUpperCase().padStart(4, "0")}]`;
}
