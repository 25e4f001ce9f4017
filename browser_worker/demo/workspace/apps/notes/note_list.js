// @ts-check
/** The list of notes that were found, each a button. */

/** @import { Match } from "./note_store.js" */

export class NoteList {
  /**
   * @param {HTMLElement} list
   * @param {(id: string) => void} open
   */
  constructor(list, open) {
    this._list = list;
    list.addEventListener("click", ({ target }) => {
      const button = target instanceof Element ? target.closest("button") : null;
      const id = button?.dataset["id"];
      if (id !== undefined) open(id);
    });
    list.addEventListener("keydown", (event) => this._move(event));
  }

  /**
   * @param {readonly Match[]} matches
   * @param {string | null} current
   */
  show(matches, current) {
    const before = document.activeElement;
    const focused =
      before instanceof HTMLElement && this._list.contains(before) ? before.dataset["id"] : null;
    this._list.replaceChildren(
      ...matches.map((match) => {
        const item = document.createElement("li");
        const button = document.createElement("button");
        button.type = "button";
        button.dataset["id"] = match.id;
        if (match.id === current) button.setAttribute("aria-current", "true");
        const title = document.createElement("span");
        title.className = "title";
        title.textContent = match.title === "" ? "Untitled" : match.title;
        const excerpt = document.createElement("span");
        excerpt.className = "excerpt";
        excerpt.textContent = match.excerpt;
        button.append(title, excerpt);
        item.append(button);
        return item;
      }),
    );
    if (focused) this._button(focused)?.focus();
  }

  /** @param {string | null} current */
  mark(current) {
    for (const button of this._list.querySelectorAll("button")) {
      if (button.dataset["id"] === current) button.setAttribute("aria-current", "true");
      else button.removeAttribute("aria-current");
    }
  }

  /** Puts the keyboard on a note, or else on the first. @param {string | null} id */
  focus(id) {
    ((id === null ? null : this._button(id)) ?? this._list.querySelector("button"))?.focus();
  }

  /** @param {string} id @returns {HTMLButtonElement | undefined} */
  _button(id) {
    return [...this._list.querySelectorAll("button")].find(({ dataset }) => dataset["id"] === id);
  }

  /** @param {KeyboardEvent} event */
  _move(event) {
    const buttons = [...this._list.querySelectorAll("button")];
    const at = buttons.findIndex((button) => button === event.target);
    if (at < 0) return;
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: buttons.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    buttons[to]?.focus();
  }
}
