// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";

import { LateSignal } from "../../../../browser_worker/kernel/calls/late_signal.js";

/** One whose reasons are counted. */
function counted() {
  const reasons = /** @type {Error[]} */ ([]);
  const late = new LateSignal(() => {
    reasons.push(new Error(`reason ${reasons.length + 1}`));
    return reasons.at(-1);
  });
  return { late, reasons };
}

test("who looks before the end hears of it, once", () => {
  const { late, reasons } = counted();
  const heard = /** @type {Event[]} */ ([]);
  late.signal.addEventListener("abort", (event) => void heard.push(event));
  assert.equal(late.signal.aborted, false);
  late.end();
  late.end();
  assert.equal(heard.length, 1);
  assert.equal(late.signal.aborted, true);
  assert.deepEqual([late.signal.reason], reasons);
});

test("who looks after the end sees it", () => {
  const { late, reasons } = counted();
  late.end();
  assert.equal(reasons.length, 0, "nobody has looked");
  assert.equal(late.signal.aborted, true);
  assert.equal(late.signal, late.signal);
  assert.deepEqual([late.signal.reason], reasons);
});
