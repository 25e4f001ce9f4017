// @ts-check
/**
 * Writes a board as SVG: shapes, text and the pictures themselves. No script, no style, no link, so that
 * it is drawn the same wherever it goes.
 */

import { base64 } from "../../../../../dispatcher/resources.js";
import { marksOf } from "./drawing.js";
import { BOARD_HEIGHT, BOARD_WIDTH } from "./shapes.js";

/** @import { Shapes } from "./board.js" */
/** @import { Mark } from "./drawing.js" */
/** @import { BoardImage, Shape, ShapeColour } from "./shapes.js" */

/** On white paper, whatever the screen's colours are: line and filling. @type {Readonly<Record<ShapeColour, [string, string]>>} */
const ON_PAPER = Object.freeze({
  graphite: ["#3b3833", "#ece9e3"],
  red: ["#a5281b", "#f9dcd7"],
  amber: ["#8a5300", "#fbe7bd"],
  green: ["#1f6b3a", "#d6efdd"],
  blue: ["#1d4f91", "#d7e5f8"],
  violet: ["#623a94", "#e7dcf6"],
});

/** What XML cannot hold, not even escaped. */
// eslint-disable-next-line no-control-regex
const NOT_XML = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;

/** @param {Shapes} shapes */
export function toSvg(shapes) {
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${BOARD_WIDTH}" height="${BOARD_HEIGHT}" viewBox="0 0 ${BOARD_WIDTH} ${BOARD_HEIGHT}" role="img">`,
    `<title>Board with ${shapes.length} ${shapes.length === 1 ? "shape" : "shapes"}</title>`,
    `<rect width="${BOARD_WIDTH}" height="${BOARD_HEIGHT}" fill="#ffffff"/>`,
    ...shapes.map(group),
    "</svg>\n",
  ].join("\n");
}

/** @param {BoardImage} image */
export function dataUrl({ mimeType, bytes }) {
  return `data:${mimeType};base64,${base64(bytes)}`;
}

/** @param {Readonly<Shape>} shape */
function group(shape) {
  const [line, filling] = ON_PAPER[shape.colour];
  const href = shape.image === null ? null : dataUrl(shape.image);
  const title =
    shape.kind === "image" && shape.text !== "" ? `<title>${escaped(shape.text)}</title>` : "";
  const marks = marksOf(shape, href).map((mark) => element(mark, line));
  return `<g fill="${filling}" stroke="${line}" stroke-width="3" font-family="sans-serif">${title}${marks.join("")}</g>`;
}

/** @param {Mark} mark @param {string} line */
function element({ name, attributes, words }, line) {
  const all = name === "text" ? { ...attributes, fill: line, stroke: "none" } : attributes;
  const written = Object.entries(all).map(([key, value]) => ` ${key}="${escaped(String(value))}"`);
  const within = words === undefined ? "" : escaped(words);
  return `<${name}${written.join("")}${name === "text" ? ' xml:space="preserve"' : ""}>${within}</${name}>`;
}

/** @param {string} words */
function escaped(words) {
  return words
    .replace(NOT_XML, "\ufffd")
    .replace(/&/g, "&amp;")
    .replace(/</g, "&lt;")
    .replace(/>/g, "&gt;")
    .replace(/"/g, "&quot;");
}
