// @ts-check
/** Find and replace. What it finds and replaces goes through the document's own actions. */

import { findMatches, nextMatch } from "../document/finder.js";
import { highlight } from "./highlights.js";

/** @import { Match } from "../document/finder.js" */
/** @import { DocumentSelection } from "../document/document_selection.js" */
/** @import { TextDocument } from "../document/text_document.js" */
/** @import { Editor } from "./editor.js" */
/** @import { Run } from "./local_actions.js" */

/**
 * @typedef {object} FindParts
 * @property {HTMLElement} bar
 * @property {HTMLFormElement} form
 * @property {HTMLInputElement} query
 * @property {HTMLInputElement} replacement
 * @property {HTMLInputElement} matchCase
 * @property {HTMLInputElement} wholeWord
 * @property {HTMLElement} count
 * @property {Record<"previous" | "next" | "replace" | "replaceAll" | "close", HTMLButtonElement>} buttons
 */

/** Drives the bar's elements. */
export class FindBar {
  /**
   * @param {FindParts} parts
   * @param {{ text: TextDocument, selection: DocumentSelection, editor: Editor, run: Run }} around
   */
  constructor(parts, { text, selection, editor, run }) {
    this._parts = parts;
    this._text = text;
    this._selection = selection;
    this._editor = editor;
    this._run = run;
    /** @type {Match[]} */
    this._matches = [];
    /** The text and the query that the matches are of. */
    this._found = "";
    const { bar, form, query, matchCase, wholeWord, buttons } = parts;
    for (const field of [query, matchCase, wholeWord]) {
      field.addEventListener("input", () => {
        this._show();
        if (field === query) this._step(false, selection.start);
      });
    }
    form.addEventListener("submit", (event) => event.preventDefault());
    buttons.next.addEventListener("click", () => this._step(false));
    buttons.previous.addEventListener("click", () => this._step(true));
    buttons.replace.addEventListener("click", () => this._replaceOne());
    buttons.replaceAll.addEventListener("click", () => this._replaceAll());
    buttons.close.addEventListener("click", () => this.close());
    bar.addEventListener("keydown", (event) => this._onKey(event));
    editor.view.onRender(() => this._show());
    selection.onSet(() => this._show());
  }

  /** @param {{ replacing?: boolean }} [how] */
  open({ replacing = false } = {}) {
    const { bar, query, replacement } = this._parts;
    const { start, end, collapsed } = this._selection;
    const selected = this._text.text.slice(start, end);
    if (!collapsed && selected.length <= 200 && !selected.includes("\n")) query.value = selected;
    bar.hidden = false;
    this._show();
    const field = replacing && query.value !== "" ? replacement : query;
    field.focus();
    field.select();
  }

  close() {
    this._parts.bar.hidden = true;
    this._show();
    this._editor.focus();
  }

  /** @param {KeyboardEvent} event */
  _onKey(event) {
    if (event.isComposing) return;
    const { query, replacement } = this._parts;
    if (event.key === "Escape") {
      event.preventDefault();
      this.close();
    } else if (event.key === "Enter" && event.target === query) {
      event.preventDefault();
      this._step(event.shiftKey);
    } else if (event.key === "Enter" && event.target === replacement) {
      event.preventDefault();
      this._replaceOne();
    }
  }

  get _options() {
    const { query, matchCase, wholeWord } = this._parts;
    return {
      query: query.value,
      matchCase: matchCase.checked,
      wholeWord: wholeWord.checked,
    };
  }

  /** Looks again where anything has changed, and shows what there is. */
  _show() {
    const { bar, count, buttons } = this._parts;
    const { view } = this._editor;
    if (bar.hidden) {
      highlight("found", view, []);
      highlight("found-now", view, []);
      this._found = "";
      return;
    }
    const options = this._options;
    const found = JSON.stringify([this._text.revision, options]);
    if (found !== this._found) {
      this._found = found;
      this._matches = findMatches(this._text.text, options.query, options);
    }
    const now = this._current();
    const total = this._matches.length;
    const words =
      options.query === ""
        ? ""
        : total === 0
          ? "No matches"
          : now === -1
            ? `${total} ${total === 1 ? "match" : "matches"}`
            : `${now + 1} of ${total}`;
    // A live region that is written anew is read anew.
    if (count.textContent !== words) count.textContent = words;
    for (const button of [buttons.next, buttons.previous, buttons.replaceAll]) {
      button.disabled = total === 0;
    }
    buttons.replace.disabled = total === 0;
    if (view.composing) return;
    highlight("found", view, this._matches);
    highlight("found-now", view, this._matches.slice(now, now === -1 ? 0 : now + 1));
  }

  _current() {
    const { start, end } = this._selection;
    return this._matches.findIndex((match) => match.start === start && match.end === end);
  }

  /**
   * @param {boolean} backward
   * @param {number} [from] Where to look from; the selection without it.
   */
  _step(backward, from) {
    const { start, end } = this._selection;
    const here = from === undefined ? { start, end } : { start: from, end: from };
    const match = this._matches[nextMatch(this._matches, here, backward)];
    if (match === undefined) return;
    this._run("document.select", match);
    this._editor.reveal(match);
  }

  _replaceOne() {
    const match = this._matches[this._current()];
    if (match !== undefined) {
      this._run("document.text.replace", { ...match, text: this._parts.replacement.value });
    }
    this._step(false);
  }

  _replaceAll() {
    const { replacement, count } = this._parts;
    const done = this._run("document.replaceAll", {
      ...this._options,
      replacement: replacement.value,
    });
    if (done !== undefined) count.textContent = `${done.replaced} replaced`;
  }
}
