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

/** Of words within a shape; a text of its own is as large as its box. */
const LABEL_SIZE = 40;

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
function label({ x, y, width, height, text }) {
  if (text === "") return [];
  const lines = text.split("\n");
  const first = y + height / 2 - ((lines.length - 1) * LABEL_SIZE * 1.2) / 2 + LABEL_SIZE * 0.35;
  return lines.map((words, index) => ({
    name: "text",
    attributes: {
      x: x + width / 2,
      y: first + index * LABEL_SIZE * 1.2,
      "font-size": LABEL_SIZE,
      "text-anchor": "middle",
    },
    words,
  }));
}
