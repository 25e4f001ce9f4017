// @ts-check
/**
 * A board: its shapes in the order in which they were put on it, and what can be undone. Every state is
 * kept whole, as shapes are shared between states. Synchronous, and without clock or browser.
 */

import { cut } from "../../../../page/whole_text.js";
import { MAX_TEXT, USUAL_SIZE, movedTo, placed } from "./shapes.js";

/** @import { BoardImage, Box, Shape, ShapeColour, ShapeKind } from "./shapes.js" */

/** @typedef {{ kind: ShapeKind, x: number, y: number, width?: number, height?: number, colour?: ShapeColour, text?: string, image?: BoardImage | null }} NewShape */
/** @typedef {Partial<Box & { colour: ShapeColour, text: string }>} ShapeChange */

export const BOARD_LIMITS = Object.freeze({
  maxShapes: 500,
  /** Of all pictures on the board. A picture of the whole board holds them too. */
  maxImageBytes: 8 * 1024 * 1024,
  maxSteps: 100,
  /** Of all pictures that are on the board or that undoing could bring back. */
  maxKeptImageBytes: 32 * 1024 * 1024,
});

/** Nothing was changed, and why. */
export class BoardError extends Error {
  /**
   * @param {"unknown_shape" | "too_many_shapes" | "too_many_image_bytes" | "nothing_to_undo" | "nothing_to_redo"} reason
   * @param {string} message
   */
  constructor(reason, message) {
    super(message);
    this.name = "BoardError";
    this.reason = reason;
  }
}

/** @typedef {readonly Readonly<Shape>[]} Shapes */

export class Board {
  /** @param {() => number} nextRevision Each is higher than the one before. */
  constructor(nextRevision) {
    this._nextRevision = nextRevision;
    this._revision = nextRevision();
    this._count = 0;
    /** @type {Shapes} */
    this._shapes = [];
    /** @type {Shapes[]} */
    this._undo = [];
    /** @type {Shapes[]} */
    this._redo = [];
    /** @type {Set<(revision: number) => void>} */
    this._observers = new Set();
  }

  /** The lowest first. */
  get shapes() {
    return this._shapes;
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

  /** @param {(revision: number) => void} observer Told after each change. @returns {() => void} */
  onChange(observer) {
    this._observers.add(observer);
    return () => void this._observers.delete(observer);
  }

  /**
   * @param {string} id
   * @returns {Readonly<Shape>}
   * @throws {BoardError}
   */
  shape(id) {
    const found = this._shapes.find((shape) => shape.id === id);
    if (found !== undefined) return found;
    throw new BoardError("unknown_shape", "The board has no such shape. Nothing was changed.");
  }

  /**
   * Puts a shape above all others, in the nearest place that is on the board.
   *
   * @param {NewShape} made
   * @returns {Readonly<Shape>}
   * @throws {BoardError}
   */
  add({ kind, x, y, colour = "graphite", text = "", image = null, ...size }) {
    const { maxShapes, maxImageBytes } = BOARD_LIMITS;
    if (this._shapes.length >= maxShapes) {
      const message = `A board has at most ${maxShapes} shapes. Nothing was changed.`;
      throw new BoardError("too_many_shapes", message);
    }
    if (image !== null && imageBytes([this._shapes]) + image.bytes.length > maxImageBytes) {
      const message = `The pictures of a board have at most ${maxImageBytes} bytes together. Nothing was changed.`;
      throw new BoardError("too_many_image_bytes", message);
    }
    const { width, height } = { ...USUAL_SIZE[kind], ...size };
    const shape = Object.freeze({
      id: `shape-${++this._count}`,
      kind,
      ...placed(kind, { x, y, width, height }),
      colour,
      text: cut(text, MAX_TEXT),
      image,
    });
    this._apply([...this._shapes, shape]);
    return shape;
  }

  /**
   * Moves a shape, to the nearest place that is on the board.
   *
   * @param {string} id
   * @param {number} x
   * @param {number} y
   * @returns {Readonly<Shape>}
   * @throws {BoardError}
   */
  move(id, x, y) {
    const shape = this.shape(id);
    return this._replace(shape, movedTo(shape, x, y));
  }

  /**
   * Changes what is given.
   *
   * @param {string} id
   * @param {ShapeChange} change
   * @returns {Readonly<Shape>}
   * @throws {BoardError}
   */
  change(id, { colour, text, ...box }) {
    const shape = this.shape(id);
    const { x, y, width, height } = { ...shape, ...box };
    return this._replace(shape, {
      ...placed(shape.kind, { x, y, width, height }),
      colour: colour ?? shape.colour,
      text: cut(text ?? shape.text, MAX_TEXT),
    });
  }

  /** @param {string} id @throws {BoardError} */
  remove(id) {
    const shape = this.shape(id);
    this._apply(this._shapes.filter((each) => each !== shape));
  }

  /** @returns {number} How many there were. */
  clear() {
    const count = this._shapes.length;
    if (count > 0) this._apply([]);
    return count;
  }

  /** @throws {BoardError} */
  undo() {
    const before = this._undo.pop();
    if (before === undefined) throw new BoardError("nothing_to_undo", "There is nothing to undo.");
    this._redo.push(this._shapes);
    this._show(before);
  }

  /** @throws {BoardError} */
  redo() {
    const after = this._redo.pop();
    if (after === undefined) throw new BoardError("nothing_to_redo", "Nothing was undone.");
    this._undo.push(this._shapes);
    this._show(after);
  }

  /**
   * @param {Readonly<Shape>} shape
   * @param {Partial<Shape>} change
   */
  _replace(shape, change) {
    const changed = Object.freeze({ ...shape, ...change });
    const keys = /** @type {(keyof Shape)[]} */ (Object.keys(change));
    if (keys.every((key) => shape[key] === changed[key])) return shape;
    this._apply(this._shapes.map((each) => (each === shape ? changed : each)));
    return changed;
  }

  /** @param {Shapes} shapes */
  _apply(shapes) {
    const { maxSteps, maxKeptImageBytes } = BOARD_LIMITS;
    this._undo.push(this._shapes);
    this._redo = [];
    while (
      this._undo.length > maxSteps ||
      (this._undo.length > 0 && imageBytes([shapes, ...this._undo]) > maxKeptImageBytes)
    ) {
      this._undo.shift();
    }
    this._show(shapes);
  }

  /** @param {Shapes} shapes */
  _show(shapes) {
    this._shapes = Object.freeze(shapes);
    this._revision = this._nextRevision();
    for (const observer of [...this._observers]) observer(this._revision);
  }
}

/** @param {readonly Shapes[]} states */
function imageBytes(states) {
  const images = new Set(states.flatMap((shapes) => shapes.map(({ image }) => image)));
  return [...images].reduce((sum, image) => sum + (image?.bytes.length ?? 0), 0);
}
