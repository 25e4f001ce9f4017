// @ts-check
/** Revisions of an app's state: told to its own live endpoints, and never backwards. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { makeKernel } from "../support/test_kernel.js";

async function workspace() {
  const made = makeKernel();
  const background = made.connect("notes");
  const tile = made.connect("notes", "tile");
  const tray = made.connect("notes", "tray");
  const board = made.connect("board");
  await made.ports.settle();
  /** @param {any} topic @param {any} revision @param {{ app: any }} [from] */
  const publish = async (topic, revision, from = background) => {
    const id = from.app.ask("app.state.publish", { topic, revision, app: "board" });
    await made.ports.settle();
    return from.app.response(id);
  };
  return { ...made, background, tile, tray, board, publish };
}

/** @param {{ app: any }} endpoint */
const heard = ({ app }) =>
  app.received.filter(
    (/** @type {any} */ m) => m.type === "event" && m.payload.event === "app.state",
  );

describe("a published revision", () => {
  test("goes to the app's other endpoints, and carries topic and revision alone", async () => {
    const { kernel, background, tile, tray, board, publish } = await workspace();
    assert.deepEqual((await publish("notes", 7)).ok, {});
    const event = { type: "event", payload: { event: "app.state", topic: "notes", revision: 7 } };
    assert.deepEqual(heard(tile), [event]);
    assert.deepEqual(heard(tray), [event]);
    // Neither to itself, nor to the app that its message names.
    assert.deepEqual([heard(background), heard(board)], [[], []]);
    assert.deepEqual(
      [kernel.revision("notes", "notes"), kernel.revision("board", "notes")],
      [7, null],
    );
    await publish("notes", 1, board);
    assert.equal(kernel.revision("board", "notes"), 1);
    assert.equal(heard(tile).length, 1);
  });

  test("may be published by any endpoint of the app, and is no tool", async () => {
    const { kernel, tile, background, tray, publish } = await workspace();
    await publish("notes", 1, tray);
    assert.equal(heard(tile).length + heard(background).length, 2);
    assert.deepEqual(kernel.audit.entries(), []);
    const list = tile.app.ask("tools.list", { target: "kernel" });
    await publish("notes", 2, tile);
    const names = tile.app.response(list).ok.tools.map((/** @type {any} */ { name }) => name);
    assert.ok(!names.includes("app.state.publish"));
  });

  test("only rises; the same again is no news", async () => {
    const { tile, publish, kernel } = await workspace();
    await publish("notes", 5);
    assert.deepEqual((await publish("notes", 5)).ok, {});
    assert.equal((await publish("notes", 4)).error.code, "INVALID_INPUT");
    assert.deepEqual((await publish("other", 0)).ok, {});
    assert.deepEqual(
      heard(tile).map((/** @type {any} */ { payload }) => [payload.topic, payload.revision]),
      [
        ["notes", 5],
        ["other", 0],
      ],
    );
    // A new connection of the app does not begin again; an app that was removed does.
    kernel.forgetApp("notes");
    assert.equal(kernel.revision("notes", "notes"), null);
    assert.deepEqual((await publish("notes", 1)).ok, {});
  });

  for (const [topic, revision] of [
    ["", 1],
    ["Notes", 1],
    ["x".repeat(65), 1],
    [7, 1],
    ["notes", -1],
    ["notes", 1.5],
    ["notes", 2 ** 53],
    ["notes", "1"],
    ["notes", null],
  ]) {
    test(`of ${JSON.stringify([topic, revision]).slice(0, 30)} is refused`, async () => {
      const { tile, publish } = await workspace();
      assert.equal((await publish(topic, revision)).error.code, "INVALID_INPUT");
      assert.deepEqual(heard(tile), []);
    });
  }

  test("is of one of 64 topics at most", async () => {
    const { publish, kernel } = await workspace();
    for (let n = 0; n < 64; n++) assert.ok((await publish(`t${n}`, 1)).ok);
    assert.equal((await publish("one-more", 1)).error.code, "INVALID_INPUT");
    assert.ok((await publish("t0", 2)).ok);
    assert.equal(kernel.revision("notes", "t0"), 2);
    assert.ok((await publish("x".repeat(64), 1)).error);
  });
});
