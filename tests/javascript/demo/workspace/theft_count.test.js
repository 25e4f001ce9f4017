// @ts-check
/** How often an app may take the keyboard from a question. */

import assert from "node:assert/strict";
import { test } from "node:test";

import {
  MAX_THEFTS,
  TheftCount,
} from "../../../../browser_worker/demo/workspace/view/theft_count.js";

/** @param {string | null} app */
const frame = (app) => /** @type {any} */ ({ app });
const make = () => new TheftCount((element) => /** @type {any} */ (element).app);

test("an app has the same attempts however many frames it has", () => {
  for (const tiles of [1, 2, 8, 40]) {
    const thefts = make();
    const frames = Array.from({ length: tiles }, () => frame("many"));
    const goes = Array.from({ length: MAX_THEFTS + tiles - 1 }, (_, at) =>
      thefts.add(frames[at % tiles]),
    );
    const free = goes.filter((gone) => !gone).length;
    assert.equal(free, MAX_THEFTS - 1, `${tiles} tiles`);
    assert.equal(goes.lastIndexOf(false), MAX_THEFTS - 2, "all that come later go at once");
  }
});

test("what one app did is not another's, nor that of a frame of no app", () => {
  const thefts = make();
  const [one, another] = [frame(null), frame(null)];
  for (let at = 1; at < MAX_THEFTS; at++) {
    for (const each of [frame("a"), frame("b"), one, another]) {
      assert.equal(thefts.add(each), false);
    }
  }
  for (const each of [frame("a"), frame("b"), one, another]) assert.equal(thefts.add(each), true);
});

test("another question begins anew", () => {
  const thefts = make();
  for (let at = 1; at < MAX_THEFTS; at++) thefts.add(frame("a"));
  thefts.clear();
  assert.equal(thefts.add(frame("a")), false);
});
