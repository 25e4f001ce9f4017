// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  recallTiles,
  rememberTiles,
} from "../../../../browser_worker/demo/workspace/shell/remembered_tiles.js";

/** @param {string | null} value */
const storage = (value) => {
  let kept = value;
  return () =>
    /** @type {Storage} */ (
      /** @type {unknown} */ ({
        getItem: () => kept,
        setItem: (/** @type {string} */ _key, /** @type {string} */ text) => (kept = text),
      })
    );
};

test("tiles that were remembered are recalled, and nothing more of them", () => {
  const kept = storage(null);
  assert.equal(recallTiles(kept), null);
  rememberTiles(kept, [{ app: "notes", tile: "main" }]);
  assert.deepEqual(recallTiles(kept), [{ app: "notes", tile: "main" }]);
  assert.deepEqual(recallTiles(storage('[{"app":"a","tile":"b","url":"c"},{"app":1},null]')), [
    { app: "a", tile: "b" },
  ]);
});

test("what cannot be read or written is as if nothing were remembered", () => {
  assert.equal(recallTiles(storage("{")), null);
  assert.equal(recallTiles(storage("{}")), null);
  const none = () => {
    throw new Error("no storage");
  };
  assert.equal(recallTiles(none), null);
  rememberTiles(none, []);
});
