// @ts-check
/** The list of all keys, made from the commands themselves. */

import { keysText } from "./commands.js";

/** @import { Command } from "./commands.js" */

/**
 * @param {HTMLDialogElement} dialog
 * @param {HTMLElement} list
 * @param {readonly Command[]} commands
 * @returns {() => void} Opens it.
 */
export function bindShortcutsDialog(dialog, list, commands) {
  for (const { label, keys } of commands) {
    if (keys === null) continue;
    const row = document.createElement("div");
    const term = document.createElement("dt");
    term.textContent = label;
    const definition = document.createElement("dd");
    const key = document.createElement("kbd");
    key.textContent = keysText(keys);
    definition.append(key);
    row.append(term, definition);
    list.append(row);
  }
  return () => dialog.showModal();
}
