// @ts-check
/** The toolbar's controls: they run commands and show what the selection is. */

import { PARAGRAPH_STYLES } from "../document/paragraph_styles.js";
import { ariaKeys, keysText } from "./commands.js";
import { marksOn } from "./editor.js";
import { bindToolbar, setEnabled } from "./toolbar.js";

/** @import { DocumentSelection } from "../document/document_selection.js" */
/** @import { TextDocument } from "../document/text_document.js" */
/** @import { Command } from "./commands.js" */
/** @import { Editor } from "./editor.js" */

/**
 * @param {object} parts
 * @param {HTMLElement} parts.toolbar Its buttons name their commands by `data-command`.
 * @param {HTMLSelectElement} parts.style
 * @param {readonly Command[]} commands
 * @param {{ text: TextDocument, selection: DocumentSelection, editor: Editor }} around
 * @returns {() => void} Shows what the selection is.
 */
export function bindFormatControls({ toolbar, style }, commands, { text, selection, editor }) {
  const byName = new Map(commands.map((command) => [command.name, command]));
  for (const [name, { label }] of PARAGRAPH_STYLES) style.append(new Option(label, name));
  let byPointer = false;
  style.addEventListener("pointerdown", () => (byPointer = true));
  style.addEventListener("keydown", () => (byPointer = false));
  style.addEventListener("change", () => {
    // A selection that was not read yet makes the list show the style that it has.
    const chosen = style.value;
    editor.view.readSelection();
    byName.get(`style-${chosen}`)?.run();
    // Who chose with a pointer goes on to type; who chose with keys may choose again.
    if (byPointer) editor.focus();
  });
  /** @type {Map<string, HTMLButtonElement>} */
  const buttons = new Map();
  for (const each of toolbar.querySelectorAll("button")) {
    const command = byName.get(each.dataset["command"] ?? "");
    if (command === undefined) continue;
    buttons.set(command.name, each);
    each.setAttribute("aria-label", command.label);
    each.title = command.label;
    if (command.keys !== null) {
      each.title += ` (${keysText(command.keys)})`;
      each.setAttribute("aria-keyshortcuts", ariaKeys(command.keys));
    }
    each.addEventListener("click", () => {
      editor.view.readSelection();
      if (each.getAttribute("aria-disabled") !== "true") command.run();
    });
    // A click takes the focus from the text, and with it the selection.
    each.addEventListener("pointerdown", (event) => event.preventDefault());
  }
  const show = () => {
    style.value = editor.style;
    for (const [mark, on] of marksOn(editor.marks)) {
      buttons.get(mark)?.setAttribute("aria-pressed", String(on));
    }
    for (const [name, can] of [
      ["undo", text.canUndo],
      ["redo", text.canRedo],
    ]) {
      const found = buttons.get(String(name));
      if (found !== undefined) setEnabled(found, can === true);
    }
  };
  text.onChange(show);
  selection.onSet(show);
  bindToolbar(toolbar);
  show();
  return show;
}
