// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import { toSvg } from "../../../../browser_worker/demo/workspace/apps/board/model/board_svg.js";
import { readImageFile } from "../../../../browser_worker/demo/workspace/apps/board/model/image_file.js";
import { makeBoard, pngBytes } from "./support.js";

test("every kind of shape is drawn, and words stay words", () => {
  const board = makeBoard();
  const text = `</text><script>alert("1")</script>\u0000`;
  for (const kind of /** @type {const} */ (["rectangle", "ellipse", "line", "text"])) {
    board.add({ kind, x: 0, y: 0, text });
  }
  const svg = toSvg(board.shapes);
  for (const name of ["rect", "ellipse", "line"]) assert.match(svg, new RegExp(`<${name} `));
  assert.doesNotMatch(svg, /<script/);
  assert.equal(svg.split("&lt;script&gt;").length - 1, 4);
  assert.equal(svg.includes("\u0000"), false);
});

test("a picture is within the picture of the board, and says what it shows", () => {
  const board = makeBoard();
  const bytes = pngBytes(2, 2);
  const image = {
    id: "i",
    mimeType: /** @type {const} */ ("image/png"),
    width: 2,
    height: 2,
    bytes,
  };
  board.add({ kind: "image", x: 5, y: 6, width: 20, height: 20, text: "plan & map", image });
  const svg = toSvg(board.shapes);
  assert.ok(svg.includes(`href="data:image/png;base64,${Buffer.from(bytes).toString("base64")}"`));
  assert.match(svg, /<title>plan &amp; map<\/title>/);
});

test("a file is known by its bytes: PNG and JPEG, with their sizes, and nothing else", () => {
  assert.deepEqual(readImageFile(pngBytes(640, 480)), {
    mimeType: "image/png",
    width: 640,
    height: 480,
  });
  // An application segment, then a progressive frame of 16 by 9.
  const jpeg = [0xff, 0xd8, 0xff, 0xe0, 0, 4, 1, 2, 0xff, 0xc2, 0, 11, 8, 0, 9, 0, 16, 3, 0, 0];
  assert.deepEqual(readImageFile(new Uint8Array(jpeg)), {
    mimeType: "image/jpeg",
    width: 16,
    height: 9,
  });
  for (const length of [0, 1, 3, 9, 12]) {
    assert.equal(readImageFile(new Uint8Array(jpeg.slice(0, length))), null);
    assert.equal(readImageFile(pngBytes(640, 480).slice(0, length)), null);
  }
  assert.equal(readImageFile(new TextEncoder().encode("GIF89a, and more of it to come")), null);
});

test("words shrink to stay within their shape, and are as large as ever where there is room", () => {
  const sizeIn = (
    /** @type {"rectangle" | "ellipse" | "line"} */ kind,
    /** @type {object} */ more,
  ) => {
    const board = makeBoard();
    board.add({ kind, x: 0, y: 0, width: 360, height: 180, ...more });
    return Number(/font-size="(\d+)"/.exec(toSvg(board.shapes))?.[1]);
  };
  const text = "Hello from a terminal";
  assert.equal(sizeIn("rectangle", { text: "Roadmap" }), 40);
  assert.equal(sizeIn("rectangle", { text }), 25);
  assert.equal(sizeIn("rectangle", { text, width: 480 }), 34);
  assert.ok(sizeIn("ellipse", { text }) < 25, "an ellipse has less room");
  assert.ok(sizeIn("rectangle", { text: "橋".repeat(21) }) < 25, "some signs are wider");
  assert.equal(sizeIn("rectangle", { text: "a\n".repeat(5) + "a" }), 22, "so is it in height");
  assert.equal(sizeIn("rectangle", { text, width: 20 }), 12, "but never too small to read");
  assert.equal(sizeIn("line", { text }), 40, "a line has no within");
});
