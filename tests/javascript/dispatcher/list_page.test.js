// @ts-check
/** Where a page of a list ends. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { MAX_LIST_BYTES } from "../../../browser_worker/contract/limits.js";
import { fitting } from "../../../browser_worker/dispatcher/list_page.js";

const AROUND = '{"a":""}'.length;
const ODD = "\u2028\x01é😀";
const WRITTEN_ODD = 6 + 6 + 2 + 4;

/** @param {...string} texts */
const entries = (...texts) => texts.map((a) => ({ a }));

test("a page ends with the last entry that fits to the byte", () => {
  const left = MAX_LIST_BYTES - 2 * AROUND - 200_000 - WRITTEN_ODD;
  const second = ODD + "x".repeat(left);
  const full = entries("x".repeat(200_000), second, "");
  assert.deepEqual(fitting(full), full.slice(0, 2));
  const over = entries("x".repeat(200_000), `${second}x`, "");
  assert.deepEqual(fitting(over), over.slice(0, 1));
  assert.deepEqual(fitting(over.slice(1)), over.slice(1));
});

test("a page holds what there is, and looks no further than it has to", () => {
  const few = entries("a", "b", "c", "d", "e");
  assert.deepEqual(fitting(few), few);
  assert.deepEqual(fitting([]), []);
  let asked = 0;
  const rest = (function* () {
    for (const each of entries("x".repeat(200_000), "x".repeat(200_000), "left")) {
      asked++;
      yield each;
    }
  })();
  assert.equal(fitting(rest).length, 1);
  assert.equal(asked, 2);
});

test("the first entry is on its page whatever its size, and alone", () => {
  for (const wrong of ["x".repeat(262_145), "\ud800"]) {
    const listed = entries("a", wrong, "b");
    for (const start of [0, 1, 2]) {
      assert.deepEqual(fitting(listed.slice(start)), [listed[start]]);
    }
  }
});
