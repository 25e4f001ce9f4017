// @ts-check
/** Work that ends with what it rests on. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { BusError } from "../../../../browser_worker/contract/bus_error.js";
import { endsWith } from "../../../../browser_worker/kernel/private/ends_with.js";

const TAKEN = new BusError("OWNER_REQUIRED", "It was taken back.");

/** A signal that counts who listens to it. */
function ground() {
  const controller = new AbortController();
  const { signal } = controller;
  let listeners = 0;
  const { addEventListener, removeEventListener } = signal;
  Object.assign(signal, {
    addEventListener: (/** @type {Parameters<typeof addEventListener>} */ ...about) => {
      listeners += 1;
      addEventListener.apply(signal, about);
    },
    removeEventListener: (/** @type {Parameters<typeof removeEventListener>} */ ...about) => {
      listeners -= 1;
      removeEventListener.apply(signal, about);
    },
  });
  return {
    signal,
    abort: (/** @type {unknown} */ why) => controller.abort(why),
    left: () => listeners,
  };
}

test("gives what the work gives, or fails as it does, and leaves nothing on what it rests on", async () => {
  const long = ground();
  assert.equal(await endsWith([long.signal], async () => (assert.equal(long.left(), 1), 7)), 7);
  await assert.rejects(
    endsWith([long.signal], () => Promise.reject(TAKEN)),
    (error) => error === TAKEN,
  );
  assert.equal(long.left(), 0);
});

test("ends with the first that ends, for its reason, though the work hears of it too and never ends", async () => {
  const one = ground();
  const other = ground();
  /** @type {AbortSignal | null} */
  let heard = null;
  const ended = endsWith([one.signal, other.signal], (signal) => {
    heard = signal;
    return new Promise((_resolve, reject) => {
      signal.addEventListener("abort", () => reject(new Error("less of why")));
    });
  });
  other.abort(TAKEN);
  await assert.rejects(ended, (error) => error === TAKEN);
  assert.equal(/** @type {any} */ (heard)?.aborted, true);
  assert.equal(one.left(), 0);
});

test("a ground that tells no reason is told as cancelled", async () => {
  const one = ground();
  const ended = endsWith([one.signal], () => new Promise(() => {}));
  one.abort(undefined);
  await assert.rejects(ended, { code: "CANCELLED" });
});

test("nothing begins where a ground is gone already", async () => {
  const one = ground();
  one.abort(TAKEN);
  let runs = 0;
  const run = async () => void (runs += 1);
  await assert.rejects(endsWith([one.signal], run), (error) => error === TAKEN);
  assert.equal(runs, 0);
});
