// @ts-check
/**
 * A text with undo, redo and a revision. Knows nothing of the page or of actions.
 *
 * Offsets count UTF-16 code units, as a text field's do; no edit splits a surrogate pair. The
 * revision moves with every change of the text and never without one.
 */

/** @typedef {{ start: number, removed: string, inserted: string }} Edit */

const MAX_UNDO = 1_000;
const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** An offset outside of the text, or inside a character. */
export class OffsetError extends RangeError {
  /**
   * @param {"start" | "end"} name
   * @param {string} message
   */
  constructor(name, message) {
    super(message);
    this.offset = name;
  }
}

/** One text. */
export class TextDocument {
  /** @param {string} [text] */
  constructor(text = "") {
    this._text = clean(text);
    this._revision = 1;
    /** @type {Edit[]} */
    this._undo = [];
    /** @type {Edit[]} */
    this._redo = [];
    this._typing = false;
  }

  get text() {
    return this._text;
  }

  get revision() {
    return this._revision;
  }

  get canUndo() {
    return this._undo.length > 0;
  }

  get canRedo() {
    return this._redo.length > 0;
  }

  /**
   * Puts `text` where `start` to `end` was.
   *
   * @param {number} start
   * @param {number} end
   * @param {string} text
   * @param {{ typed?: boolean }} [how] Typed letters join into one step of undo, word by word.
   * @returns {{ start: number, end: number }} Where the new text stands.
   * @throws {OffsetError}
   */
  replace(start, end, text, { typed = false } = {}) {
    this._checkOffset("start", start, 0);
    this._checkOffset("end", end, start);
    const inserted = clean(text);
    const removed = this._text.slice(start, end);
    if (inserted !== removed) {
      this._apply({ start, removed, inserted });
      this._remember({ start, removed, inserted }, typed);
    }
    return { start, end: start + inserted.length };
  }

  /** @returns {Edit | undefined} What was undone: the text now holds `removed` at `start`. */
  undo() {
    const edit = this._undo.pop();
    if (edit === undefined) return undefined;
    this._apply({ start: edit.start, removed: edit.inserted, inserted: edit.removed });
    this._redo.push(edit);
    this._typing = false;
    return edit;
  }

  /** @returns {Edit | undefined} What was done again. */
  redo() {
    const edit = this._redo.pop();
    if (edit === undefined) return undefined;
    this._apply(edit);
    this._undo.push(edit);
    this._typing = false;
    return edit;
  }

  /**
   * The largest offset not above `offset` that stands between characters.
   *
   * @param {number} offset
   */
  floor(offset) {
    return this._splits(offset) ? offset - 1 : offset;
  }

  /** @param {Edit} edit */
  _apply({ start, removed, inserted }) {
    this._text = this._text.slice(0, start) + inserted + this._text.slice(start + removed.length);
    this._revision++;
  }

  /**
   * @param {Edit} edit
   * @param {boolean} typed
   */
  _remember(edit, typed) {
    const last = this._undo.at(-1);
    const letter = typed && edit.removed === "" && /^\S$/u.test(edit.inserted);
    if (
      letter &&
      this._typing &&
      last !== undefined &&
      last.start + last.inserted.length === edit.start
    ) {
      last.inserted += edit.inserted;
    } else {
      this._undo.push({ ...edit });
      if (this._undo.length > MAX_UNDO) this._undo.shift();
    }
    this._typing = letter;
    this._redo = [];
  }

  /**
   * @param {"start" | "end"} name
   * @param {number} offset
   * @param {number} least
   */
  _checkOffset(name, offset, least) {
    if (!Number.isInteger(offset) || offset < least || offset > this._text.length) {
      throw new OffsetError(name, `must be from ${least} to ${this._text.length}`);
    }
    if (this._splits(offset)) throw new OffsetError(name, "stands inside a character");
  }

  /** @param {number} offset */
  _splits(offset) {
    return (
      /^[\ud800-\udbff]$/.test(this._text[offset - 1] ?? "") &&
      /^[\udc00-\udfff]$/.test(this._text[offset] ?? "")
    );
  }
}

/**
 * Text as a text field keeps it: line feeds only, and well-formed.
 *
 * @param {string} text
 */
function clean(text) {
  return text.replace(/\r\n?/g, "\n").replace(LONE_SURROGATE, "\ufffd");
}
