// @ts-check
/**
 * What was done to a document, so that it can be undone and done again. It keeps changes and
 * applies none; each holds all that is needed to go either way.
 */

import { at, lengthOf, startOf } from "./paragraph_list.js";

/** @import { Splice } from "./paragraph_list.js" */
/** @import { Paragraph } from "./paragraph.js" */
/** @import { DocumentState, Span } from "./text_document.js" */
/** @import { TextEdit } from "./text_offsets.js" */

/**
 * @typedef {object} Change One step of undo.
 * @property {Splice} splice
 * @property {{ before: string, after: string } | null} title
 * @property {readonly TextEdit[]} edits The same as edits of the text, in the order in which they apply.
 */

/**
 * What a person's typing is, for joining it: letters make a word, a space ends it.
 *
 * @typedef {"letter" | "space" | "erase" | "title" | null} Typing
 */

/** @type {ReadonlyMap<Typing, ReadonlySet<Typing>>} What may follow within one step. */
const JOINS = new Map([
  ["letter", new Set(/** @type {Typing[]} */ (["letter", "space"]))],
  ["erase", new Set(/** @type {Typing[]} */ (["erase"]))],
  ["title", new Set(/** @type {Typing[]} */ (["title"]))],
]);

/** A splice that changes nothing: of a step that is of the title only. @type {Readonly<Splice>} */
export const NOTHING = Object.freeze({ at: 0, removed: [], inserted: [] });

const LETTER = /^\S$/u;
const SPACE = /^[^\S\n]$/u;

/**
 * What a person's edit is as typing.
 *
 * @param {TextEdit} edit
 * @param {string} inserted
 * @returns {Typing}
 */
export function typing({ removed }, inserted) {
  if (removed === 0 && LETTER.test(inserted)) return "letter";
  if (removed === 0 && SPACE.test(inserted)) return "space";
  return inserted === "" && removed <= 2 ? "erase" : null;
}

/** @typedef {{ undo: readonly Change[], redo: readonly Change[], typing: Typing }} HistoryState */

/** The steps of one document. */
export class History {
  /** @param {number} [limit] The most steps that can be undone. */
  constructor(limit = 1_000) {
    this._limit = limit;
    /** @type {Change[]} */
    this._undo = [];
    /** @type {Change[]} */
    this._redo = [];
    /** @type {Typing} */
    this._typing = null;
  }

  get canUndo() {
    return this._undo.length > 0;
  }

  get canRedo() {
    return this._redo.length > 0;
  }

  /**
   * @param {Change} change
   * @param {Typing} [typing]
   */
  record(change, typing = null) {
    const last = this._undo.at(-1);
    const whole =
      last !== undefined && JOINS.get(this._typing)?.has(typing) ? together(last, change) : null;
    if (whole !== null) {
      this._undo[this._undo.length - 1] = whole;
    } else {
      this._undo.push(change);
      if (this._undo.length > this._limit) this._undo.shift();
    }
    this._typing = typing;
    this._redo = [];
  }

  /**
   * All of it as it is now.
   *
   * @returns {HistoryState}
   */
  state() {
    return { undo: [...this._undo], redo: [...this._redo], typing: this._typing };
  }

  /** @param {HistoryState} state */
  restore({ undo, redo, typing: kind }) {
    this._undo = [...undo];
    this._redo = [...redo];
    this._typing = kind;
  }

  /** Ends the step that typing would still go into. */
  close() {
    this._typing = null;
  }

  /** @returns {Change | undefined} What to apply. */
  undo() {
    const change = this._undo.pop();
    if (change === undefined) return undefined;
    this._redo.push(change);
    this._typing = null;
    return inverse(change);
  }

  /** @returns {Change | undefined} What to apply. */
  redo() {
    const change = this._redo.pop();
    if (change === undefined) return undefined;
    this._undo.push(change);
    this._typing = null;
    return change;
  }
}

/**
 * @param {Change} change
 * @returns {Change}
 */
export function inverse({ splice, title, edits }) {
  return {
    splice: { at: splice.at, removed: splice.inserted, inserted: splice.removed },
    title: title === null ? null : { before: title.after, after: title.before },
    edits: edits
      .map(({ start, removed, inserted }) => ({ start, removed: inserted, inserted: removed }))
      .reverse(),
  };
}

/**
 * What made one state of another, as one step of undo.
 *
 * @param {DocumentState} before
 * @param {DocumentState} after
 * @param {readonly TextEdit[]} edits
 * @returns {Change | null} Null where the states are the same.
 */
export function wholeChange(before, after, edits) {
  const [from, to] = [before.paragraphs, after.paragraphs];
  const most = Math.min(from.length, to.length);
  const same = (/** @type {number} */ one, /** @type {number} */ other) =>
    at(from, one).equals(at(to, other));
  let first = 0;
  while (first < most && same(first, first)) first++;
  let tail = 0;
  while (tail < most - first && same(from.length - 1 - tail, to.length - 1 - tail)) tail++;
  const removed = from.slice(first, from.length - tail);
  const inserted = to.slice(first, to.length - tail);
  const title = before.title === after.title ? null : { before: before.title, after: after.title };
  if (title === null && removed.length === 0 && inserted.length === 0) return null;
  return { splice: { at: first, removed, inserted }, title, edits };
}

/**
 * Two changes as one, where the second goes on at the place of the first.
 *
 * @param {Change} first
 * @param {Change} second
 * @returns {Change | null}
 */
function together(first, second) {
  if (first.title !== null && second.title !== null) {
    return { ...second, title: { before: first.title.before, after: second.title.after } };
  }
  const [one, another] = [first.edits[0], second.edits[0]];
  if (one === undefined || another === undefined) return null;
  if (first.splice.at !== second.splice.at) return null;
  if (first.splice.inserted.length !== 1 || second.splice.removed.length !== 1) return null;
  const goesOn = another.removed === 0 && one.start + one.inserted === another.start;
  const erasesOn =
    one.inserted === 0 &&
    another.inserted === 0 &&
    (another.start + another.removed === one.start || another.start === one.start);
  if (!goesOn && !erasesOn) return null;
  return {
    splice: { ...second.splice, removed: first.splice.removed },
    title: null,
    edits: [
      {
        start: Math.min(one.start, another.start),
        removed: one.removed + another.removed,
        inserted: one.inserted + another.inserted,
      },
    ],
  };
}

/**
 * The stretch of the text that a change has touched.
 *
 * @param {Change} change
 * @param {readonly Paragraph[]} paragraphs As they are now.
 * @returns {Span}
 */
export function touched({ splice, edits }, paragraphs) {
  const [edit] = edits;
  if (edits.length === 1 && edit !== undefined) {
    return { start: edit.start, end: edit.start + edit.inserted };
  }
  if (splice.inserted.length === 0) return { start: 0, end: 0 };
  const start = startOf(paragraphs, splice.at);
  return { start, end: start + lengthOf(splice.inserted) };
}
