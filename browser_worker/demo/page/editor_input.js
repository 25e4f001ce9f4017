// @ts-check
/** What the browser's `beforeinput` events ask for, as steps of our own. Knows no DOM. */

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });

/**
 * @typedef {{ kind: "insert", text: string }
 *   | { kind: "break" }
 *   | { kind: "delete", direction: "backward" | "forward" | "none" }
 *   | { kind: "command", command: "undo" | "redo" | "bold" | "italic" }
 *   | { kind: "nothing" }} InputIntent
 */

/** @type {ReadonlyMap<string, "undo" | "redo" | "bold" | "italic">} */
const COMMANDS = new Map([
  ["historyUndo", "undo"],
  ["historyRedo", "redo"],
  ["formatBold", "bold"],
  ["formatItalic", "italic"],
]);

const INSERTING = new Set([
  "insertText",
  "insertReplacementText",
  "insertFromYank",
  "insertFromPaste",
  "insertFromPasteAsQuotation",
  "insertTranspose",
]);

/**
 * @param {string} inputType
 * @param {string} text What it carries.
 * @returns {InputIntent} What is not known is not done: a document has no place for it.
 */
export function inputIntent(inputType, text) {
  const command = COMMANDS.get(inputType);
  if (command !== undefined) return { kind: "command", command };
  if (INSERTING.has(inputType)) return { kind: "insert", text };
  if (inputType === "insertParagraph" || inputType === "insertLineBreak") return { kind: "break" };
  if (inputType.startsWith("delete")) {
    const direction = /Backward$/.test(inputType)
      ? "backward"
      : /Forward$/.test(inputType)
        ? "forward"
        : "none";
    return { kind: "delete", direction };
  }
  return { kind: "nothing" };
}

/**
 * The character beside a caret, as a reader sees characters: where the browser names none.
 *
 * @param {string} text
 * @param {number} caret
 * @param {"backward" | "forward" | "none"} direction
 * @returns {{ start: number, end: number }}
 */
export function characterBeside(text, caret, direction) {
  if (direction === "backward") {
    const before = text.slice(Math.max(0, caret - 64), caret);
    const last = [...graphemes.segment(before)].at(-1)?.segment ?? "";
    return { start: caret - last.length, end: caret };
  }
  if (direction === "forward") {
    const [first] = graphemes.segment(text.slice(caret, caret + 64));
    return { start: caret, end: caret + (first?.segment.length ?? 0) };
  }
  return { start: caret, end: caret };
}
