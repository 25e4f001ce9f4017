// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";

import { takeTabLock } from "../../../browser_worker/link/tab_lock.js";
import { FakeLocks } from "./support/fake_page.js";
import { settle } from "./support/fake_time.js";

test("one tab holds the lock until it lets go", async () => {
  const locks = new FakeLocks();
  const first = await takeTabLock(locks.api);
  assert.ok(first);
  assert.deepEqual(locks.names, ["bascule:attach"]);
  assert.equal(await takeTabLock(locks.api), null);
  first();
  await settle();
  assert.ok(await takeTabLock(locks.api));
});

test("a browser without locks, or one that refuses them, is no obstacle", async () => {
  assert.equal(typeof (await takeTabLock(undefined)), "function");
  const refused = /** @type {import("../../../browser_worker/link/tab_lock.js").Locks} */ (
    /** @type {unknown} */ ({ request: () => Promise.reject(new Error("SecurityError")) })
  );
  assert.equal(typeof (await takeTabLock(refused)), "function");
});
