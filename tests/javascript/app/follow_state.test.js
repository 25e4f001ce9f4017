// @ts-check
/** A view that follows its state: an older answer never replaces a newer view. */

import assert from "node:assert/strict";
import { describe, mock, test } from "node:test";

import fc from "fast-check";

import { follow } from "../../../browser_worker/app/follow_state.js";
import { ManualRuntime } from "../support/manual_runtime.js";

/** @param {any} [options] */
function following(options = {}) {
  const time = new ManualRuntime();
  /** Fetches that are under way. @type {{ resolve: (view: any) => void, reject: (error: unknown) => void }[]} */
  const fetches = [];
  /** @type {any[]} */
  const applied = [];
  /** @type {unknown[]} */
  const errors = [];
  /** @type {((revision: number) => void) | null} */
  let changed = null;
  /** @type {(() => void) | null} */
  let connected = null;
  const stop = follow(
    {
      fetch: () => new Promise((resolve, reject) => void fetches.push({ resolve, reject })),
      apply: (/** @type {any} */ view) => void applied.push(view.revision),
      onError: (/** @type {unknown} */ error) => void errors.push(error),
      ...options,
    },
    {
      onChange: (callback) => {
        changed = callback;
        return () => void (changed = null);
      },
      onConnect: (callback) => {
        connected = callback;
        return () => void (connected = null);
      },
      setTimer: time.after,
    },
  );
  const settle = () => new Promise((resolve) => void setImmediate(resolve));
  /** @param {number} which @param {number} revision */
  const answer = async (which, revision) => {
    fetches[which]?.resolve({ revision });
    await settle();
  };
  return {
    time,
    fetches,
    applied,
    errors,
    stop,
    settle,
    answer,
    change: (/** @type {number} */ revision) => changed?.(revision),
    reconnect: () => connected?.(),
    listens: () => changed !== null || connected !== null,
  };
}

describe("a followed state", () => {
  test("is fetched whole at the beginning, at a change, and when time has passed", async () => {
    const { fetches, applied, answer, change, time } = following();
    assert.equal(fetches.length, 1);
    await answer(0, 1);
    change(2);
    assert.equal(fetches.length, 2);
    await answer(1, 2);
    // What is known already is no reason to look.
    change(2);
    assert.equal(fetches.length, 2);
    time.pass(30_000);
    assert.equal(fetches.length, 3);
    await answer(2, 5);
    assert.deepEqual(applied, [1, 2, 5]);
  });

  test("is fetched once more where it changed while it was fetched", async () => {
    const { fetches, applied, answer, change } = following();
    change(1);
    change(2);
    change(3);
    assert.equal(fetches.length, 1);
    await answer(0, 1);
    assert.equal(fetches.length, 2);
    await answer(1, 3);
    assert.equal(fetches.length, 2);
    assert.deepEqual(applied, [1, 3]);
  });

  test("is fetched anew at a reconnect, and an answer from before is not applied", async () => {
    const { fetches, applied, answer, reconnect } = following();
    await answer(0, 9);
    reconnect();
    reconnect();
    assert.equal(fetches.length, 3);
    // Another life of the app may begin at a lower revision.
    await answer(2, 2);
    await answer(1, 10);
    assert.deepEqual(applied, [9, 2]);
  });

  test("is not held up by a fetch that never comes back", async () => {
    const { fetches, applied, answer, time } = following({ pollSeconds: 5 });
    time.pass(5000);
    assert.equal(fetches.length, 2);
    await answer(1, 4);
    // The first one does come, late, and is older.
    await answer(0, 3);
    assert.deepEqual(applied, [4]);
  });

  test("is tried again after a failure, and tells of it", async () => {
    const { fetches, applied, errors, settle, answer, time } = following();
    fetches[0]?.reject("lost");
    await settle();
    assert.deepEqual(errors, ["lost"]);
    time.pass(30_000);
    await answer(1, 1);
    assert.deepEqual(applied, [1]);
  });

  test("whose view has no revision says so", async () => {
    const { fetches, errors, settle, applied } = following();
    fetches[0]?.resolve({ text: "x" });
    await settle();
    assert.match(String(errors[0]), /revision/);
    assert.deepEqual(applied, []);
  });

  test("may have its revision elsewhere, and an apply that throws is tried again", async () => {
    let broken = true;
    /** @type {any[]} */
    const shown = [];
    const { fetches, errors, settle, time } = following({
      revisionOf: (/** @type {any} */ view) => view.meta.n,
      apply: (/** @type {any} */ view) => {
        if (broken) throw new Error("not yet");
        shown.push(view.meta.n);
      },
    });
    fetches[0]?.resolve({ meta: { n: 3 } });
    await settle();
    assert.equal(errors.length, 1);
    broken = false;
    time.pass(30_000);
    fetches[1]?.resolve({ meta: { n: 3 } });
    await settle();
    assert.deepEqual(shown, [3]);
  });

  test("reports a failure to the console where nobody else is told", async () => {
    const report = mock.method(console, "error", () => {});
    const { fetches, settle, stop } = following({ onError: undefined });
    fetches[0]?.reject("lost");
    await settle();
    assert.equal(report.mock.callCount(), 1);
    report.mock.restore();
    stop();
  });

  test("ends: no timer, no listener, and no late answer is left", async () => {
    const { applied, answer, stop, time, listens } = following();
    stop();
    await answer(0, 1);
    assert.deepEqual(applied, []);
    assert.equal(time.timers.size, 0);
    assert.equal(listens(), false);
  });

  test("never goes back within a connection, in whatever order answers come", async () => {
    const event = fc.oneof(
      fc.record({ type: fc.constant("change"), revision: fc.nat({ max: 30 }) }),
      fc.record({ type: fc.constant("poll") }),
      fc.record({ type: fc.constant("answer"), which: fc.nat({ max: 5 }), revision: fc.nat(30) }),
      fc.record({ type: fc.constant("fail"), which: fc.nat({ max: 5 }) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(event, { maxLength: 30 }), async (events) => {
        const { applied, fetches, answer, change, time, stop, settle } = following();
        for (const one of events) {
          const open = fetches.length - 1;
          if (one.type === "change") change(one.revision);
          else if (one.type === "poll") time.pass(30_000);
          else if (one.type === "answer") await answer(Math.max(0, open - one.which), one.revision);
          else {
            fetches[Math.max(0, open - one.which)]?.reject("lost");
            await settle();
          }
        }
        assert.deepEqual(
          applied,
          [...applied].sort((a, b) => a - b),
        );
        stop();
        assert.equal(time.timers.size, 0);
      }),
      { numRuns: 200 },
    );
  });
});
