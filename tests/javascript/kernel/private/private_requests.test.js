// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";

import { BusError } from "../../../../browser_worker/contract/bus_error.js";
import { makeKernel } from "../../support/test_kernel.js";

const APPS = [{ id: "notes", name: "Notes", version: "1", declares: { tray: true } }];

/** @param {any} [options] */
function workspace(options = {}) {
  const made = makeKernel({ apps: () => APPS, ...options });
  return { ...made, background: made.connect("notes"), tile: made.connect("notes", "tile") };
}

/** @param {{ app: any }} endpoint */
const received = ({ app }) => app.received.map((/** @type {any} */ m) => m.type);

test("an action is run by its handler, which is told who asks, and answered once", async () => {
  const { kernel, background, ports } = workspace();
  /** @type {any[]} */
  const told = [];
  kernel.private.on("tray.set_state", (payload, { endpoint, app, click }) => {
    told.push(payload, endpoint.id, app, click);
    return { done: true };
  });
  const id = background.app.ask("tray.set_state", { badge: 3 });
  await ports.settle();
  assert.deepEqual(background.app.response(id).ok, { done: true });
  assert.deepEqual(told, [{ badge: 3 }, "app:notes:background", "notes", false]);
});

test("from elsewhere it is as unknown as an action that there is not", async () => {
  const { kernel, background, tile, ports } = workspace();
  let runs = 0;
  kernel.private.on("tray.set_state", () => void (runs += 1));
  const refused = tile.app.ask("tray.set_state", { badge: 3 });
  const unknown = tile.app.ask("tray.explode", {});
  const control = background.app.ask("tray.set_state", { badge: 3 });
  await ports.settle();
  assert.equal(tile.app.response(refused).error.code, "UNKNOWN_ACTION");
  assert.equal(tile.app.response(unknown).error.code, "UNKNOWN_ACTION");
  assert.deepEqual(background.app.response(control).ok, {});
  assert.equal(runs, 1);
});

test("it is no tool: not listed, not called, not discovered", async () => {
  const { kernel, background, ports } = workspace();
  kernel.private.on("tray.set_state", () => ({}));
  const list = background.app.ask("tools.list", { target: "kernel" });
  const call = background.app.call("kernel", "tray.set_state", { badge: 1 });
  const apps = background.app.call("kernel", "apps.list");
  const described = background.app.call("kernel", "apps.describe", { app: "notes" });
  await ports.settle();
  const answers = [list, apps, described].map((id) =>
    JSON.stringify(background.app.response(id).ok),
  );
  for (const answer of answers) {
    assert.ok(!answer.includes("tray"), answer);
    assert.ok(!answer.includes("declares"), answer);
  }
  assert.match(answers[0] ?? "", /apps\.list/);
  assert.equal(background.app.response(call).error.code, "UNKNOWN_TOOL");
});

test("the audit keeps its name and its end, and nothing of what it took or gave", async () => {
  const { kernel, background, ports } = workspace();
  kernel.private.on("tray.set_state", () => ({ given: "a secret" }));
  background.app.ask("tray.set_state", { badge: "a secret" });
  background.app.call("kernel", "apps.list", {});
  await ports.settle();
  const entries = kernel.audit.entries();
  assert.ok(!JSON.stringify(entries).includes("secret"));
  assert.deepEqual(
    entries.map(({ tool, private: isPrivate, status }) => [tool, isPrivate, status]),
    [
      ["tray.set_state", true, "completed"],
      ["apps.list", false, "completed"],
    ],
  );
});

test("a handler that fails tells no more than that, a BusError is told, and what is no JSON is refused", async () => {
  const { kernel, background, ports } = workspace();
  const handlers = [
    () => {
      throw new Error("the password is 1234");
    },
    () => Promise.reject(new BusError("UI_BUSY", "Later.", { retryAfterMs: 5 })),
    () => ({ bad: () => {} }),
  ];
  kernel.private.on("tray.set_state", () => handlers.shift()?.());
  const ids = [1, 2, 3].map((badge) => background.app.ask("tray.set_state", { badge }));
  await ports.settle();
  const errors = ids.map((id) => background.app.response(id).error);
  assert.deepEqual(
    errors.map(({ code }) => code),
    ["TOOL_FAILED", "UI_BUSY", "NOT_JSON"],
  );
  assert.ok(!JSON.stringify(errors).includes("1234"));
  assert.equal(errors[1].retryAfterMs, 5);
});

test("four of an endpoint wait at once, and the next ones when they have ended", async () => {
  const { kernel, background, ports } = workspace();
  /** @type {(() => void)[]} */
  const ends = [];
  kernel.private.on(
    "tray.set_state",
    () => new Promise((resolve) => void ends.push(() => resolve({}))),
  );
  const ids = [1, 2, 3, 4, 5].map((badge) => background.app.ask("tray.set_state", { badge }));
  await ports.settle();
  assert.equal(background.app.response(ids[4] ?? 0).error.code, "TOO_MANY_CALLS");
  assert.equal(background.app.response(ids[3] ?? 0), undefined);
  for (const end of ends.splice(0)) end();
  await ports.settle();
  const again = background.app.ask("tray.set_state", { badge: 6 });
  await ports.settle();
  assert.equal(ends.length, 1);
  ends[0]?.();
  await ports.settle();
  assert.deepEqual(background.app.response(again).ok, {});
});

test("what an endpoint waits for ends with it, and with its own cancelling", async () => {
  const { kernel, background, ports } = workspace();
  /** @type {AbortSignal[]} */
  const signals = [];
  kernel.private.on("tray.set_state", (_payload, { signal }) => {
    signals.push(signal);
    return new Promise(() => {});
  });
  const id = background.app.ask("tray.set_state", { badge: 1 });
  background.app.ask("tray.set_state", { badge: 2 });
  await ports.settle();
  background.app.send({ type: "cancel", id, payload: { reason: "enough" } });
  await ports.settle();
  assert.equal(background.app.response(id).error.code, "CANCELLED");
  assert.deepEqual(
    signals.map(({ aborted }) => aborted),
    [true, false],
  );
  kernel.disconnect(background.endpoint);
  assert.ok(signals.every(({ aborted }) => aborted));
  assert.ok(!received(background).includes("progress"));
});

test("an action without a handler is unknown, and a handler for none is a mistake", async () => {
  const { kernel, background, ports } = workspace();
  const id = background.app.ask("tray.set_state", { badge: 1 });
  await ports.settle();
  assert.equal(background.app.response(id).error.code, "UNKNOWN_ACTION");
  assert.throws(() => kernel.private.on("tray.fly", () => ({})), TypeError);
  kernel.private.on("tray.dismiss", () => ({}));
  assert.throws(() => kernel.private.on("tray.dismiss", () => ({})), TypeError);
});

/** A tile whose click the page is told of later, when the test says so. */
function lateWorkspace() {
  const attention = {
    focused: "",
    waits: /** @type {(() => void)[]} */ ([]),
    focusedEndpoint: () => attention.focused,
    activation: () => ({ active: attention.focused !== "", moved: false }),
    caughtUp: () =>
      new Promise((/** @type {(given: void) => void} */ resolve) => {
        attention.waits.push(() => resolve());
      }),
  };
  const made = workspace({ attention });
  let runs = 0;
  made.kernel.private.on("clipboard.write_text", () => void (runs += 1));
  made.kernel.private.on("tray.set_state", () => ({}));
  return { ...made, attention, runs: () => runs };
}

test("what a tile asks in a click that the page is told of later is let in then, and run once", async () => {
  const { attention, tile, ports, runs } = lateWorkspace();
  const id = tile.app.ask("clipboard.write_text", { text: "a" });
  await ports.settle();
  assert.equal(tile.app.response(id), undefined);
  assert.equal(runs(), 0);
  attention.focused = tile.endpoint.id;
  for (const goOn of attention.waits) goOn();
  await ports.settle();
  assert.deepEqual(tile.app.response(id).ok, {});
  assert.equal(runs(), 1);
});

test("a click that does not come lets nothing in, and what no click would let in waits for none", async () => {
  const { attention, background, tile, ports, runs } = lateWorkspace();
  const id = tile.app.ask("clipboard.write_text", { text: "a" });
  const other = background.app.ask("clipboard.write_text", { text: "a" });
  await ports.settle();
  assert.equal(background.app.response(other).error.code, "UNKNOWN_ACTION");
  assert.equal(attention.waits.length, 1);
  attention.waits[0]?.();
  await ports.settle();
  assert.equal(tile.app.response(id).error.code, "OWNER_REQUIRED");
  assert.equal(runs(), 0);
});

test("what is cancelled while its click is waited for is told that it was not begun, and never is", async () => {
  const { attention, tile, ports, runs } = lateWorkspace();
  const id = tile.app.ask("clipboard.write_text", { text: "a" });
  await ports.settle();
  tile.app.send({ type: "cancel", id, payload: { reason: "enough" } });
  await ports.settle();
  const { error } = tile.app.response(id);
  assert.equal(error.code, "CANCELLED");
  assert.equal(error.data.outcome, "not_delivered");
  attention.focused = tile.endpoint.id;
  for (const goOn of attention.waits) goOn();
  await ports.settle();
  assert.equal(runs(), 0);
});
