// @ts-check
/** Where the caret and the selection of a document stand. Follows the text as it changes. */

import { floorOffset, movedOffset } from "./text_offsets.js";

/** @import { TextEdit } from "./text_offsets.js" */
/** @import { TextDocument } from "./text_document.js" */

/** One selection. `anchor` is where it began, `focus` where the caret is. */
export class DocumentSelection {
  /** @param {TextDocument} document */
  constructor(document) {
    this._document = document;
    this._anchor = 0;
    this._focus = 0;
    /** What a transaction goes back to. @type {{ anchor: number, focus: number, set: boolean } | undefined} */
    this._memory = undefined;
    /** @type {Set<() => void>} */
    this._listeners = new Set();
    document.onEdit((edits) => this._follow(edits));
  }

  get anchor() {
    return this._anchor;
  }

  get focus() {
    return this._focus;
  }

  get start() {
    return Math.min(this._anchor, this._focus);
  }

  get end() {
    return Math.max(this._anchor, this._focus);
  }

  get collapsed() {
    return this._anchor === this._focus;
  }

  /**
   * @param {() => void} listener Told when it was set, not when it only followed the text.
   * @returns {() => void} Ends it.
   */
  onSet(listener) {
    this._listeners.add(listener);
    return () => void this._listeners.delete(listener);
  }

  /**
   * Sets it. Offsets outside of the text or inside a character are moved to the nearest that fit.
   *
   * @param {number} anchor
   * @param {number} [focus]
   */
  set(anchor, focus = anchor) {
    const { text } = this._document;
    this._anchor = floorOffset(text, anchor);
    this._focus = floorOffset(text, focus);
    if (this._memory === undefined) this._tell();
    else this._memory.set = true;
  }

  /** Remembers it, and tells nobody of what it is set to until `commit`. */
  begin() {
    this._memory = { anchor: this._anchor, focus: this._focus, set: false };
  }

  /** Call it when the document has told of its own changes: listeners look at both. */
  commit() {
    const set = this._memory?.set;
    this._memory = undefined;
    if (set) this._tell();
  }

  /** Puts it back to where it was at `begin`. Call it when the document is back. */
  rollback() {
    if (this._memory === undefined) return;
    ({ anchor: this._anchor, focus: this._focus } = this._memory);
    this._memory = undefined;
  }

  _tell() {
    for (const listener of this._listeners) listener();
  }

  /** @param {readonly TextEdit[]} edits */
  _follow(edits) {
    for (const edit of edits) {
      this._anchor = movedOffset(this._anchor, edit);
      this._focus = movedOffset(this._focus, edit);
    }
  }
}
