// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import { fails, openBoard, pngBytes } from "./support.js";

test("shapes are added, moved, changed and removed by tools, each a step of undo", async (t) => {
  const { call } = openBoard(t);
  const { result: added } = await call("board_add", { kind: "rectangle", x: 10, y: 20, text: "A" });
  assert.equal(added.shape.id, "shape-1");
  const { result: moved } = await call("board_move", { id: "shape-1", x: 100, y: 200 });
  assert.equal(moved.shape.x, 100);
  const { result: changed } = await call("board_change", {
    id: "shape-1",
    colour: "green",
    width: 50,
  });
  assert.deepEqual([changed.shape.colour, changed.shape.width], ["green", 50]);
  await call("board_remove", { id: "shape-1" });
  const empty = (await call("board_list")).result;
  assert.deepEqual(empty.shapes, []);
  await call("board_undo");
  const { result: listed } = await call("board_list");
  assert.deepEqual(listed.shapes, [changed.shape]);
  assert.deepEqual([listed.canUndo, listed.canRedo], [true, true]);
  assert.ok(listed.revision > empty.revision);
  await call("board_redo");
  await fails(call("board_redo"), "TOOL_FAILED", "nothing_to_redo");
});

test("clearing tells how many shapes there were", async (t) => {
  const { call } = openBoard(t);
  for (const kind of ["line", "text"]) await call("board_add", { kind, x: 0, y: 0 });
  assert.equal((await call("board_clear")).result.removed, 2);
  assert.equal((await call("board_clear")).result.removed, 0);
});

test("what is no shape, colour or place is refused before anything is run", async (t) => {
  const { call, board } = openBoard(t);
  const { revision } = board;
  for (const args of [
    { kind: "image", x: 0, y: 0 },
    { kind: "rectangle", x: -1, y: 0 },
    { kind: "rectangle", x: 0, y: 1_001 },
    { kind: "rectangle", x: 0, y: 0, colour: "pink" },
    { kind: "rectangle", x: 0, y: 0, text: "x".repeat(501) },
    { kind: "rectangle", x: 0 },
    { kind: "rectangle", x: 0, y: 0, onclick: "x" },
  ]) {
    await fails(call("board_add", args), "INVALID_INPUT");
  }
  await fails(call("board_move", { id: "shape-1", x: 0, y: 0 }), "INVALID_INPUT", "unknown_shape");
  assert.equal(board.revision, revision);
  // The same without what was wrong.
  await call("board_add", { kind: "rectangle", x: 0, y: 1_000, text: "x".repeat(500) });
  assert.ok(board.revision > revision);
});

test("each change is published under both topics by the time its call is answered", async (t) => {
  const { call, workspace, board } = openBoard(t);
  const published = () =>
    ["board", "state"].map((topic) => workspace.kernel.revision("board", topic));
  await call("board_list");
  assert.deepEqual(published(), [board.revision, board.revision]);
  const { result } = await call("board_add", { kind: "text", x: 0, y: 0 });
  assert.deepEqual(published(), [result.revision, result.revision]);
  await call("board_list");
  assert.deepEqual(published(), [result.revision, result.revision]);
});

test("the board is given as a picture, PNG unless SVG is asked for", async (t) => {
  const { call } = openBoard(t);
  await call("board_add", { kind: "text", x: 0, y: 0, text: "a < b" });
  const png = await call("board_export_image");
  assert.equal(png.result.mimeType, "image/png");
  assert.match(new TextDecoder().decode(png.attachment), /^PNG 1600 1000/);
  const svg = await call("board_export_image", { format: "svg" });
  assert.equal(svg.result.mimeType, "image/svg+xml");
  assert.equal(svg.result.size, svg.attachment?.byteLength);
  assert.match(new TextDecoder().decode(svg.attachment), />a &lt; b</);
});

test("a picture is put on the board and comes back as it was", async (t) => {
  const { call } = openBoard(t);
  const bytes = pngBytes(400, 200);
  const { result } = await call("board_import_image", { text: "a plan" }, bytes.slice().buffer);
  const { shape } = result;
  assert.deepEqual(
    [shape.kind, shape.text, shape.width, shape.height],
    ["image", "a plan", 400, 200],
  );
  assert.deepEqual([shape.x, shape.y], [600, 400]);
  assert.deepEqual(shape.image, {
    id: "image-1",
    mimeType: "image/png",
    width: 400,
    height: 200,
    size: bytes.length,
  });
  for (let times = 0; times < 2; times++) {
    const { attachment } = await call("board_image", { id: shape.id });
    assert.deepEqual(new Uint8Array(attachment ?? new ArrayBuffer()), bytes);
  }
  const { result: narrow } = await call(
    "board_import_image",
    { x: 0, y: 0, width: 100 },
    pngBytes(400, 200).buffer,
  );
  assert.deepEqual([narrow.shape.width, narrow.shape.height], [100, 50]);
  const { result: huge } = await call("board_import_image", {}, pngBytes(8_000, 1_000).buffer);
  assert.deepEqual([huge.shape.width, huge.shape.height], [1_600, 200]);
});

test("what is no picture, or cannot be drawn, is refused and changes nothing", async (t) => {
  const { call, board } = openBoard(t, { drawable: async (bytes) => bytes[24] !== 1 });
  const { revision } = board;
  const svg = new TextEncoder().encode("<svg onload='alert(1)'/>").slice().buffer;
  await fails(call("board_import_image", {}, svg), "INVALID_INPUT");
  await fails(call("board_import_image", {}, pngBytes(0, 10).buffer), "INVALID_INPUT");
  await fails(call("board_import_image", {}, pngBytes(10, 9_000).buffer), "INVALID_INPUT");
  const broken = pngBytes(10, 10);
  broken[24] = 1;
  await fails(call("board_import_image", {}, broken.buffer), "INVALID_INPUT");
  await fails(call("board_import_image"), "INVALID_INPUT");
  assert.equal(board.revision, revision);
  await call("board_import_image", {}, pngBytes(10, 10).buffer);
  assert.equal(board.shapes.length, 1);
  await fails(call("board_image", { id: "shape-9" }), "INVALID_INPUT");
});
