// @ts-check
/** Breaks text with marks into lines of a width: between words, and within one that is wider. */

/** @import { Run } from "./paragraph.js" */

/** @typedef {{ text: string, marks: number, width: number }} Piece */

/** Spaces, a character of a script without them, or a word. None so long that it takes long to measure. */
const ATOMS =
  /\s{1,200}|[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}]|[^\s\p{sc=Han}\p{sc=Hira}\p{sc=Kana}]{1,200}/gu;
const SPACE = /^\s/u;
const WORD = /[^\s\p{sc=Han}\p{sc=Hira}\p{sc=Kana}]$/u;
const WORD_BEGINS = /^[^\s\p{sc=Han}\p{sc=Hira}\p{sc=Kana}]/u;
const TAB = "    ";

/** However narrow characters are: a line holds no more UTF-16 code units. */
const MAX_LINE_UNITS = 1_000;

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });

/**
 * @param {readonly Run[]} runs
 * @param {number} room Width of a line.
 * @param {number} most Lines; what would be below them is left out.
 * @param {(text: string, marks: number) => number} measure
 * @returns {Piece[][]} At least one line. Spaces at the end of a line hang, and are left out.
 */
export function brokenLines(runs, room, most, measure) {
  const lines = new Lines(room, most, measure);
  for (const atom of atomsOf(runs)) {
    if (lines.full) break;
    lines.add(atom);
  }
  return lines.done();
}

/**
 * @param {readonly Run[]} runs
 * @returns {Generator<Run[]>} What is not broken where there is room for it: a word may have several marks.
 */
function* atomsOf(runs) {
  /** @type {Run[]} */
  let word = [];
  for (const { text, marks } of runs) {
    let first = true;
    for (const [found] of text.matchAll(ATOMS)) {
      const part = { text: found.replaceAll("\t", TAB), marks };
      const goesOn = first && WORD_BEGINS.test(found) && WORD.test(word.at(-1)?.text ?? " ");
      first = false;
      if (goesOn && word.length < 20) {
        word.push(part);
        continue;
      }
      if (word.length > 0) yield word;
      word = [part];
    }
  }
  if (word.length > 0) yield word;
}

/** Lines on their way. */
class Lines {
  /**
   * @param {number} room
   * @param {number} most
   * @param {(text: string, marks: number) => number} measure
   */
  constructor(room, most, measure) {
    this._room = room;
    this._most = most;
    this._measure = measure;
    /** @type {Piece[][]} */
    this._lines = [[]];
    this._width = 0;
    this._units = 0;
  }

  get full() {
    return this._lines.length > this._most;
  }

  /** @param {readonly Run[]} atom */
  add(atom) {
    const pieces = atom.map(({ text, marks }) => this._piece(text, marks));
    const width = pieces.reduce((sum, piece) => sum + piece.width, 0);
    const units = pieces.reduce((sum, { text }) => sum + text.length, 0);
    const space = SPACE.test(atom[0]?.text ?? "");
    const fits = this._width + width <= this._room;
    const crowded = this._units > 0 && this._units + units > MAX_LINE_UNITS;
    if ((!fits && !space && this._width > 0) || crowded) this._next();
    if (space || width <= this._room) this._put(pieces);
    else for (const piece of pieces) this._split(piece);
  }

  /** @returns {Piece[][]} */
  done() {
    const lines = this._lines.slice(0, this._most);
    const last = lines.at(-1);
    if (last !== undefined) this._trim(last);
    return lines;
  }

  /** @param {Piece} piece One that is wider than a line. */
  _split({ text, marks }) {
    for (const { segment } of graphemes.segment(text)) {
      const piece = this._piece(segment, marks);
      if (this._width + piece.width > this._room && this._width > 0) this._next();
      if (this.full) return;
      this._put([piece]);
    }
  }

  /**
   * @param {string} text
   * @param {number} marks
   * @returns {Piece}
   */
  _piece(text, marks) {
    return { text, marks, width: this._measure(text, marks) };
  }

  /** @param {readonly Piece[]} pieces */
  _put(pieces) {
    const line = this._lines.at(-1);
    for (const { text, marks, width } of pieces) {
      const last = line?.at(-1);
      if (last !== undefined && last.marks === marks) {
        last.text += text;
        last.width += width;
      } else line?.push({ text, marks, width });
      this._width += width;
      this._units += text.length;
    }
  }

  _next() {
    const line = this._lines.at(-1);
    if (line !== undefined) this._trim(line);
    this._lines.push([]);
    this._width = 0;
    this._units = 0;
  }

  /** @param {Piece[]} line Loses the spaces at its end. */
  _trim(line) {
    for (let last = line.at(-1); last !== undefined; last = line.at(-1)) {
      const text = last.text.trimEnd();
      if (text === last.text) return;
      line.pop();
      if (text === "") continue;
      line.push(this._piece(text, last.marks));
      return;
    }
  }
}
