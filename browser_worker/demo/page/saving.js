// @ts-check
/**
 * Saves the document a moment after each change, and follows what other tabs save. Where both
 * tabs have written, a person decides.
 */

import { STORAGE_KEY } from "../document/saved_document.js";

/** @import { Loaded, SavedDocument } from "../document/saved_document.js" */
/** @import { TextDocument } from "../document/text_document.js" */
/** @import { Notices } from "./notices.js" */

const DELAY_MS = 400;

/** @type {ReadonlyMap<Loaded["kind"], string>} */
const TROUBLES = new Map([
  ["damaged", "What this browser had saved is damaged. It was put aside; you begin anew."],
  [
    "newer",
    "A newer version of this page has saved a document here. It is left alone, and what you write now is not saved.",
  ],
  ["unavailable", "This browser lets the page save nothing. Export what you want to keep."],
]);

/** Saves one document. */
export class Saving {
  /**
   * @param {TextDocument} text
   * @param {SavedDocument} saved
   * @param {Notices} notices
   * @param {HTMLElement} state Shows whether everything is saved.
   * @param {string} [savedWords] What it shows where that is so.
   */
  constructor(text, saved, notices, state, savedWords = "Saved here") {
    this._text = text;
    this._saved = saved;
    this._notices = notices;
    this._state = state;
    this._savedWords = savedWords;
    this._unsaved = false;
    this._conflict = false;
    /** The document is being taken over from another tab. */
    this._taking = false;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this._timer = undefined;
    text.onChange(() => this._onChange());
    addEventListener("storage", (event) => {
      if (event.key === STORAGE_KEY && saved.isForeign(event.newValue)) {
        this._onForeign(event.newValue);
      }
    });
    addEventListener("pagehide", () => this._save());
    // A frame that is taken away has no time for it then; whoever takes it away was elsewhere first.
    addEventListener("blur", () => this._save());
    document.addEventListener("visibilitychange", () => {
      if (document.visibilityState === "hidden") this._save();
    });
  }

  /** @param {Loaded["kind"]} kind How the document was found when the page began. */
  begin(kind) {
    const trouble = TROUBLES.get(kind);
    if (trouble !== undefined) this._notices.show(trouble);
    this._state.textContent =
      kind === "newer" || kind === "unavailable" ? "Not saved" : this._savedWords;
  }

  _onChange() {
    if (this._taking) return;
    this._unsaved = true;
    if (this._conflict) return;
    this._state.textContent = "Saving…";
    clearTimeout(this._timer);
    this._timer = setTimeout(() => this._save(), DELAY_MS);
  }

  /** @param {{ force?: boolean }} [how] */
  _save({ force = false } = {}) {
    clearTimeout(this._timer);
    if (!this._unsaved || (this._conflict && !force)) return;
    const { title, paragraphs } = this._text;
    switch (this._saved.save({ title, paragraphs }, { force })) {
      case "saved":
        this._unsaved = false;
        this._conflict = false;
        this._state.textContent = this._savedWords;
        break;
      case "conflict":
        this._ask();
        break;
      case "newer":
      case "failed":
        this._state.textContent = "Not saved";
        break;
    }
  }

  /** @param {string | null} raw */
  _onForeign(raw) {
    if (this._unsaved) this._ask();
    else this._take(this._saved.take(raw));
  }

  /** Takes over what another tab has saved; Undo brings back what was here. @param {Loaded} found */
  _take(found) {
    this._conflict = false;
    if (found.kind !== "found") return;
    this._taking = true;
    this._text.load(found.document);
    this._taking = false;
    this._unsaved = false;
    this._state.textContent = this._savedWords;
  }

  _ask() {
    this._conflict = true;
    this._state.textContent = "Not saved";
    this._notices.show("Another tab has changed this document too. Which one shall stay?", [
      { label: "Take the other tab’s", run: () => this._take(this._saved.load()) },
      { label: "Keep this one", run: () => this._save({ force: true }) },
    ]);
  }
}
