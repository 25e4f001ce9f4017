// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";

import fc from "fast-check";

import { BackOff, CHANNEL, LOST, OCCUPIED } from "../../../browser_worker/link/back_off.js";

/**
 * The times of all attempts when each of them fails at once.
 *
 * @param {import("../../../browser_worker/link/back_off.js").Schedule} schedule
 * @param {() => number} random
 */
function attempts(schedule, random) {
  const backOff = new BackOff(schedule, random);
  const times = [];
  for (let now = 0; ;) {
    const wait = backOff.next(now);
    if (wait === null) return times;
    now += wait;
    times.push(now);
  }
}

const chance = () =>
  fc.infiniteStream(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }));

test("a dead bridge is asked at most six times in the first minute, twice within two seconds", () => {
  fc.assert(
    fc.property(chance(), (stream) => {
      const times = attempts(LOST, () => stream.next().value);
      assert.ok(times.filter((time) => time <= 60_000).length <= 6);
      assert.ok(times.filter((time) => time < 2_000).length === 2);
      assert.ok((times.at(-1) ?? 0) <= 300_000);
      assert.ok((times.at(-1) ?? 0) > 180_000);
    }),
  );
});

test("attempts are spread by chance", () => {
  assert.notDeepEqual(
    attempts(LOST, () => 0),
    attempts(LOST, () => 0.999),
  );
});

test("a taken place is asked for past the two seconds that a reloaded page leaves, and not for long", () => {
  fc.assert(
    fc.property(chance(), (stream) => {
      const times = attempts(OCCUPIED, () => stream.next().value);
      assert.ok((times.at(-1) ?? 0) > 2_500);
      assert.ok((times.at(-1) ?? 0) <= 5_000);
      assert.ok(times.length <= 4);
    }),
  );
});

test("after a success the next failure is a first one", () => {
  const backOff = new BackOff(LOST, () => 0.5);
  assert.equal(backOff.next(0), 300);
  assert.equal(backOff.next(300), 1_000);
  backOff.reset();
  assert.equal(backOff.next(10_000_000), 300);
});

test("a channel that fails is tried at once, then ever more seldom, and never given up", () => {
  const backOff = new BackOff(CHANNEL, () => 0.5);
  const waits = Array.from({ length: 8 }, (_, attempt) => backOff.next(attempt * 3_600_000));
  assert.deepEqual(waits, [0, 1_000, 5_000, 20_000, 60_000, 300_000, 300_000, 300_000]);
  backOff.reset();
  assert.equal(backOff.next(0), 0);
});
