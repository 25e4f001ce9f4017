// @ts-check
/** What stands on a board: plain, immutable shapes, and how they stay on it. Knows no pixels and no colours. */

/** @typedef {"rectangle" | "ellipse" | "line" | "text" | "image"} ShapeKind */
/** @typedef {"graphite" | "red" | "amber" | "green" | "blue" | "violet"} ShapeColour */

/**
 * @typedef {object} BoardImage
 * @property {string} id
 * @property {"image/png" | "image/jpeg"} mimeType
 * @property {number} width Pixels.
 * @property {number} height
 * @property {Uint8Array} bytes
 */

/**
 * @typedef {object} Shape
 * @property {string} id
 * @property {ShapeKind} kind
 * @property {number} x Of its left edge; of a line, where it begins.
 * @property {number} y
 * @property {number} width Of a line, how far it goes to the right: it can be negative.
 * @property {number} height
 * @property {ShapeColour} colour
 * @property {string} text Its words; of a picture, what it shows.
 * @property {BoardImage | null} image
 */

/** @typedef {Pick<Shape, "x" | "y" | "width" | "height">} Box */

/** What a person or a tool can draw; pictures come from elsewhere. @type {readonly Exclude<ShapeKind, "image">[]} */
export const DRAWN_KINDS = Object.freeze(["rectangle", "ellipse", "line", "text"]);
/** @type {readonly ShapeColour[]} */
export const COLOURS = Object.freeze(["graphite", "red", "amber", "green", "blue", "violet"]);

/** In units of the board, which is drawn at whatever size there is room for. */
export const BOARD_WIDTH = 1_600;
export const BOARD_HEIGHT = 1_000;
/** Smaller ones could not be found again. */
export const MIN_SIDE = 10;
export const MAX_TEXT = 500;

/** @type {Readonly<Record<ShapeKind, { width: number, height: number }>>} Where nobody says otherwise. */
export const USUAL_SIZE = Object.freeze({
  rectangle: { width: 240, height: 140 },
  ellipse: { width: 200, height: 140 },
  line: { width: 240, height: 0 },
  text: { width: 400, height: 72 },
  image: { width: 400, height: 300 },
});

/** @param {number} value @param {number} least @param {number} most */
const within = (value, least, most) => Math.min(Math.max(value, least), most);

/**
 * The nearest box that is wholly on the board, in whole units.
 *
 * @param {ShapeKind} kind
 * @param {Box} box
 * @returns {Box}
 */
export function placed(kind, box) {
  if (kind === "line") {
    const x = within(Math.round(box.x), 0, BOARD_WIDTH);
    const y = within(Math.round(box.y), 0, BOARD_HEIGHT);
    const width = within(Math.round(x + box.width), 0, BOARD_WIDTH) - x;
    const height = within(Math.round(y + box.height), 0, BOARD_HEIGHT) - y;
    if (Math.max(Math.abs(width), Math.abs(height)) >= MIN_SIDE) return { x, y, width, height };
    return { x: Math.min(x, BOARD_WIDTH - MIN_SIDE), y, width: MIN_SIDE, height: 0 };
  }
  const width = within(Math.round(box.width), MIN_SIDE, BOARD_WIDTH);
  const height = within(Math.round(box.height), MIN_SIDE, BOARD_HEIGHT);
  return {
    x: within(Math.round(box.x), 0, BOARD_WIDTH - width),
    y: within(Math.round(box.y), 0, BOARD_HEIGHT - height),
    width,
    height,
  };
}

/**
 * The same shape elsewhere: as large as it was, and wholly on the board.
 *
 * @param {Shape} shape
 * @param {number} x
 * @param {number} y
 * @returns {Box}
 */
export function movedTo({ kind, width, height }, x, y) {
  // A line is moved with both its ends.
  const [left, right] = [Math.min(0, width), Math.max(0, width)];
  const [top, bottom] = [Math.min(0, height), Math.max(0, height)];
  return placed(kind, {
    x: within(x, -left, BOARD_WIDTH - right),
    y: within(y, -top, BOARD_HEIGHT - bottom),
    width,
    height,
  });
}

/**
 * What somebody hears who does not see it.
 *
 * @param {Pick<Shape, "kind" | "colour" | "text" | "x" | "y" | "width" | "height">} shape
 */
export function spoken({ kind, colour, text, x, y, width, height }) {
  const name = kind === "image" ? "picture" : `${colour} ${kind}`;
  const words = text === "" ? "" : `, “${text.replace(/\s+/g, " ")}”`;
  const size = kind === "line" ? `to ${x + width}, ${y + height}` : `${width} by ${height}`;
  return `${name}${words}, at ${x}, ${y}, ${size}`;
}
