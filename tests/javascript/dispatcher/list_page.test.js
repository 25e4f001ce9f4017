// @ts-check
/** Where a page of a list ends. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { MAX_LIST_BYTES } from "../../../browser_worker/contract/limits.js";
import { pageEnd } from "../../../browser_worker/dispatcher/list_page.js";

const AROUND = '{"a":""}'.length;
const ODD = "\u2028\x01é😀";
const WRITTEN_ODD = 6 + 6 + 2 + 4;

/** @param {...string} texts */
const entries = (...texts) => texts.map((a) => ({ a }));

test("a page ends with the last entry that fits to the byte", () => {
  const left = MAX_LIST_BYTES - 2 * AROUND - 200_000 - WRITTEN_ODD;
  const second = ODD + "x".repeat(left);
  assert.equal(pageEnd(entries("x".repeat(200_000), second, ""), 0, 100), 2);
  const over = entries("x".repeat(200_000), `${second}x`, "");
  assert.equal(pageEnd(over, 0, 100), 1);
  assert.equal(pageEnd(over, 1, 100), 3);
});

test("a page holds so many entries and no more than there are", () => {
  const few = entries("a", "b", "c", "d", "e");
  assert.deepEqual(
    [0, 3, 4, 5].map((start) => pageEnd(few, start, 2)),
    [2, 5, 5, 5],
  );
  assert.equal(pageEnd([], 0, 2), 0);
});

test("the first entry is on its page whatever its size, and alone", () => {
  for (const wrong of ["x".repeat(262_145), "\ud800"]) {
    const listed = entries("a", wrong, "b");
    assert.deepEqual(
      [0, 1, 2].map((start) => pageEnd(listed, start, 100)),
      [1, 2, 3],
    );
  }
});
