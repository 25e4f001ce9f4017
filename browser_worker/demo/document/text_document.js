// @ts-check
/**
 * A document: a title and styled paragraphs, with undo, redo and a revision. Knows nothing of the
 * page or of actions.
 *
 * Offsets count UTF-16 code units of the paragraphs' texts with a line feed between each two; no
 * edit splits a surrogate pair. The revision moves with every change and never without one.
 */

import { DOCUMENT_LIMITS, checkLimits } from "./document_limits.js";
import { History, NOTHING, inverse, touched, typing, wholeChange } from "./history.js";
import { Paragraph } from "./paragraph.js";
import { markBit } from "./paragraph_styles.js";
import { at, lengthOf, placeOf, replaced, spliced, startOf, textOf } from "./paragraph_list.js";
import { allReplaced } from "./replace_all.js";
import { OffsetError, cleanText, splitsCharacter } from "./text_offsets.js";

/** @import { DocumentLimits } from "./document_limits.js" */
/** @import { Change, HistoryState, Typing } from "./history.js" */
/** @import { Mark, ParagraphStyle } from "./paragraph_styles.js" */
/** @import { TextEdit } from "./text_offsets.js" */

/** @typedef {{ title: string, paragraphs: readonly Paragraph[] }} DocumentState */
/** @typedef {{ start: number, end: number }} Span */
/** @typedef {{ state: DocumentState, revision: number, history: HistoryState, edits: TextEdit[], told: boolean }} Memory */

const EMPTY = Object.freeze([new Paragraph("body")]);

/** One document. */
export class TextDocument {
  /**
   * @param {DocumentState} [state]
   * @param {Readonly<DocumentLimits>} [limits]
   */
  constructor({ title, paragraphs } = { title: "", paragraphs: EMPTY }, limits = DOCUMENT_LIMITS) {
    this._limits = limits;
    this._title = cleanText(title);
    /** @type {readonly Paragraph[]} */
    this._paragraphs = Object.freeze(paragraphs.length === 0 ? EMPTY : [...paragraphs]);
    this._length = lengthOf(this._paragraphs);
    /** Made when it is asked for. @type {string | undefined} */
    this._text = undefined;
    this._revision = 1;
    this._history = new History();
    /** What a transaction goes back to. @type {Memory | undefined} */
    this._memory = undefined;
    /** @type {Set<(edits: readonly TextEdit[]) => void>} */
    this._followers = new Set();
    /** @type {Set<(edits: readonly TextEdit[]) => void>} */
    this._listeners = new Set();
  }

  get title() {
    return this._title;
  }

  /** All paragraphs; there is always one. */
  get paragraphs() {
    return this._paragraphs;
  }

  get text() {
    this._text ??= textOf(this._paragraphs);
    return this._text;
  }

  /** The text's length, which costs nothing. */
  get length() {
    return this._length;
  }

  get revision() {
    return this._revision;
  }

  get canUndo() {
    return this._history.canUndo;
  }

  get canRedo() {
    return this._history.canRedo;
  }

  /**
   * @param {(edits: readonly TextEdit[]) => void} follower Told at once of each edit, within a
   *   transaction too: for what stands in the text as long as the text is there.
   */
  onEdit(follower) {
    this._followers.add(follower);
  }

  /**
   * @param {(edits: readonly TextEdit[]) => void} listener Told after each change how the text moved;
   *   of a transaction once, when it is committed, and never when it is rolled back.
   * @returns {() => void} Ends it.
   */
  onChange(listener) {
    this._listeners.add(listener);
    return () => void this._listeners.delete(listener);
  }

  /**
   * Puts `text` where `start` to `end` was.
   *
   * @param {number} start
   * @param {number} end
   * @param {string} text
   * @param {{ typed?: boolean, marks?: number | undefined }} [how] Typed letters join into one step of undo,
   *   word by word.
   * @returns {Span} Where the new text stands.
   * @throws {OffsetError}
   * @throws {DocumentLimitError}
   */
  replace(start, end, text, { typed = false, marks } = {}) {
    this.checkSpan(start, end);
    const inserted = cleanText(text);
    const from = placeOf(this._paragraphs, start);
    const to = placeOf(this._paragraphs, end);
    const splice = replaced(this._paragraphs, from, to, inserted, marks);
    const edit = { start, removed: end - start, inserted: inserted.length };
    this._change({ splice, title: null, edits: [edit] }, typed ? typing(edit, inserted) : null);
    return { start, end: start + inserted.length };
  }

  /**
   * Puts one text in the place of several, as one step of undo.
   *
   * @param {readonly Span[]} spans In order, not overlapping.
   * @param {string} text
   * @throws {DocumentLimitError}
   */
  replaceAll(spans, text) {
    const inserted = cleanText(text);
    if (spans.length === 0) return;
    const splice = allReplaced(this._paragraphs, spans, inserted);
    const edits = spans
      .map(({ start, end }) => ({ start, removed: end - start, inserted: inserted.length }))
      .reverse();
    this._change({ splice, title: null, edits });
  }

  /**
   * Puts whole paragraphs before paragraph `before`. The one that an empty document has makes room.
   *
   * @param {number} before The number of paragraphs for the end.
   * @param {readonly Paragraph[]} inserted At least one.
   * @returns {Span} Where their text stands.
   * @throws {DocumentLimitError}
   */
  insertParagraphs(before, inserted) {
    const paragraphs = this._paragraphs;
    if (this._length === 0 && paragraphs.length === 1) {
      const edit = { start: 0, removed: 0, inserted: lengthOf(inserted) };
      this._change({
        splice: { at: 0, removed: paragraphs, inserted },
        title: null,
        edits: [edit],
      });
      return { start: 0, end: this._length };
    }
    const last = before >= paragraphs.length;
    const start = last ? this._length : startOf(paragraphs, before);
    const edit = { start, removed: 0, inserted: lengthOf(inserted) + 1 };
    this._change({
      splice: { at: Math.min(before, paragraphs.length), removed: [], inserted },
      title: null,
      edits: [edit],
    });
    return last
      ? { start: start + 1, end: this._length }
      : { start, end: start + edit.inserted - 1 };
  }

  /**
   * Gives a style to paragraphs `first` to `last`.
   *
   * @param {number} first
   * @param {number} last
   * @param {ParagraphStyle} style
   * @throws {OffsetError}
   */
  setStyle(first, last, style) {
    this.checkParagraph(first);
    this.checkParagraph(last, first);
    const removed = this._paragraphs.slice(first, last + 1);
    const inserted = removed.map((paragraph) => paragraph.withStyle(style));
    this._change({ splice: { at: first, removed, inserted }, title: null, edits: [] });
  }

  /**
   * Gives a mark to the characters from `start` to `end`, or takes it from them.
   *
   * @param {number} start
   * @param {number} end
   * @param {Mark} mark
   * @param {boolean} on
   * @throws {OffsetError}
   */
  setMark(start, end, mark, on) {
    this.checkSpan(start, end);
    const from = placeOf(this._paragraphs, start);
    const to = placeOf(this._paragraphs, end);
    const removed = this._paragraphs.slice(from.index, to.index + 1);
    const inserted = removed.map((paragraph, index) =>
      paragraph.withMark(
        index === 0 ? from.offset : 0,
        index === removed.length - 1 ? to.offset : paragraph.length,
        markBit(mark),
        on,
      ),
    );
    this._change({ splice: { at: from.index, removed, inserted }, title: null, edits: [] });
  }

  /**
   * Whether all characters from `start` to `end` have a mark. Offsets past the end are the end.
   *
   * @param {number} start
   * @param {number} end
   * @returns {number} The bits of the marks that all of them have.
   */
  marksBetween(start, end) {
    const from = placeOf(this._paragraphs, start);
    if (start === end) return at(this._paragraphs, from.index).marksAt(from.offset);
    const to = placeOf(this._paragraphs, end);
    let bits = -1;
    for (let index = from.index; index <= to.index; index++) {
      const paragraph = at(this._paragraphs, index);
      const left = index === from.index ? from.offset : 0;
      const right = index === to.index ? to.offset : paragraph.length;
      for (const run of paragraph.slice(left, right)) bits &= run.marks;
    }
    return bits === -1 ? 0 : bits;
  }

  /**
   * @param {string} title
   * @param {{ typed?: boolean }} [how]
   * @throws {DocumentLimitError}
   */
  setTitle(title, { typed = false } = {}) {
    const after = cleanText(title).replace(/\n/g, " ");
    const renamed = { before: this._title, after };
    this._change({ splice: NOTHING, title: renamed, edits: [] }, typed ? "title" : null);
  }

  /**
   * Puts another document in the place of this one. Can be undone.
   *
   * @param {DocumentState} state
   * @throws {DocumentLimitError}
   */
  load({ title, paragraphs }) {
    const inserted = paragraphs.length === 0 ? EMPTY : paragraphs;
    const edit = { start: 0, removed: this._length, inserted: lengthOf(inserted) };
    this._change({
      splice: { at: 0, removed: this._paragraphs, inserted },
      title: { before: this._title, after: cleanText(title) },
      edits: [edit],
    });
  }

  /** @returns {Span | undefined} Where text was brought back or taken away. */
  undo() {
    return this._again(this._history.undo());
  }

  /** @returns {Span | undefined} Where text was put or taken away again. */
  redo() {
    return this._again(this._history.redo());
  }

  /** Ends the step of undo that typing would still go into: the caret went elsewhere, say. */
  endTyping() {
    this._history.close();
  }

  /** Remembers all of it, until `commit` or `rollback`. */
  begin() {
    if (this._memory !== undefined) throw new Error("a transaction has begun already");
    const state = { title: this._title, paragraphs: this._paragraphs };
    const history = this._history.state();
    this._memory = { state, revision: this._revision, history, edits: [], told: false };
  }

  /** Makes one step of undo of all that was done since `begin`, and tells of it. */
  commit() {
    const memory = this._memory;
    if (memory === undefined) throw new Error("no transaction has begun");
    const { state, revision, history, edits } = memory;
    const whole = wholeChange(state, this, [...edits]);
    this._history.restore(history);
    if (whole === null) this._revision = revision;
    else this._history.record(whole);
    memory.told = true;
    if (whole !== null || edits.length > 0) this._tell(edits);
    this._memory = undefined;
  }

  /** Puts all of it back to what it was at `begin`: the revision and the steps of undo, too. */
  rollback() {
    const memory = this._memory;
    if (memory === undefined) throw new Error("no transaction has begun");
    this._memory = undefined;
    this._setParagraphs(memory.state.paragraphs);
    this._title = memory.state.title;
    this._revision = memory.revision;
    this._history.restore(memory.history);
    const { edits } = inverse({ splice: NOTHING, title: null, edits: memory.edits });
    for (const follower of this._followers) follower(edits);
    // Where a listener has failed in `commit`, others had been told of what is no more.
    if (memory.told) this._tell(edits);
  }

  /**
   * @param {number} start
   * @param {number} end
   * @throws {OffsetError}
   */
  checkSpan(start, end) {
    this.checkOffset("start", start);
    this.checkOffset("end", end, start);
  }

  /**
   * @param {number} index
   * @param {number} [least]
   * @param {string} [name] Which input it is.
   * @throws {OffsetError}
   */
  checkParagraph(index, least = 0, name = "paragraph") {
    if (!Number.isInteger(index) || index < least || index >= this._paragraphs.length) {
      throw new OffsetError(name, `must be from ${least} to ${this._paragraphs.length - 1}`);
    }
  }

  /**
   * @param {string} name Which input it is.
   * @param {number} offset
   * @param {number} [least]
   * @throws {OffsetError}
   */
  checkOffset(name, offset, least = 0) {
    if (!Number.isInteger(offset) || offset < least || offset > this._length) {
      throw new OffsetError(name, `must be from ${least} to ${this._length}`);
    }
    const place = placeOf(this._paragraphs, offset);
    if (splitsCharacter(at(this._paragraphs, place.index).text, place.offset)) {
      throw new OffsetError(name, "stands inside a character");
    }
  }

  /**
   * Applies a change of ours and remembers it, unless it changes nothing.
   *
   * @param {Change} change
   * @param {Typing} [typing]
   */
  _change(change, typing = null) {
    const { splice, title } = change;
    const sameTitle = title === null || title.before === title.after;
    const sameText =
      splice.removed.length === splice.inserted.length &&
      splice.removed.every((paragraph, index) => paragraph.equals(at(splice.inserted, index)));
    if (sameTitle && sameText) return;
    checkLimits(this._paragraphs, change, this._limits);
    this._history.record(change, typing);
    this._apply(change);
  }

  /** @param {Change | undefined} change */
  _again(change) {
    if (change === undefined) return undefined;
    this._apply(change);
    return touched(change, this._paragraphs);
  }

  /** @param {Change} change */
  _apply({ splice, title, edits }) {
    if (splice !== NOTHING) this._setParagraphs(spliced(this._paragraphs, splice));
    if (title !== null) this._title = title.after;
    this._revision++;
    for (const follower of this._followers) follower(edits);
    if (this._memory === undefined) this._tell(edits);
    else this._memory.edits.push(...edits);
  }

  /** @param {readonly TextEdit[]} edits */
  _tell(edits) {
    for (const listener of this._listeners) listener(edits);
  }

  /** @param {readonly Paragraph[]} paragraphs */
  _setParagraphs(paragraphs) {
    this._paragraphs = Object.freeze([...paragraphs]);
    this._length = lengthOf(this._paragraphs);
    this._text = undefined;
  }
}
