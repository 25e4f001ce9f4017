// @ts-check
/** Endpoints that hang are found, shown, and forgiven when they answer. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { makeKernel } from "../../support/test_kernel.js";

const NOTES = "app:notes:background";

async function workspace() {
  const made = makeKernel();
  const background = made.connect("notes");
  const tile = made.connect("notes", "tile");
  background.app.expose({ silent: {} });
  await made.ports.settle();
  /** @param {number} seconds */
  const pass = async (seconds) => {
    await made.ports.settle();
    for (let second = 0; second < seconds; second++) {
      made.time.pass(1000);
      await made.ports.settle();
    }
  };
  const state = (/** @type {string} */ id) =>
    made.kernel.endpoints().find(({ endpoint }) => endpoint === id)?.state;
  return { ...made, background, tile, pass, state };
}

/** @param {{ app: import("../../support/raw_app.js").RawApp }} endpoint */
const pings = ({ app }) => app.received.filter((m) => m.payload?.action === "ping").length;

describe("the heartbeat", () => {
  test("asks every five seconds, and an endpoint that answers stays live", async () => {
    const { background, pass, state } = await workspace();
    await pass(4);
    assert.equal(pings(background), 0);
    await pass(1);
    assert.equal(pings(background), 1);
    await pass(55);
    assert.equal(pings(background), 12);
    assert.equal(state(NOTES), "live");
  });

  test("shows one that hangs at 15 s, and no earlier; the others stay live", async () => {
    const { background, tile, kernel, pass, state } = await workspace();
    await pass(5);
    background.app.handlers.delete("ping");
    let changes = 0;
    kernel.onChange(() => void (changes += 1));
    // It was last heard of at 5 s.
    await pass(14);
    assert.equal(state(NOTES), "live");
    await pass(1);
    assert.equal(state(NOTES), "not-responding");
    assert.equal(state(tile.endpoint.id), "live");
    assert.equal(changes, 1);
    // It is asked once, and not again and again.
    assert.equal(pings(background), 2);
  });

  test("shows it 15 s after it was last heard of, whenever between two beats that was", async () => {
    for (const heardAfter of [1, 2500, 4999]) {
      const { background, tile, time, pass, state, ports } = await workspace();
      await pass(5);
      background.app.handlers.delete("ping");
      time.pass(heardAfter);
      background.app.ask("tools.list", { target: "kernel" });
      await ports.settle();
      await pass(14);
      time.pass(999);
      assert.equal(state(NOTES), "live", String(heardAfter));
      time.pass(1);
      assert.equal(state(NOTES), "not-responding", String(heardAfter));
      assert.equal(state(tile.endpoint.id), "live");
    }
  });

  test("forgives one that answers late, or with an error, or is heard of at all", async () => {
    const { background, tile, pass, state, ports } = await workspace();
    background.app.handlers.delete("ping");
    tile.app.handlers.delete("ping");
    await pass(20);
    assert.equal(state(NOTES), "not-responding");
    const ping = background.app.received.findLast((m) => m.payload?.action === "ping");
    background.app.send({
      type: "response",
      id: ping.id,
      error: { code: "UNKNOWN_ACTION", message: "m" },
    });
    tile.app.ask("tools.list", { target: "kernel" });
    await ports.settle();
    assert.equal(state(NOTES), "live");
    await pass(5);
    assert.equal(state(tile.endpoint.id), "live");
  });

  test("lets the calls of one that hangs end by their own time-out", async () => {
    const { background, tile, pass, state, kernel } = await workspace();
    background.app.handlers.delete("ping");
    const id = tile.app.call(NOTES, "silent", {}, { timeout: 25 });
    await pass(24);
    assert.equal(state(NOTES), "not-responding");
    assert.equal(tile.app.response(id), undefined);
    await pass(1);
    assert.equal(tile.app.response(id).error.code, "TIMEOUT");
    assert.ok(background.endpoint.open);
    assert.equal(kernel.callsInFlight, 0);
  });

  test("does not blame an endpoint for a page that slept itself", async () => {
    const { background, time, ports, pass, state, kernel } = await workspace();
    await pass(5);
    const states = /** @type {any[]} */ ([]);
    kernel.onChange(() => states.push(state(NOTES)));
    // Asked, and before the answer is delivered the machine sleeps for an hour.
    time.pass(5000);
    time.pass(3_600_000);
    await ports.settle();
    await pass(30);
    assert.deepEqual(states, []);
    assert.equal(background.endpoint.open, true);
  });

  test("finds one that hangs after such a sleep as well", async () => {
    const { background, time, pass, state } = await workspace();
    background.app.handlers.delete("ping");
    await pass(5);
    time.pass(3_600_000);
    await pass(14);
    assert.equal(state(NOTES), "live");
    await pass(1);
    assert.equal(state(NOTES), "not-responding");
  });

  test("forgets endpoints that are gone, and stops with the kernel", async () => {
    const { background, kernel, pass, time } = await workspace();
    background.app.handlers.delete("ping");
    await pass(6);
    kernel.disconnect(background.endpoint);
    await pass(60);
    assert.equal(kernel.endpoints().length, 1);
    kernel.close();
    assert.equal(time.timers.size, 0);
  });
});
