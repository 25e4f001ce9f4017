// @ts-check
/** What the person has chosen: one shape, and what a pointer draws next. */

/** @import { DRAWN_KINDS } from "../model/shapes.js" */

/** @typedef {typeof DRAWN_KINDS[number]} DrawnKind */

export class Selection {
  constructor() {
    /** @type {string | null} */
    this._shape = null;
    /** @type {DrawnKind | null} */
    this._drawing = null;
    /** @type {Set<() => void>} */
    this._observers = new Set();
  }

  /** Its id; null for none. */
  get shape() {
    return this._shape;
  }

  /** Null where a pointer selects and moves. */
  get drawing() {
    return this._drawing;
  }

  /** @param {string | null} id */
  select(id) {
    if (this._shape === id) return;
    this._shape = id;
    this._notify();
  }

  /** @param {DrawnKind | null} kind */
  draw(kind) {
    if (this._drawing === kind) return;
    this._drawing = kind;
    this._notify();
  }

  /** @param {() => void} observer */
  onChange(observer) {
    this._observers.add(observer);
  }

  _notify() {
    for (const observer of [...this._observers]) observer();
  }
}
