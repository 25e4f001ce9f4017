// @ts-check
/** What a person does to the board, by whatever means: each is one call of a tool, and one step of undo. */

import { BOARD_HEIGHT, BOARD_WIDTH, USUAL_SIZE, spoken } from "../model/shapes.js";

/** @import { ListedShape } from "../board_tools.js" */
/** @import { Box, ShapeColour } from "../model/shapes.js" */
/** @import { DrawnKind, Selection } from "./selection.js" */
/** @import { ShownBoard } from "./shown_board.js" */

/** How far apart shapes are put that are put where the last one was. */
const STAGGER = 40;

export class Hands {
  /**
   * @param {ShownBoard} board
   * @param {Selection} selection
   * @param {(words: string) => void} say For who hears and does not see.
   */
  constructor(board, selection, say) {
    this.board = board;
    this.selection = selection;
    this._say = say;
    /** Of what is drawn next. @type {ShapeColour} */
    this.colour = "blue";
    this._staggered = 0;
  }

  /** The shape that is selected, if it is still there. */
  get shape() {
    return this.board.shape(this.selection.shape);
  }

  /**
   * @param {DrawnKind} kind
   * @param {Box} box
   */
  async add(kind, box) {
    const text = kind === "text" ? "Text" : "";
    const added = await this.board.change("board_add", { kind, ...box, colour: this.colour, text });
    if (added === undefined) return;
    this.selection.draw(null);
    this.selection.select(added.shape.id);
    this._say(`Added: ${spoken(added.shape)}.`);
  }

  /** Without a pointer: about the middle, and not where the last one is. @param {DrawnKind} kind */
  addInMiddle(kind) {
    const { width, height } = USUAL_SIZE[kind];
    const aside = (this._staggered++ % 8) * STAGGER;
    const x = (BOARD_WIDTH - width) / 2 + aside;
    return this.add(kind, { x, y: (BOARD_HEIGHT - height) / 2 + aside, width, height });
  }

  /**
   * Puts a shape where it is held.
   *
   * @param {ListedShape} shape
   * @param {ListedShape} before
   */
  async place(shape, before) {
    const { id, x, y, width, height } = shape;
    const same = width === before.width && height === before.height;
    if (same && x === before.x && y === before.y) {
      this.board.release(id);
      return;
    }
    this.board.hold(shape);
    const placed = same
      ? await this.board.change("board_move", { id, x, y }, { held: id })
      : await this.board.change("board_change", { id, x, y, width, height }, { held: id });
    if (placed !== undefined) this._say(`${spoken(placed.shape)}.`);
  }

  /** @param {{ colour?: ShapeColour, text?: string }} change */
  async restyle(change) {
    const { shape } = this;
    if (shape !== undefined) await this.board.change("board_change", { id: shape.id, ...change });
  }

  async remove() {
    const { shape } = this;
    if (shape === undefined) return;
    const removed = await this.board.change("board_remove", { id: shape.id });
    if (removed === undefined) return;
    this.selection.select(null);
    this._say(`Removed: ${spoken(shape)}.`);
  }

  async undo() {
    if (this.board.canUndo && (await this.board.change("board_undo")) !== undefined) {
      this._say("Undone.");
    }
  }

  async redo() {
    if (this.board.canRedo && (await this.board.change("board_redo")) !== undefined) {
      this._say("Done again.");
    }
  }

  /**
   * Selects another shape.
   *
   * @param {1 | -1 | "first" | "last"} which
   */
  selectOther(which) {
    const { shapes } = this.board;
    const now = shapes.findIndex(({ id }) => id === this.selection.shape);
    const last = shapes.length - 1;
    let next;
    if (which === "first" || (which === 1 && now === -1)) next = 0;
    else if (which === "last" || (which === -1 && now === -1)) next = last;
    else next = Math.min(Math.max(now + which, 0), last);
    this.selection.select(shapes[next]?.id ?? null);
  }
}
