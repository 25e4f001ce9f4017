// @ts-check
/** What a pointer's way over the board makes of a shape. Geometry only: no events, no elements. */

import {
  BOARD_HEIGHT,
  BOARD_WIDTH,
  MIN_SIDE,
  USUAL_SIZE,
  movedTo,
  placed,
} from "../model/shapes.js";

/** @import { Box, Shape, ShapeKind } from "../model/shapes.js" */

/** @typedef {{ x: number, y: number }} Point */
/** Which edges a handle moves: `n` the upper, `e` the right, and so on. Of a line its two ends. @typedef {"nw" | "n" | "ne" | "e" | "se" | "s" | "sw" | "w" | "start" | "end"} Handle */
/** @typedef {Pick<Shape, "kind" | "x" | "y" | "width" | "height">} Placed */

/** @type {readonly Handle[]} */
const BOX_HANDLES = Object.freeze(["nw", "n", "ne", "e", "se", "s", "sw", "w"]);
/** @type {readonly Handle[]} */
const LINE_HANDLES = Object.freeze(["start", "end"]);
/** On a shorter side there is no room for one between the corners. */
const ROOMY = 90;
/** A shorter way than this was a click. */
const CLICK = 6;

/**
 * @param {Placed} shape
 * @returns {{ handle: Handle, x: number, y: number }[]}
 */
export function handlesOf({ kind, x, y, width, height }) {
  if (kind === "line") {
    return LINE_HANDLES.map((handle) =>
      handle === "start" ? { handle, x, y } : { handle, x: x + width, y: y + height },
    );
  }
  return BOX_HANDLES.filter(
    (handle) => handle.length > 1 || (handle === "n" || handle === "s" ? width : height) >= ROOMY,
  ).map((handle) => ({
    handle,
    x: x + width * (handle.includes("w") ? 0 : handle.includes("e") ? 1 : 0.5),
    y: y + height * (handle.includes("n") ? 0 : handle.includes("s") ? 1 : 0.5),
  }));
}

/**
 * @param {Shape | import("../board_tools.js").ListedShape} shape
 * @param {number} dx
 * @param {number} dy
 * @returns {Box}
 */
export function moved(shape, dx, dy) {
  return movedTo(/** @type {Shape} */ (shape), shape.x + dx, shape.y + dy);
}

/**
 * A shape after one of its handles was moved. A box never turns inside out.
 *
 * @param {Placed} shape
 * @param {Handle} handle
 * @param {number} dx
 * @param {number} dy
 * @returns {Box}
 */
export function resized({ kind, x, y, width, height }, handle, dx, dy) {
  if (handle === "end") {
    return placed(kind, { x, y, width: width + dx, height: height + dy });
  }
  if (handle === "start") {
    const ends = { x: x + width, y: y + height };
    const begins = { x: clamp(x + dx, BOARD_WIDTH), y: clamp(y + dy, BOARD_HEIGHT) };
    return placed(kind, { ...begins, width: ends.x - begins.x, height: ends.y - begins.y });
  }
  let [left, top, right, bottom] = [x, y, x + width, y + height];
  if (handle.includes("w")) left = Math.min(clamp(left + dx, BOARD_WIDTH), right - MIN_SIDE);
  if (handle.includes("e")) right = Math.max(clamp(right + dx, BOARD_WIDTH), left + MIN_SIDE);
  if (handle.includes("n")) top = Math.min(clamp(top + dy, BOARD_HEIGHT), bottom - MIN_SIDE);
  if (handle.includes("s")) bottom = Math.max(clamp(bottom + dy, BOARD_HEIGHT), top + MIN_SIDE);
  return placed(kind, { x: left, y: top, width: right - left, height: bottom - top });
}

/**
 * What is drawn from one point to another; a click draws a shape of the usual size around the point.
 *
 * @param {Exclude<ShapeKind, "image">} kind
 * @param {Point} from
 * @param {Point} to
 * @returns {Box}
 */
export function drawn(kind, from, to) {
  const [width, height] = [to.x - from.x, to.y - from.y];
  if (Math.hypot(width, height) < CLICK) {
    const usual = USUAL_SIZE[kind];
    return movedTo(
      /** @type {Shape} */ ({ kind, ...usual }),
      from.x - usual.width / 2,
      from.y - usual.height / 2,
    );
  }
  if (kind === "line") return placed(kind, { ...from, width, height });
  return placed(kind, {
    x: Math.min(from.x, to.x),
    y: Math.min(from.y, to.y),
    width: Math.abs(width),
    height: Math.abs(height),
  });
}

/** @param {number} value @param {number} most */
const clamp = (value, most) => Math.min(Math.max(value, 0), most);
