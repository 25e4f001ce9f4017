// @ts-check
/**
 * Where each piece of text of a page stands in a picture of it: lines, bullets, boxes behind code.
 * How wide a text is, it is told; it draws nothing and knows no format of pictures.
 */

import { brokenLines } from "./line_breaker.js";
import { at } from "./paragraph_list.js";

/** @import { Run, Paragraph } from "./paragraph.js" */
/** @import { ParagraphStyle } from "./paragraph_styles.js" */
/** @import { DocumentState } from "./text_document.js" */

/** @typedef {{ family: string, size: number, weight: number, italic: boolean }} Font `size` in pixels. */
/** @typedef {(text: string, font: Font) => number} Measure Gives pixels. */

/** @typedef {{ kind: "text", x: number, y: number, width: number, text: string, font: Font, colour: string }} TextItem `y` is of the baseline. */
/** @typedef {{ kind: "box", x: number, y: number, width: number, height: number, colour: string }} BoxItem */

/**
 * @typedef {object} Picture
 * @property {number} width Pixels, as all numbers here.
 * @property {number} height
 * @property {string} title For who cannot see it.
 * @property {string} background
 * @property {(TextItem | BoxItem)[]} items In the order in which they are drawn.
 * @property {number} [next] The first paragraph for which there was no room.
 */

/**
 * @typedef {object} BlockLook
 * @property {number} size Pixels.
 * @property {number} leading Of a line, in sizes.
 * @property {number} before Pixels above the first line, below what stands above.
 * @property {number} [indent]
 * @property {number} [weight]
 * @property {boolean} [italic]
 * @property {boolean} [code]
 */

const SERIF = "Georgia, Liberation Serif, serif";
const MONO = "Menlo, Liberation Mono, monospace";

/** As the style sheet has it; a picture is on paper, and light. */
const INK = "#23211d";
const PAPER = "#fffefb";
const ACCENT = "#8a3b12";
const WASH = "#f3ede3";
const QUOTE_BAR = 3;

/** @type {Readonly<BlockLook>} */
const TITLE = Object.freeze({ size: 38, leading: 1.2, before: 0, weight: 600 });

/** @type {ReadonlyMap<ParagraphStyle, Readonly<BlockLook>>} */
const LOOKS = new Map([
  ["body", { size: 18, leading: 1.65, before: 15 }],
  ["heading-1", { size: 23, leading: 1.3, before: 32, weight: 600 }],
  ["heading-2", { size: 20, leading: 1.3, before: 28, weight: 600 }],
  ["heading-3", { size: 18, leading: 1.3, before: 25, weight: 600, italic: true }],
  ["quote", { size: 18, leading: 1.65, before: 15, indent: 23, italic: true }],
  ["list", { size: 18, leading: 1.65, before: 5, indent: 26 }],
  ["numbered", { size: 18, leading: 1.65, before: 5, indent: 26 }],
  ["code", { size: 14, leading: 1.6, before: 0, indent: 16, code: true }],
]);

const GROUPED = new Set(["list", "numbered", "code"]);
const [BOLD, ITALIC, CODE] = [1, 2, 4];

/**
 * Lays out the title, where it begins at the first paragraph, and as many paragraphs as there is
 * room for. One that is higher than a whole picture by itself is cut.
 *
 * @param {DocumentState} state
 * @param {{ width: number, maxHeight: number, first: number }} how
 * @param {Measure} measure
 * @returns {Picture}
 */
export function laidOut({ title, paragraphs }, { width, maxHeight, first }, measure) {
  const margin = Math.round(Math.min(72, width * 0.09));
  const page = new PageLayout(width, margin, maxHeight, measure);
  const heading = title.trim();
  if (first === 0 && heading !== "") page.addTitle(heading);
  let number = numberBefore(paragraphs, first);
  let index = first;
  for (; index < paragraphs.length; index++) {
    const paragraph = at(paragraphs, index);
    number = paragraph.style === "numbered" ? number + 1 : 0;
    const above = index === first ? undefined : at(paragraphs, index - 1).style;
    if (!page.add(paragraph, above, number)) break;
  }
  return {
    width,
    height: Math.ceil(page.bottom + margin),
    title: heading === "" ? "Untitled" : heading,
    background: PAPER,
    items: page.items,
    ...(index < paragraphs.length ? { next: index } : {}),
  };
}

/**
 * The number of the item of a numbered list that stands before a paragraph; 0 for none.
 *
 * @param {readonly Paragraph[]} paragraphs
 * @param {number} index
 */
function numberBefore(paragraphs, index) {
  let number = 0;
  while (index - 1 - number >= 0 && at(paragraphs, index - 1 - number).style === "numbered") {
    number++;
  }
  return number;
}

/** One page on its way. */
class PageLayout {
  /**
   * @param {number} width
   * @param {number} margin
   * @param {number} maxHeight
   * @param {Measure} measure
   */
  constructor(width, margin, maxHeight, measure) {
    this.bottom = margin;
    /** @type {Picture["items"]} */
    this.items = [];
    this._width = width;
    this._margin = margin;
    this._last = maxHeight - margin;
    this._measure = measure;
    this._empty = true;
  }

  /** @param {string} title */
  addTitle(title) {
    this._put(TITLE, this._lines(TITLE, [{ text: title, marks: 0 }], this.bottom), this._margin);
    this.bottom += 10;
  }

  /**
   * @param {Paragraph} paragraph
   * @param {ParagraphStyle | undefined} above The style of what stands above.
   * @param {number} number Of the item, in a numbered list.
   * @returns {boolean} False where there is no room for it.
   */
  add({ style, runs }, above, number) {
    const look = LOOKS.get(style);
    if (look === undefined) throw new TypeError(`no look for ${style}`);
    const apart = GROUPED.has(style) && above !== style ? 15 : look.before;
    const top = this.bottom + (this._empty ? 0 : apart);
    const first = above === undefined;
    // The first is cut where it has to be, so that a picture always goes on.
    const lines = this._lines(look, runs, first ? top : this._margin);
    const height = lines.length * look.size * look.leading;
    if (!first && top + height > this._last) return false;
    const [left, indent] = [this._margin, look.indent ?? 0];
    this.bottom = top;
    if (look.code) this._box(left, top, this._width - 2 * left, height, WASH);
    if (style === "quote") this._box(left, top, QUOTE_BAR, height, ACCENT);
    this._mark(style, number, look);
    this._put(look, lines, left + indent);
    return true;
  }

  /**
   * @param {ParagraphStyle} style
   * @param {number} number
   * @param {BlockLook} look
   */
  _mark(style, number, look) {
    const text = style === "list" ? "•" : style === "numbered" ? `${number}.` : "";
    if (text === "") return;
    const font = fontOf(look, 0);
    const y = baseline(this.bottom, look);
    const width = this._measure(text, font);
    this.items.push({ kind: "text", x: this._margin + 2, y, width, text, font, colour: ACCENT });
  }

  /**
   * @param {BlockLook} look
   * @param {readonly Run[]} runs
   * @param {number} top No more lines than there is room for below it.
   */
  _lines(look, runs, top) {
    const room = this._width - 2 * this._margin - (look.indent ?? 0);
    const most = Math.max(1, Math.floor((this._last - top) / (look.size * look.leading)));
    return brokenLines(runs, room, most, (text, marks) => this._measure(text, fontOf(look, marks)));
  }

  /**
   * @param {BlockLook} look
   * @param {ReturnType<typeof brokenLines>} lines
   * @param {number} left
   */
  _put(look, lines, left) {
    const leading = look.size * look.leading;
    for (const line of lines) {
      const y = baseline(this.bottom, look);
      let x = left;
      for (const { text, marks, width } of line) {
        const font = fontOf(look, marks);
        if (marks & CODE && !look.code) {
          this._box(x - 2, y - look.size, width + 4, look.size * 1.3, WASH);
        }
        this.items.push({ kind: "text", x: rounded(x), y, width, text, font, colour: INK });
        x += width;
      }
      this.bottom = rounded(this.bottom + leading);
    }
    this._empty = false;
  }

  /**
   * @param {number} x
   * @param {number} y
   * @param {number} width
   * @param {number} height
   * @param {string} colour
   */
  _box(x, y, width, height, colour) {
    this.items.push({
      kind: "box",
      x: rounded(x),
      y: rounded(y),
      width: rounded(width),
      height: rounded(height),
      colour,
    });
  }
}

/**
 * @param {number} top
 * @param {BlockLook} look
 */
function baseline(top, { size, leading }) {
  return rounded(top + (size * leading) / 2 + size * 0.33);
}

/** @param {number} pixels */
function rounded(pixels) {
  return Math.round(pixels * 100) / 100;
}

/**
 * @param {BlockLook} look
 * @param {number} marks
 * @returns {Font}
 */
function fontOf({ size, weight = 400, italic = false, code = false }, marks) {
  const mono = code || (marks & CODE) !== 0;
  return {
    family: mono ? MONO : SERIF,
    size: mono && !code ? Math.round(size * 0.88) : size,
    weight: marks & BOLD ? 700 : weight,
    italic: italic || (marks & ITALIC) !== 0,
  };
}
