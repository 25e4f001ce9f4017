// @ts-check
/** The document's title above its text: a field that grows with what is in it. */

/** @import { TextDocument } from "../document/text_document.js" */
/** @import { Run } from "./local_actions.js" */

/**
 * @param {HTMLTextAreaElement} field In an element that has the same text for its height.
 * @param {TextDocument} text
 * @param {Run} run
 * @param {() => void} leave Goes on to the document's text.
 */
export function bindTitleField(field, text, run, leave) {
  const show = () => {
    if (field.value !== text.title) {
      const { selectionStart, selectionEnd } = field;
      field.value = text.title;
      field.setSelectionRange(selectionStart, selectionEnd);
    }
    field.parentElement?.setAttribute("data-value", field.value);
    document.title = `${text.title.trim() || "Untitled"} · Bascule Write`;
  };
  field.addEventListener("input", (event) => {
    // An input method's text is the document's when it is done.
    if (event instanceof InputEvent && event.isComposing) return;
    run("document.title.set", { title: field.value });
    show();
  });
  field.addEventListener("compositionend", () => {
    run("document.title.set", { title: field.value });
    show();
  });
  field.addEventListener("keydown", (event) => {
    if (event.isComposing || event.key !== "Enter") return;
    event.preventDefault();
    leave();
  });
  text.onChange(show);
  show();
}
