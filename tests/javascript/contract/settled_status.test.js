// @ts-check
/** The status of a finished call, judged by the vectors that both languages share. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { settledStatus } from "../../../browser_worker/contract/settled_status.js";
import { loadVectors } from "../support/vectors.js";

describe("the status of a finished call", () => {
  for (const { name, structured, is_error: isError, expect } of loadVectors(
    "settled_status.json",
  )) {
    test(name, () => {
      assert.deepEqual(settledStatus(structured, isError), expect);
    });
  }

  test("takes no longer for a text that is full of blanks", () => {
    // At the square of this length nobody would see it end.
    const blanks = " ".repeat(1_048_576);
    assert.equal(settledStatus({ status: `x${blanks}y` }).word.length, 64);
    assert.equal(settledStatus({ status: `${blanks}failed${blanks}` }).word, "failed");
  });
});
