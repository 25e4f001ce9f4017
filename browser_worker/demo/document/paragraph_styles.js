// @ts-check
/** The styles that a paragraph can have and the marks that its characters can have, in one table each. */

/** @typedef {"body" | "heading-1" | "heading-2" | "heading-3" | "quote" | "list" | "numbered" | "code"} ParagraphStyle */
/** @typedef {"bold" | "italic" | "code"} Mark */

/**
 * @typedef {object} StyleRow
 * @property {string} label For people.
 * @property {ParagraphStyle} next The style of a paragraph that is begun behind such a one.
 * @property {string} shortcut The digit of its shortcut.
 * @property {string} prefix What a person may type at the beginning of a paragraph to get it; "" for none.
 */

/** @type {ReadonlyMap<ParagraphStyle, Readonly<StyleRow>>} */
export const PARAGRAPH_STYLES = new Map([
  ["body", { label: "Body", next: "body", shortcut: "0", prefix: "" }],
  ["heading-1", { label: "Heading 1", next: "body", shortcut: "1", prefix: "#" }],
  ["heading-2", { label: "Heading 2", next: "body", shortcut: "2", prefix: "##" }],
  ["heading-3", { label: "Heading 3", next: "body", shortcut: "3", prefix: "###" }],
  ["quote", { label: "Quote", next: "quote", shortcut: "4", prefix: ">" }],
  ["list", { label: "List", next: "list", shortcut: "5", prefix: "-" }],
  ["numbered", { label: "Numbered list", next: "numbered", shortcut: "6", prefix: "1." }],
  ["code", { label: "Code", next: "code", shortcut: "7", prefix: "```" }],
]);

/** @type {readonly ParagraphStyle[]} */
export const STYLE_NAMES = Object.freeze([...PARAGRAPH_STYLES.keys()]);

/** Each mark is one bit, so that a run's marks are one number. @type {ReadonlyMap<Mark, number>} */
export const MARKS = new Map([
  ["bold", 1],
  ["italic", 2],
  ["code", 4],
]);

/** @type {readonly Mark[]} */
export const MARK_NAMES = Object.freeze([...MARKS.keys()]);

export const ALL_MARKS = 7;

/**
 * @param {ParagraphStyle} style
 * @returns {Readonly<StyleRow>}
 */
export function styleRow(style) {
  const row = PARAGRAPH_STYLES.get(style);
  if (row === undefined) throw new TypeError(`no paragraph style: ${style}`);
  return row;
}

/**
 * @param {Mark} mark
 * @returns {number}
 */
export function markBit(mark) {
  const bit = MARKS.get(mark);
  if (bit === undefined) throw new TypeError(`no mark: ${mark}`);
  return bit;
}

/**
 * @param {readonly Mark[]} marks
 * @returns {number}
 */
export function markBits(marks) {
  return marks.reduce((bits, mark) => bits | markBit(mark), 0);
}

/**
 * @param {number} bits
 * @returns {Mark[]}
 */
export function marksOf(bits) {
  return MARK_NAMES.filter((mark) => (bits & markBit(mark)) !== 0);
}
