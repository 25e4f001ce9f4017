// @ts-check
/** Calls between apps, from their messages on the ports. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { makeKernel } from "../support/test_kernel.js";

const NOTES = "app:notes:background";

async function twoEndpoints() {
  const { kernel, connect, ...rest } = makeKernel();
  const background = connect("notes");
  const tile = connect("notes", "tile");
  background.app.expose({
    notes_search: {
      inputSchema: {
        type: "object",
        required: ["query"],
        properties: { query: { type: "string" } },
        additionalProperties: false,
      },
      outputSchema: { type: "object", required: ["matches"] },
      handler: ({ query }) => ({ matches: [query] }),
    },
    silent: { handler: () => undefined },
    liar: { outputSchema: { type: "object", required: ["a"] }, handler: () => ({ b: 1 }) },
  });
  await rest.ports.settle();
  return { kernel, connect, background, tile, ...rest };
}

describe("a call", () => {
  test("goes to the endpoint that it names, and its result comes back", async () => {
    const { kernel, tile, background, ports } = await twoEndpoints();
    const id = tile.app.call(NOTES, "notes_search", { query: "roadmap" });
    await ports.settle();
    assert.deepEqual(tile.app.response(id), {
      type: "response",
      id,
      ok: { matches: ["roadmap"] },
    });
    const invoked = background.app.received.find((m) => m.payload?.action === "tools.invoke");
    assert.equal(invoked.payload.payload.caller, "app:notes:tile:main:instance:1");
    const [entry] = kernel.audit.entries();
    assert.equal(entry?.status, "completed");
    assert.equal(entry?.caller, "app:notes:tile:main:instance:1");
  });

  test("with other arguments than the tool takes never reaches it", async () => {
    const { tile, background, ports } = await twoEndpoints();
    const id = tile.app.call(NOTES, "notes_search", { query: 7 });
    await ports.settle();
    assert.equal(tile.app.response(id).error.code, "INVALID_INPUT");
    assert.deepEqual(
      background.app.received.filter((m) => m.payload?.action === "tools.invoke"),
      [],
    );
  });

  test("whose result is none that the tool promises fails, and says that it ran", async () => {
    const { tile, ports } = await twoEndpoints();
    const id = tile.app.call(NOTES, "liar");
    await ports.settle();
    assert.equal(tile.app.response(id).error.code, "INVALID_OUTPUT");
  });

  test("that nobody answers ends by its time-out, and a late answer is ignored", async () => {
    const { kernel, tile, background, ports, time } = await twoEndpoints();
    const id = tile.app.call(NOTES, "silent", {}, { timeout: 2 });
    await ports.settle();
    assert.equal(tile.app.response(id), undefined);
    time.pass(2000);
    await ports.settle();
    assert.equal(tile.app.response(id).error.code, "TIMEOUT");
    const invoked = background.app.received.find(
      (m) => m.payload?.payload?.name === "silent" && m.payload.action === "tools.invoke",
    );
    assert.ok(background.app.received.some((m) => m.type === "cancel" && m.id === invoked.id));
    background.app.send({ type: "response", id: invoked.id, ok: { result: 1 } });
    await ports.settle();
    assert.equal(tile.app.received.filter((m) => m.type === "response" && m.id === id).length, 1);
    assert.equal(kernel.audit.entries()[0]?.status, "timed out");
  });

  test("a ninth in flight is refused, and one that ended makes room", async () => {
    const { tile, ports, time } = await twoEndpoints();
    const ids = Array.from({ length: 9 }, () => tile.app.call(NOTES, "silent"));
    await ports.settle();
    assert.equal(tile.app.response(ids[8] ?? 0).error.code, "TOO_MANY_CALLS");
    time.pass(30_000);
    await ports.settle();
    const again = tile.app.call(NOTES, "notes_search", { query: "a" });
    await ports.settle();
    assert.deepEqual(tile.app.response(again).ok, { matches: ["a"] });
  });

  test("of another app is refused until an owner can be asked; the page itself may call", async () => {
    const { kernel, connect, ports } = await twoEndpoints();
    const other = connect("board");
    const id = other.app.call(NOTES, "notes_search", { query: "a" });
    await ports.settle();
    assert.equal(other.app.response(id).error.code, "OWNER_REQUIRED");
    const called = kernel.call({
      caller: "external:bridge:s",
      target: NOTES,
      name: "notes_search",
      arguments: { query: "b" },
    });
    await ports.settle();
    assert.deepEqual((await called).result, { matches: ["b"] });
  });

  test("to an endpoint that goes away ends at once", async () => {
    const { kernel, tile, background, ports } = await twoEndpoints();
    const id = tile.app.call(NOTES, "silent");
    await ports.settle();
    kernel.disconnect(background.endpoint);
    await ports.settle();
    assert.equal(tile.app.response(id).error.code, "ENDPOINT_GONE");
  });
});
