// @ts-check
/** How much one source may send. */

import assert from "node:assert/strict";
import { test } from "node:test";

import fc from "fast-check";

import { FloodGuard } from "../../../../browser_worker/kernel/endpoints/flood_guard.js";

function guard(limits = { maxMessagesPerSecond: 10, maxBytesPerSecond: 1000 }) {
  const clock = { at: 0 };
  return { clock, guard: new FloodGuard(() => clock.at, limits) };
}

test("twice as many as in a second at once, and not one more", () => {
  const { guard: flood } = guard();
  for (let n = 0; n < 20; n++) assert.equal(flood.take(1), true);
  assert.equal(flood.take(1), false);
});

test("what is forgiven is not counted, and nothing is saved up", () => {
  const { guard: flood } = guard();
  for (let n = 0; n < 100; n++) {
    assert.equal(flood.take(1), true);
    flood.forgive();
  }
  for (let n = 0; n < 100; n++) flood.forgive();
  for (let n = 0; n < 20; n++) assert.equal(flood.take(1), true);
  assert.equal(flood.take(1), false);
});

test("bytes as well", () => {
  const { guard: flood } = guard();
  assert.equal(flood.take(2000), true);
  assert.equal(flood.take(1), false);
});

test("after a second there is room for as many as in a second", () => {
  const { guard: flood, clock } = guard();
  for (let n = 0; n < 20; n++) flood.take(1);
  clock.at = 1000;
  for (let n = 0; n < 10; n++) assert.equal(flood.take(1), true);
  assert.equal(flood.take(1), false);
});

test("whatever is within the rate is never too much, and a clock that stands still is no excuse", () => {
  fc.assert(
    fc.property(fc.array(fc.nat({ max: 500 }), { maxLength: 200 }), (gaps) => {
      const { guard: flood, clock } = guard();
      for (const gap of gaps) {
        clock.at += 100 + gap;
        assert.equal(flood.take(100), true);
      }
      for (let n = 0; n < 20; n++) flood.take(0);
      assert.equal(flood.take(0), false);
    }),
  );
});
