// @ts-check
/**
 * What a shape is drawn of: a few SVG elements, as data. The board on the screen makes elements of it,
 * and a picture of the board text, so that both look the same.
 */

/** @import { Shape } from "./shapes.js" */

/**
 * @typedef {object} Mark
 * @property {"rect" | "ellipse" | "line" | "image" | "text"} name
 * @property {Record<string, string | number>} attributes
 * @property {string} [words]
 */

/** Of words within a shape that has room for them; a text of its own is as large as its box. */
const LABEL_SIZE = 40;
/** Smaller ones could not be read: what is still too long then sticks out. */
const MIN_LABEL_SIZE = 12;
const LINE_HEIGHT = 1.2;
/** How much of a box its words may take. In an ellipse it is the rectangle within. */
const ROOM = Object.freeze({ rectangle: 0.9, ellipse: 0.7 });
/** Of a letter, in sizes of the face. A face is measured nowhere: a picture is drawn where there is none. */
const LETTER_WIDTH = 0.6;
/** From here on, most signs are as wide as they are high. */
const FIRST_WIDE = 0x1100;

/**
 * @param {Omit<Shape, "image">} shape
 * @param {string | null} href The address of its picture.
 * @returns {Mark[]}
 */
export function marksOf(shape, href) {
  const { kind, x, y, width, height, text } = shape;
  switch (kind) {
    case "rectangle":
      return [{ name: "rect", attributes: { x, y, width, height, rx: 10 } }, ...label(shape)];
    case "ellipse": {
      const [rx, ry] = [width / 2, height / 2];
      const attributes = { cx: x + rx, cy: y + ry, rx, ry };
      return [{ name: "ellipse", attributes }, ...label(shape)];
    }
    case "line":
      return [
        { name: "line", attributes: { x1: x, y1: y, x2: x + width, y2: y + height } },
        ...label(shape),
      ];
    case "text": {
      const lines = text.split("\n");
      const size = Math.max(8, Math.round((height / lines.length) * 0.75));
      return lines.map((words, index) => ({
        name: "text",
        attributes: { x, y: y + (height * (index + 0.75)) / lines.length, "font-size": size },
        words,
      }));
    }
    case "image":
      return href === null
        ? [{ name: "rect", attributes: { x, y, width, height } }]
        : [
            {
              name: "image",
              attributes: { x, y, width, height, href, preserveAspectRatio: "none" },
            },
          ];
  }
}

/** @param {Omit<Shape, "image">} shape @returns {Mark[]} */
function label(shape) {
  const { x, y, width, height, text } = shape;
  if (text === "") return [];
  const lines = text.split("\n");
  const size = labelSize(shape, lines);
  const first = y + height / 2 - ((lines.length - 1) * size * LINE_HEIGHT) / 2 + size * 0.35;
  return lines.map((words, index) => ({
    name: "text",
    attributes: {
      x: x + width / 2,
      y: first + index * size * LINE_HEIGHT,
      "font-size": size,
      "text-anchor": "middle",
    },
    words,
  }));
}

/**
 * The largest at which the words stay within their shape. A line has no within.
 *
 * @param {Omit<Shape, "image">} shape
 * @param {string[]} lines
 */
function labelSize({ kind, width, height }, lines) {
  if (kind !== "rectangle" && kind !== "ellipse") return LABEL_SIZE;
  const room = ROOM[kind];
  const widest = Math.max(LETTER_WIDTH, ...lines.map(widthOf));
  const size = Math.min(
    (width * room) / widest,
    (height * room) / (lines.length * LINE_HEIGHT),
    LABEL_SIZE,
  );
  return Math.max(MIN_LABEL_SIZE, Math.floor(size));
}

/** @param {string} line @returns {number} About, in sizes of the face. */
function widthOf(line) {
  let width = 0;
  for (const sign of line) width += (sign.codePointAt(0) ?? 0) < FIRST_WIDE ? LETTER_WIDTH : 1;
  return width;
}
