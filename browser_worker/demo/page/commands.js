// @ts-check
/**
 * What a person can do besides typing, in one table: its words, its keys and what it runs. The
 * toolbar, the shortcuts and their list are all made from it.
 */

import { PARAGRAPH_STYLES } from "../document/paragraph_styles.js";

/**
 * @typedef {object} Command
 * @property {string} name
 * @property {string} label
 * @property {Keys | null} keys
 * @property {() => void} run
 * @property {boolean} [everywhere] Also while a field other than the document has the focus.
 */

/**
 * @typedef {object} Keys A shortcut with Control, or Command on a Mac.
 * @property {string} key As the event's `key` in lower case, or a digit of its `code`.
 * @property {boolean} [shift]
 * @property {boolean} [alt]
 */

const APPLE = /Mac|iPhone|iPad/.test(navigator.platform);

/**
 * @param {Keys} keys
 * @returns {string} As people write it.
 */
export function keysText({ key, shift = false, alt = false }) {
  const name = key.length === 1 ? key.toUpperCase() : key;
  return APPLE
    ? `${alt ? "⌥" : ""}${shift ? "⇧" : ""}⌘${name}`
    : ["Ctrl", ...(alt ? ["Alt"] : []), ...(shift ? ["Shift"] : []), name].join("+");
}

/**
 * @param {Keys} keys
 * @returns {string} As `aria-keyshortcuts` wants it.
 */
export function ariaKeys({ key, shift = false, alt = false }) {
  return [
    APPLE ? "Meta" : "Control",
    ...(alt ? ["Alt"] : []),
    ...(shift ? ["Shift"] : []),
    key.toUpperCase(),
  ].join("+");
}

/**
 * @param {KeyboardEvent} event
 * @param {Keys} keys
 */
function pressed(event, { key, shift = false, alt = false }) {
  // AltGr makes characters, and comes as Control and Alt.
  if (event.getModifierState("AltGraph")) return false;
  const control = APPLE ? event.metaKey && !event.ctrlKey : event.ctrlKey && !event.metaKey;
  const same = event.key.toLowerCase() === key || (/\d/.test(key) && event.code === `Digit${key}`);
  return control && event.altKey === alt && event.shiftKey === shift && same;
}

/**
 * Runs commands by their keys.
 *
 * @param {readonly Command[]} commands
 * @param {(target: EventTarget | null) => boolean} inDocument Asked before each command:
 *   whether a place is the document's own.
 */
export function bindKeys(commands, inDocument) {
  document.addEventListener("keydown", (event) => {
    if (event.isComposing || event.defaultPrevented) return;
    const command = commands.find(({ keys }) => keys !== null && pressed(event, keys));
    if (command === undefined) return;
    const within = inDocument(event.target);
    if (!command.everywhere && !within) return;
    event.preventDefault();
    command.run();
  });
}

/**
 * @param {(style: import("../document/paragraph_styles.js").ParagraphStyle) => void} setStyle
 * @returns {Command[]} One for each paragraph style.
 */
export function styleCommands(setStyle) {
  return [...PARAGRAPH_STYLES].map(([style, { label, shortcut }]) => ({
    name: `style-${style}`,
    label,
    keys: { key: shortcut, alt: true },
    run: () => setStyle(style),
  }));
}
