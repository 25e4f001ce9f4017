// @ts-check
/**
 * What was done to a document, so that it can be undone and done again. It keeps changes and
 * applies none; each holds all that is needed to go either way.
 */

/** @import { Splice } from "./paragraph_list.js" */
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
