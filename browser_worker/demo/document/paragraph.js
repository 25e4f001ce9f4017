// @ts-check
/** One paragraph: a style and runs of text with marks. Immutable, so that documents can share them. */

/** @import { ParagraphStyle } from "./paragraph_styles.js" */

/** @typedef {{ readonly text: string, readonly marks: number }} Run Text whose characters have the same marks. */

/** One paragraph. It holds no line feed: that is what stands between paragraphs. */
export class Paragraph {
  /**
   * @param {ParagraphStyle} style
   * @param {readonly Run[]} [runs] Empty ones go, equal neighbours join.
   */
  constructor(style, runs = []) {
    /** @readonly */
    this.style = style;
    /** @readonly @type {readonly Run[]} */
    this.runs = Object.freeze(joined(runs));
    /** @readonly */
    this.text = this.runs.map((run) => run.text).join("");
    Object.freeze(this);
  }

  /**
   * @param {ParagraphStyle} style
   * @param {string} text
   * @param {number} [marks]
   */
  static plain(style, text, marks = 0) {
    return new Paragraph(style, [{ text, marks }]);
  }

  get length() {
    return this.text.length;
  }

  /**
   * The runs between two offsets.
   *
   * @param {number} start
   * @param {number} [end]
   * @returns {Run[]}
   */
  slice(start, end = this.length) {
    /** @type {Run[]} */
    const found = [];
    let at = 0;
    for (const { text, marks } of this.runs) {
      const piece = text.slice(Math.max(0, start - at), Math.max(0, end - at));
      if (piece !== "") found.push({ text: piece, marks });
      at += text.length;
    }
    return found;
  }

  /**
   * The marks of the character behind an offset, or before it at the end.
   *
   * @param {number} offset
   */
  marksBehind(offset) {
    return (this.slice(offset)[0] ?? this.runs.at(-1))?.marks ?? 0;
  }

  /**
   * The marks that text typed at an offset takes on: those of the character before it.
   *
   * @param {number} offset
   */
  marksAt(offset) {
    return offset === 0 ? this.marksBehind(0) : (this.slice(0, offset).at(-1)?.marks ?? 0);
  }

  /** @param {ParagraphStyle} style */
  withStyle(style) {
    return style === this.style ? this : new Paragraph(style, this.runs);
  }

  /**
   * @param {number} start
   * @param {number} end
   * @param {number} bit
   * @param {boolean} on
   */
  withMark(start, end, bit, on) {
    const middle = this.slice(start, end).map(({ text, marks }) => ({
      text,
      marks: on ? marks | bit : marks & ~bit,
    }));
    return new Paragraph(this.style, [...this.slice(0, start), ...middle, ...this.slice(end)]);
  }

  /** @param {Paragraph} other */
  equals(other) {
    return (
      this === other ||
      (this.style === other.style &&
        this.runs.length === other.runs.length &&
        this.runs.every((run, index) => {
          const its = other.runs[index];
          return its !== undefined && run.text === its.text && run.marks === its.marks;
        }))
    );
  }
}

/**
 * @param {readonly Run[]} runs
 * @returns {Run[]}
 */
function joined(runs) {
  /** @type {Run[]} */
  const found = [];
  for (const { text, marks } of runs) {
    if (text === "") continue;
    const last = found.at(-1);
    if (last !== undefined && last.marks === marks) {
      found[found.length - 1] = Object.freeze({ text: last.text + text, marks });
    } else {
      found.push(Object.freeze({ text, marks }));
    }
  }
  return found;
}
