// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  KeptFiles,
  MAX_FILES,
  MAX_KEPT_BYTES,
} from "../../../browser_worker/demo/document/kept_files.js";

/** @param {KeptFiles} files @param {number} [size] */
const keep = (files, size = 10) => files.keep("export", "txt", "text/plain", new Uint8Array(size));

test("a file is read in parts up to its end, and at its end there is nothing", () => {
  const files = new KeptFiles();
  const data = Uint8Array.from([1, 2, 3, 4, 5]);
  const uri = files.keep("picture", "png", "image/png", data);
  const parts = [0, 2, 4, 5, 9].map((offset) => files.read(uri, offset, 2));
  assert.deepEqual(
    parts.map((part) => [...(part?.data ?? [])]),
    [[1, 2], [3, 4], [5], [], []],
  );
  assert.ok(parts.every((part) => part?.size === 5 && part.mimeType === "image/png"));
  assert.equal(files.read("/etc/passwd", 0, 1), null);
});

test("the newest files are kept, and no name comes again", () => {
  const files = new KeptFiles();
  const names = Array.from({ length: MAX_FILES + 1 }, () => keep(files));
  assert.equal(new Set(names).size, names.length);
  assert.deepEqual(
    names.filter((name) => files.read(name, 0, 1) === null),
    names.slice(0, 1),
  );
});

test("large files make small ones go, and the newest stays whatever its size", () => {
  const files = new KeptFiles();
  const [first, second] = [keep(files), keep(files, MAX_KEPT_BYTES - 10)];
  assert.notEqual(files.read(first, 0, 1), null);
  const third = keep(files, 1);
  assert.equal(files.read(first, 0, 1), null);
  assert.notEqual(files.read(second, 0, 1), null);
  const large = keep(files, MAX_KEPT_BYTES + 1);
  assert.equal(files.read(third, 0, 1), null);
  assert.notEqual(files.read(large, 0, 1), null);
});

test("what is kept is listed, newest first, by the names that it is read by", () => {
  const files = new KeptFiles();
  assert.deepEqual(files.list(), []);
  const text = keep(files);
  const picture = files.keep("picture", "png", "image/png", new Uint8Array(3));
  assert.deepEqual(files.list(), [
    { uri: picture, name: "2.png", title: "Picture", mimeType: "image/png", size: 3 },
    { uri: text, name: "1.txt", title: "Export", mimeType: "text/plain", size: 10 },
  ]);
  for (const { uri } of files.list()) assert.notEqual(files.read(uri, 0, 1), null);
});
