// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  BOARD_LIMITS,
  BoardError,
} from "../../../../browser_worker/demo/workspace/apps/board/model/board.js";
import {
  BOARD_HEIGHT,
  BOARD_WIDTH,
  DRAWN_KINDS,
  MIN_SIDE,
  spoken,
} from "../../../../browser_worker/demo/workspace/apps/board/model/shapes.js";
import { makeBoard } from "./support.js";

/** @param {string} reason */
const because = (reason) => (/** @type {unknown} */ error) => {
  assert.ok(error instanceof BoardError);
  assert.equal(error.reason, reason);
  return true;
};

const PICTURE = Object.freeze({
  id: "image-1",
  mimeType: /** @type {const} */ ("image/png"),
  width: 4,
  height: 3,
});

test("a new shape is above all others, of a usual size and colour where none is given", () => {
  const board = makeBoard();
  board.add({ kind: "ellipse", x: 10, y: 20 });
  const { id, ...shape } = board.add({ kind: "rectangle", x: 100, y: 50, text: "A" });
  assert.equal(id, "shape-2");
  assert.deepEqual(shape, {
    kind: "rectangle",
    x: 100,
    y: 50,
    width: 240,
    height: 140,
    colour: "graphite",
    text: "A",
    image: null,
  });
  assert.deepEqual(
    board.shapes.map(({ kind }) => kind),
    ["ellipse", "rectangle"],
  );
});

test("what would leave the board stays at its edge, as large as it was", () => {
  const board = makeBoard();
  const { id } = board.add({ kind: "rectangle", x: 1_500, y: 990, width: 200, height: 100 });
  const { x, y, width, height } = board.shape(id);
  assert.deepEqual({ x, y, width, height }, { x: 1_400, y: 900, width: 200, height: 100 });
  const line = board.add({ kind: "line", x: 100, y: 100, width: -50, height: 30 });
  const moved = board.move(line.id, 10, 2_000);
  assert.deepEqual([moved.x, moved.y, moved.width, moved.height], [50, 970, -50, 30]);
});

test("whatever is done, every shape is on the board, and undoing all of it gives the first back", () => {
  const number = fc.integer({ min: -5_000, max: 5_000 });
  const step = fc.oneof(
    fc.record({
      does: fc.constant("add"),
      kind: fc.constantFrom(...DRAWN_KINDS),
      x: number,
      y: number,
      width: number,
      height: number,
    }),
    fc.record({ does: fc.constant("move"), at: fc.nat(20), x: number, y: number }),
    fc.record({
      does: fc.constant("change"),
      at: fc.nat(20),
      x: number,
      y: number,
      width: number,
      height: number,
    }),
    fc.record({ does: fc.constant("remove"), at: fc.nat(20) }),
    fc.record({ does: fc.constantFrom("undo", "redo", "clear") }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const board = makeBoard();
      let { revision } = board;
      for (const { does, at = 0, ...rest } of /** @type {any[]} */ (steps)) {
        const before = board.shapes;
        const id = board.shapes[at]?.id ?? "none";
        try {
          if (does === "add") board.add(rest);
          else if (does === "move") board.move(id, rest.x, rest.y);
          else if (does === "change") board.change(id, rest);
          else if (does === "remove") board.remove(id);
          else if (does === "undo") board.undo();
          else if (does === "redo") board.redo();
          else board.clear();
        } catch (error) {
          assert.ok(error instanceof BoardError);
          assert.equal(board.shapes, before);
        }
        // The revision moves with every change and never without one.
        assert.equal(board.revision > revision, board.shapes !== before);
        revision = board.revision;
        for (const { kind, x, y, width, height } of board.shapes) {
          const [right, bottom] = [x + width, y + height];
          for (const value of [x, right]) assert.ok(value >= 0 && value <= BOARD_WIDTH);
          for (const value of [y, bottom]) assert.ok(value >= 0 && value <= BOARD_HEIGHT);
          const sides =
            kind === "line" ? [Math.max(Math.abs(width), Math.abs(height))] : [width, height];
          for (const side of sides) assert.ok(side >= MIN_SIDE);
        }
      }
      const last = board.shapes;
      let undone = 0;
      for (; board.canUndo; undone++) board.undo();
      assert.deepEqual(board.shapes, []);
      for (; undone > 0; undone--) board.redo();
      assert.deepEqual(board.shapes, last);
    }),
  );
});

test("undoing goes step by step, and a new change ends what could be done again", () => {
  const board = makeBoard();
  const { id } = board.add({ kind: "rectangle", x: 0, y: 0 });
  board.move(id, 50, 60);
  board.remove(id);
  board.undo();
  assert.equal(board.shape(id).x, 50);
  board.undo();
  assert.equal(board.shape(id).x, 0);
  board.redo();
  assert.equal(board.shape(id).x, 50);
  board.change(id, { colour: "red" });
  assert.equal(board.canRedo, false);
  assert.throws(() => board.redo(), because("nothing_to_redo"));
});

test("a change to what already is so is none, and no step of undo", () => {
  const board = makeBoard();
  const { id } = board.add({ kind: "rectangle", x: 5, y: 5 });
  const { revision } = board;
  board.move(id, 5, 5);
  board.change(id, { colour: "graphite" });
  assert.equal(board.revision, revision);
  board.clear();
  board.clear();
  board.undo();
  assert.equal(board.shapes.length, 1);
});

test("a shape that is not there is refused by name", () => {
  const board = makeBoard();
  assert.throws(() => board.move("shape-9", 0, 0), because("unknown_shape"));
  assert.throws(() => board.undo(), because("nothing_to_undo"));
});

test("the last shape that fits is taken, and one more is refused", () => {
  const board = makeBoard();
  for (let at = 0; at < BOARD_LIMITS.maxShapes; at++) board.add({ kind: "line", x: 0, y: 0 });
  assert.throws(() => board.add({ kind: "line", x: 0, y: 0 }), because("too_many_shapes"));
  assert.equal(board.shapes.length, BOARD_LIMITS.maxShapes);
});

test("as many steps as are kept can be undone, and no more", () => {
  const board = makeBoard();
  const { id } = board.add({ kind: "line", x: 0, y: 0 });
  for (let at = 1; at <= BOARD_LIMITS.maxSteps + 5; at++) board.move(id, at, 0);
  for (let at = 0; at < BOARD_LIMITS.maxSteps; at++) board.undo();
  assert.equal(board.canUndo, false);
  assert.equal(board.shape(id).x, 5);
});

test("pictures have a limit together, on the board and in what undoing could bring back", () => {
  const board = makeBoard();
  const { maxImageBytes, maxKeptImageBytes } = BOARD_LIMITS;
  const add = (/** @type {number} */ length) =>
    board.add({ kind: "image", x: 0, y: 0, image: { ...PICTURE, bytes: new Uint8Array(length) } });
  const { id } = add(maxImageBytes);
  assert.throws(() => add(1), because("too_many_image_bytes"));
  board.remove(id);
  const fit = maxKeptImageBytes / maxImageBytes;
  for (let more = 0; more < fit; more++) board.remove(add(maxImageBytes).id);
  const seen = new Set();
  for (; board.canUndo; board.undo()) for (const shape of board.shapes) seen.add(shape.id);
  assert.equal(seen.size, fit);
  assert.equal(seen.has(id), false);
});

test("a shape is described in words for who does not see it", () => {
  const board = makeBoard();
  const shape = board.add({ kind: "ellipse", x: 1, y: 2, colour: "red", text: "two\nlines" });
  assert.equal(spoken(shape), "red ellipse, “two lines”, at 1, 2, 200 by 140");
  const line = board.add({ kind: "line", x: 10, y: 20, width: 30, height: -5 });
  assert.equal(spoken(line), "graphite line, at 10, 20, to 40, 15");
});

test("a text keeps as many characters as its schema takes, and no half one", () => {
  const board = makeBoard();
  const faces = `a${"😀".repeat(499)}`;
  const shape = board.add({ kind: "rectangle", x: 10, y: 20, text: faces });
  assert.equal(shape.text, faces);
  assert.equal(board.change(shape.id, { text: `${faces}😀` }).text, faces);
  assert.equal(board.change(shape.id, { text: "\ud83d" }).text, "\ufffd");
});
