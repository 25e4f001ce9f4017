// @ts-check
/**
 * The text field and its buttons. Every edit, a typed letter too, goes through the dispatcher, so
 * that a person and a terminal do the same things by the same way.
 */

/** @import { Dispatcher } from "../dispatcher/dispatcher.js" */
/** @import { TextDocument } from "./text_document.js" */

/**
 * Binds the page's elements to a text.
 *
 * @param {object} parts
 * @param {HTMLTextAreaElement} parts.field
 * @param {Record<"undo" | "redo" | "stamp" | "clear", HTMLButtonElement>} parts.buttons
 * @param {HTMLOutputElement} parts.status
 * @param {TextDocument} parts.text
 * @param {Dispatcher} parts.dispatcher
 */
export function bindEditor({ field, buttons, status, text, dispatcher }) {
  /** @param {string} action @param {unknown} [input] */
  const run = (action, input) => dispatcher.executeLocal(action, input);

  const show = () => {
    const { value, selectionStart, selectionEnd } = field;
    if (value !== text.text) {
      const change = difference(value, text.text);
      field.value = text.text;
      field.setSelectionRange(moved(selectionStart, change), moved(selectionEnd, change));
    }
    buttons.undo.disabled = !text.canUndo;
    buttons.redo.disabled = !text.canRedo;
    buttons.clear.disabled = text.text === "";
    const words = text.text.split(/\s+/).filter(Boolean).length;
    status.value = `${words} ${words === 1 ? "word" : "words"} · revision ${text.revision}`;
  };

  field.addEventListener("input", () => {
    const caret = field.selectionEnd;
    const { start, end, inserted } = difference(text.text, field.value);
    run("document.text.replace", { start, end, text: inserted });
    show();
    field.setSelectionRange(caret, caret);
  });
  field.addEventListener("keydown", (event) => {
    if (!(event.ctrlKey || event.metaKey) || event.altKey) return;
    const key = event.key.toLowerCase();
    const wanted =
      key === "y" || (key === "z" && event.shiftKey) ? "redo" : key === "z" ? "undo" : null;
    if (wanted === null) return;
    event.preventDefault();
    buttons[wanted].click();
  });
  buttons.undo.addEventListener("click", () => run("document.undo"));
  buttons.redo.addEventListener("click", () => run("document.redo"));
  buttons.stamp.addEventListener("click", () => {
    run("document.text.insert", { text: new Date().toISOString().slice(0, 10) });
    field.focus();
  });
  buttons.clear.addEventListener("click", () => {
    run("document.text.delete", { start: 0, end: text.text.length });
    field.focus();
  });
  dispatcher.onCall(({ phase }) => {
    if (phase === "end") show();
  });
  show();
}

/**
 * The one stretch in which two texts differ.
 *
 * @param {string} before
 * @param {string} after
 * @returns {{ start: number, end: number, inserted: string }} `end` counts in `before`.
 */
export function difference(before, after) {
  const most = Math.min(before.length, after.length);
  let start = 0;
  while (start < most && before[start] === after[start]) start++;
  if (start > 0 && isHigh(before.charCodeAt(start - 1))) start--;
  let tail = 0;
  while (tail < most - start && before.at(-1 - tail) === after.at(-1 - tail)) tail++;
  if (tail > 0 && isLow(before.charCodeAt(before.length - tail))) tail--;
  return { start, end: before.length - tail, inserted: after.slice(start, after.length - tail) };
}

/**
 * Where a caret stands after a change before, around or behind it.
 *
 * @param {number} caret
 * @param {{ start: number, end: number, inserted: string }} change
 */
function moved(caret, { start, end, inserted }) {
  if (caret < start) return caret;
  return caret >= end ? caret - (end - start) + inserted.length : start + inserted.length;
}

/** @param {number} unit */
const isHigh = (unit) => unit >= 0xd800 && unit <= 0xdbff;
/** @param {number} unit */
const isLow = (unit) => unit >= 0xdc00 && unit <= 0xdfff;
