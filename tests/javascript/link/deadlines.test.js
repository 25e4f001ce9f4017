// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";

import { AnswerAges, DelayFilter, elapsedMs } from "../../../browser_worker/link/deadlines.js";

/**
 * @param {number} monotonicMs
 * @param {number} [wallMs]
 */
const at = (monotonicMs, wallMs = monotonicMs + 1e12) => ({ monotonicMs, wallMs });

test("the clock that advanced further is believed", () => {
  assert.equal(elapsedMs(at(0), at(50)), 50);
  assert.equal(elapsedMs(at(0, 0), at(50, 3_600_000)), 3_600_000, "slept");
  assert.equal(elapsedMs(at(0, 3_600_000), at(50, 0)), 50, "the wall clock was put back");
  assert.equal(elapsedMs(at(50), at(0)), 0);
});

test("what lies above the smallest difference of two clocks is delay", () => {
  const filter = new DelayFilter();
  assert.equal(filter.delay(1_000, 501_003), 0);
  assert.equal(filter.delay(2_000, 502_001), 0);
  assert.equal(filter.delay(3_000, 513_001), 10_000);
  assert.equal(filter.delay(4_000, 504_001), 0);
});

test("a clock that was set is believed again after a few answers", () => {
  const filter = new DelayFilter();
  filter.delay(0, 0);
  const delays = Array.from({ length: 9 }, (_, k) => filter.delay(k - 3_600_000, k));
  assert.equal(delays[0], 3_600_000);
  assert.equal(delays[8], 0);
});

test("an answer that waited while the page was frozen is as old as the freeze", () => {
  const ages = new AnswerAges(20_000);
  assert.equal(ages.age(1e12 + 10, at(0), at(12)), 0);
  // Written 1 s after the poll was sent, read an hour later.
  assert.equal(ages.age(1e12 + 1_012, at(12), at(3_600_012)), 3_599_000 - 2);
});

test("a first answer that took longer than any poll is known to be late", () => {
  const ages = new AnswerAges(20_000);
  assert.equal(ages.age(5, at(0), at(15_000)), 0);
  assert.equal(new AnswerAges(20_000).age(5, at(0), at(80_000)), 60_000);
});

test("a bridge on a machine with another clock is no older for it", () => {
  const ages = new AnswerAges(20_000);
  assert.equal(ages.age(777, at(0), at(10)), 0);
  assert.equal(ages.age(10_777, at(10), at(10_013)), 3);
});

test("a frame that nobody asked for is as old as the clocks say", () => {
  const ages = new AnswerAges(20_000);
  assert.equal(ages.pushedAge(1_000, at(0, 501_000)), 0);
  assert.equal(ages.pushedAge(2_000, at(0, 3_602_000)), 3_100_000);
  assert.equal(ages.pushedAge(3_000, at(0, 503_000)), 0);
});

test("eight late frames at once do not make lateness the rule", () => {
  const ages = new AnswerAges(20_000);
  for (let frame = 0; frame < 8; frame += 1) ages.pushedAge(frame, at(0, frame));
  for (let frame = 0; frame < 8; frame += 1) {
    assert.equal(ages.pushedAge(frame, at(0, 3_600_000 + frame)), 3_600_000);
  }
});
