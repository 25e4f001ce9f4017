// @ts-check
/** Many deadlines on one timer. */

import assert from "node:assert/strict";
import { test } from "node:test";

import fc from "fast-check";

import { Deadlines } from "../../../browser_worker/contract/deadlines.js";
import { ManualRuntime } from "../support/manual_runtime.js";

function made() {
  const time = new ManualRuntime();
  return { time, deadlines: new Deadlines({ now: time.now, setTimer: time.after }) };
}

test("each is called back at its time, once, unless it was cancelled", () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ seconds: fc.nat({ max: 20 }), cancelAt: fc.nat({ max: 40 }) })),
      (wanted) => {
        const { time, deadlines } = made();
        const called = wanted.map(() => /** @type {number[]} */ ([]));
        const kept = wanted.map(({ seconds }, n) =>
          deadlines.add(seconds, () => called[n]?.push(time.time)),
        );
        assert.ok(time.timers.size <= 1);
        for (let second = 0; second <= 41; second++) {
          wanted.forEach(({ cancelAt }, n) => {
            const deadline = kept[n];
            if (cancelAt === second && deadline !== undefined) deadlines.cancel(deadline);
          });
          time.pass(second === 0 ? 0 : 1000);
          assert.ok(time.timers.size <= 1);
        }
        wanted.forEach(({ seconds, cancelAt }, n) => {
          assert.deepEqual(called[n], cancelAt > seconds ? [seconds * 1000] : []);
        });
        assert.deepEqual([deadlines.size, time.timers.size], [0, 0]);
      },
    ),
  );
});

test("one that is added or cancelled while others are called back is heeded", () => {
  const { time, deadlines } = made();
  /** @type {string[]} */
  const called = [];
  deadlines.add(1, () => {
    called.push("first");
    deadlines.cancel(second);
    deadlines.add(1, () => called.push("third"));
  });
  const second = deadlines.add(1, () => called.push("second"));
  time.pass(1000);
  time.pass(1000);
  assert.deepEqual(called, ["first", "third"]);
});

test("a hundred calls that end in time need one timer", () => {
  const { time, deadlines } = made();
  let set = 0;
  const counting = new Deadlines({
    now: time.now,
    setTimer: (ms, callback) => {
      set += 1;
      return time.after(ms, callback);
    },
  });
  for (let n = 0; n < 100; n++) counting.cancel(counting.add(30, () => assert.fail("it ended")));
  assert.equal(set, 1);
  counting.close();
  deadlines.close();
  assert.equal(time.timers.size, 0);
});
