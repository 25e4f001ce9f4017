// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  drawn,
  handlesOf,
  resized,
} from "../../../../browser_worker/demo/workspace/apps/board/view/gestures.js";

/** @type {import("../../../../browser_worker/demo/workspace/apps/board/view/gestures.js").Placed} */
const BOX = { kind: "rectangle", x: 100, y: 100, width: 200, height: 100 };

test("a handle moves its own edges, and no box turns inside out or leaves the board", () => {
  assert.deepEqual(resized(BOX, "se", 50, 20), { x: 100, y: 100, width: 250, height: 120 });
  assert.deepEqual(resized(BOX, "nw", 50, 20), { x: 150, y: 120, width: 150, height: 80 });
  assert.deepEqual(resized(BOX, "n", 999, -30), { x: 100, y: 70, width: 200, height: 130 });
  assert.deepEqual(resized(BOX, "w", 5_000, 0), { x: 290, y: 100, width: 10, height: 100 });
  assert.deepEqual(resized(BOX, "se", 5_000, 5_000), { x: 100, y: 100, width: 1_500, height: 900 });
});

test("a line is changed by its ends, in any direction", () => {
  /** @type {typeof BOX} */
  const line = { kind: "line", x: 100, y: 100, width: 50, height: 0 };
  assert.deepEqual(resized(line, "end", -150, 10), { x: 100, y: 100, width: -100, height: 10 });
  assert.deepEqual(resized(line, "start", 10, 40), { x: 110, y: 140, width: 40, height: -40 });
});

test("a way draws from corner to corner, and a click a shape of the usual size", () => {
  const [from, to] = [
    { x: 300, y: 300 },
    { x: 200, y: 250 },
  ];
  assert.deepEqual(drawn("ellipse", from, to), { x: 200, y: 250, width: 100, height: 50 });
  assert.deepEqual(drawn("line", from, to), { x: 300, y: 300, width: -100, height: -50 });
  assert.deepEqual(drawn("rectangle", from, { x: 301, y: 300 }), {
    x: 180,
    y: 230,
    width: 240,
    height: 140,
  });
  assert.deepEqual(drawn("rectangle", { x: 0, y: 0 }, { x: 0, y: 0 }), {
    x: 0,
    y: 0,
    width: 240,
    height: 140,
  });
});

test("handles stand on corners and edges, and where there is no room on corners only", () => {
  assert.deepEqual(
    handlesOf(BOX).map(({ handle }) => handle),
    ["nw", "n", "ne", "e", "se", "s", "sw", "w"],
  );
  assert.deepEqual(
    handlesOf({ ...BOX, width: 20, height: 20 }).map(({ handle }) => handle),
    ["nw", "ne", "se", "sw"],
  );
  assert.deepEqual(handlesOf({ ...BOX, kind: "line" }).at(-1), { handle: "end", x: 300, y: 200 });
});
