// @ts-check
/** Who may do what now: a line for each, with what takes it back. */

import { DrawnWhileSeen } from "./drawn_while_seen.js";
import { textElement } from "./text_element.js";

/** @import { Permissions, Revocable } from "../shell/permissions.js" */

/**
 * @typedef {object} GrantsElements
 * @property {HTMLElement} list
 * @property {HTMLElement} none
 * @property {HTMLButtonElement} all Takes everything back.
 * @property {HTMLElement} heading Has the keyboard where the last line is gone.
 */

/**
 * @typedef {object} Made
 * @property {HTMLLIElement} item
 * @property {HTMLElement} until
 * @property {HTMLElement} used
 * @property {HTMLButtonElement} button
 */

export class GrantsView {
  /**
   * @param {GrantsElements} elements
   * @param {Permissions} permissions
   * @param {(words: string) => void} onProblem Told where something is taken back for now only.
   */
  constructor(elements, permissions, onProblem) {
    this._onProblem = onProblem;
    this._elements = elements;
    this._permissions = permissions;
    /** @type {Map<string, Made>} */
    this._items = new Map();
    this._drawn = new DrawnWhileSeen(() => this._draw());
    permissions.onChange(() => this._drawn.soon());
    elements.all.addEventListener("click", () => {
      this._takeBack(() => permissions.revokeAll());
      elements.heading.focus();
    });
  }

  /** Nothing is drawn while it is not seen. @param {boolean} visible */
  setVisible(visible) {
    this._drawn.setVisible(visible);
  }

  _draw() {
    const { list, none, all } = this._elements;
    const permissions = this._permissions.all();
    const keys = new Set(permissions.map(({ key }) => key));
    const lost = [...this._items].filter(([key]) => !keys.has(key));
    for (const [key, { item, button }] of lost) {
      const next = /** @type {HTMLElement | null} */ (
        (item.nextElementSibling ?? item.previousElementSibling)?.querySelector("button") ?? null
      );
      const had = document.activeElement === button;
      item.remove();
      this._items.delete(key);
      if (had) (next ?? this._elements.heading).focus();
    }
    permissions.forEach((permission, at) => {
      const made = this._items.get(permission.key) ?? this._make(permission);
      write(made.used, permission.used);
      write(made.until, `${sinceWords(permission.since)}${permission.until}`);
      const there = list.children[at] ?? null;
      if (there !== made.item) list.insertBefore(made.item, there);
    });
    none.hidden = permissions.length > 0;
    list.hidden = permissions.length === 0;
    all.hidden = permissions.length < 2;
  }

  /** @param {() => void} revoke What cannot be kept is allowed again after a reload. */
  _takeBack(revoke) {
    try {
      revoke();
    } catch (error) {
      this._onProblem(error instanceof Error ? error.message : "It could not be taken back.");
    }
  }

  /** @param {Revocable} permission @returns {Made} */
  _make({ key, who, what, revoke }) {
    const item = document.createElement("li");
    const words = document.createElement("div");
    const until = textElement("span", "", "until");
    const used = textElement("span", "", "used");
    words.append(textElement("span", who, "who"), textElement("span", what, "what"), until, used);
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "Take back";
    button.setAttribute("aria-label", `Take back: ${who}: ${what}`);
    button.addEventListener("click", () => this._takeBack(revoke));
    item.append(words, button);
    const made = { item, until, used, button };
    this._items.set(key, made);
    return made;
  }
}

/**
 * Changes nothing where nothing is new: what is read aloud would be read again.
 *
 * @param {HTMLElement} element
 * @param {string} words
 */
function write(element, words) {
  if (element.textContent !== words) element.textContent = words;
}

/**
 * As whoever looks writes times, with the day where it was another one.
 *
 * @param {number | null} since Unix milliseconds.
 */
function sinceWords(since) {
  if (since === null) return "";
  const at = new Date(since);
  const today = at.toDateString() === new Date().toDateString();
  const day = today ? "" : `${at.toLocaleDateString([], { dateStyle: "medium" })}, `;
  // A time that is broken between two lines is hard to read.
  const time = at.toLocaleTimeString([], { timeStyle: "short" }).replaceAll(/\s/g, "\u00a0");
  return `since ${day}${time}, `;
}
