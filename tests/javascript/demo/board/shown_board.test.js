// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import { ShownBoard } from "../../../../browser_worker/demo/workspace/apps/board/view/shown_board.js";
import { openBoard } from "./support.js";

/** @param {import("node:test").TestContext} t */
function openTile(t) {
  const opened = openBoard(t);
  const tile = opened.workspace.connect("board", "tile").runtime;
  /** @type {string[]} */
  const told = [];
  const shown = new ShownBoard(tile, (message) => told.push(message));
  t.after(shown.follow());
  /** Waits until the tile shows what is asked for. @param {() => boolean} seen */
  const until = async (seen) => {
    for (let turns = 0; turns < 10_000 && !seen(); turns++) {
      await new Promise((resolve) => void setImmediate(resolve));
    }
    assert.ok(seen());
  };
  return { ...opened, shown, told, until };
}

test("a tile shows what is there, what it changes itself, and what others change", async (t) => {
  const { shown, call, until } = openTile(t);
  await until(() => shown.known);
  const own = await shown.change("board_add", { kind: "rectangle", x: 1, y: 2 });
  assert.deepEqual(shown.shapes, [own.shape]);
  await call("board_add", { kind: "line", x: 0, y: 0 });
  await until(() => shown.shapes.length === 2);
});

test("changes go one after another, and the last one holds", async (t) => {
  const { shown, board, until } = openTile(t);
  await until(() => shown.known);
  const { shape } = await shown.change("board_add", { kind: "rectangle", x: 0, y: 0 });
  // More than a source may have in flight.
  const moves = Array.from({ length: 20 }, (_, at) =>
    shown.change("board_move", { id: shape.id, x: at, y: 0 }),
  );
  await Promise.all(moves);
  assert.equal(board.shape(shape.id).x, 19);
  assert.equal(shown.shape(shape.id)?.x, 19);
});

test("what a person holds stays under their hand while others change the board", async (t) => {
  const { shown, call, until } = openTile(t);
  await until(() => shown.known);
  const { shape } = await shown.change("board_add", { kind: "rectangle", x: 0, y: 0 });
  shown.hold({ ...shape, x: 500 });
  await call("board_add", { kind: "line", x: 0, y: 0 });
  await until(() => shown.shapes.length === 2);
  assert.equal(shown.shape(shape.id)?.x, 500);
  await shown.change("board_move", { id: shape.id, x: 400, y: 0 }, { held: shape.id });
  assert.equal(shown.shape(shape.id)?.x, 400);
  shown.hold({ ...shape, x: 7 });
  shown.release(shape.id);
  assert.equal(shown.shape(shape.id)?.x, 400);
});

test("a change that fails is told of, and the board is shown as it is", async (t) => {
  const { shown, call, told, until } = openTile(t);
  await until(() => shown.known);
  const { shape } = await shown.change("board_add", { kind: "rectangle", x: 0, y: 0 });
  await call("board_remove", { id: shape.id });
  shown.hold({ ...shape, x: 500 });
  const done = await shown.change("board_move", { id: shape.id, x: 500, y: 0 }, { held: shape.id });
  assert.equal(done, undefined);
  assert.equal(told.length, 1);
  assert.deepEqual(shown.shapes, []);
});
