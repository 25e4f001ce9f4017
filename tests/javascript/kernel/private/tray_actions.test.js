// @ts-check
/** What an app does to its own place in the tray. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { addTrayActions } from "../../../../browser_worker/kernel/private/tray_actions.js";
import { makePrivateKernel } from "./private_kernel.js";

function make() {
  const made = makePrivateKernel({ tray: true });
  /** @type {any[]} */
  const badges = [];
  /** @type {any[]} */
  const dismissed = [];
  addTrayActions(made.kernel, {
    onBadge: (app, badge) => void badges.push([app, badge]),
    onDismiss: (app, endpoint) => void dismissed.push([app, endpoint]),
    powers: made.powers,
  });
  return { ...made, badges, dismissed };
}

test("a badge is 0 to 9999 or none, as exactly one member", async () => {
  const { connect, ask, badges } = make();
  const { app } = connect("notes");
  for (const badge of [0, 9_999, null]) {
    assert.deepEqual((await ask(app, "tray.set_state", { badge })).ok, {});
  }
  assert.deepEqual(badges, [
    ["notes", 0],
    ["notes", 9_999],
    ["notes", null],
  ]);
  const bad = [{ badge: -1 }, { badge: 10_000 }, { badge: 1.5 }, { badge: "3" }, {}];
  for (const payload of [...bad, { badge: 3, title: "x" }]) {
    const { error } = await ask(app, "tray.set_state", payload);
    assert.equal(error.code, "INVALID_INPUT", JSON.stringify(payload));
  }
  assert.equal(badges.length, 3);
});

test("a badge goes with the background that set it", async () => {
  const { kernel, connect, ask, badges } = make();
  const first = connect("notes");
  await ask(first.app, "tray.set_state", { badge: 3 });
  const other = connect("board");
  kernel.disconnect(other.endpoint);
  assert.deepEqual(badges, [["notes", 3]]);
  kernel.disconnect(first.endpoint);
  assert.deepEqual(badges.at(-1), ["notes", null]);
  const second = connect("notes");
  kernel.disconnect(second.endpoint);
  assert.equal(badges.length, 2);
});

test("a lock takes all badges away", async () => {
  const { kernel, connect, ask, badges } = make();
  await ask(connect("notes").app, "tray.set_state", { badge: 3 });
  kernel.lock();
  assert.deepEqual(badges.at(-1), ["notes", null]);
});

test("a tray is answered before it is closed, and named exactly", async () => {
  const { connect, ask, dismissed, time } = make();
  const { app, endpoint } = connect("notes", "tray", "7");
  assert.deepEqual((await ask(app, "tray.dismiss")).ok, {});
  assert.deepEqual(dismissed, []);
  time.pass(0);
  assert.deepEqual(dismissed, [["notes", endpoint.id]]);
});

test("a tray that was closed meanwhile closes no other", async () => {
  const { kernel, connect, ask, dismissed, time } = make();
  const { app, endpoint } = connect("notes", "tray", "7");
  await ask(app, "tray.dismiss");
  kernel.disconnect(endpoint);
  connect("notes", "tray", "8");
  time.pass(0);
  assert.deepEqual(dismissed, []);
});
