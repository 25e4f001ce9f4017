// @ts-check
/** What comes by a port: taken, answered, ignored or too much, from the messages themselves. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { makeKernel } from "../../support/test_kernel.js";

/** @import { MemoryPort } from "../../support/memory_ports.js" */

const NOTES = "app:notes:background";
const TILE = "app:notes:tile:main:instance:1";

/** @param {Record<string, any>} [tools] */
async function notes(tools = { silent: {} }) {
  const made = makeKernel();
  const background = made.connect("notes");
  const tile = made.connect("notes", "tile");
  background.app.expose(tools);
  await made.ports.settle();
  return { ...made, background, tile };
}

/**
 * Begins a call that its tool does not answer.
 *
 * @param {Awaited<ReturnType<typeof notes>>} made
 */
async function running({ tile, background, ports }) {
  const id = tile.app.call(NOTES, "silent");
  await ports.settle();
  const invoked = background.app.received.findLast((m) => m.payload?.action === "tools.invoke");
  assert.ok(invoked);
  return { id, invoked: Number(invoked.id) };
}

/** @param {any} message */
const isAnswer = (message) => message.type === "response" || message.type === "progress";

describe("who an endpoint is", () => {
  test("it is told its name and a session that is never the same", async () => {
    const { kernel, connect, ports, background } = await notes();
    const [first] = background.app.received;
    assert.deepEqual(first, {
      type: "event",
      payload: { event: "connected", endpoint: NOTES, session: background.endpoint.session },
    });
    kernel.disconnect(background.endpoint);
    const again = connect("notes");
    await ports.settle();
    assert.notEqual(again.endpoint.session, background.endpoint.session);
  });

  test("a place is taken once, and again when its endpoint is gone", async () => {
    const { kernel, connect, background } = await notes();
    assert.throws(() => connect("notes"), /connected already/);
    kernel.disconnect(background.endpoint);
    assert.equal(connect("notes").endpoint.id, NOTES);
    assert.throws(() => connect("Notes"), TypeError);
  });

  test("a caller is whose port it is, whatever the message says", async () => {
    const { kernel, tile, background, ports } = await notes({ work: { handler: () => 1 } });
    tile.app.ask("tools.call", {
      target: NOTES,
      name: "work",
      arguments: { caller: NOTES },
      caller: "kernel",
      source: "app:board:background",
      endpoint: NOTES,
    });
    await ports.settle();
    const invoked = background.app.received.find((m) => m.payload?.action === "tools.invoke");
    assert.equal(invoked.payload.payload.caller, TILE);
    assert.equal(kernel.audit.entries()[0]?.caller, TILE);
  });

  test("endpoints are listed while they are live, and in order", async () => {
    const { kernel, connect, background } = await notes();
    let changes = 0;
    const stop = kernel.onChange(() => void (changes += 1));
    const tray = connect("notes", "tray", "7");
    assert.deepEqual(kernel.endpoints(), [
      { endpoint: NOTES, app: "notes", kind: "background", state: "live" },
      { endpoint: TILE, app: "notes", kind: "tile", tile: "main", instance: "1", state: "live" },
      {
        endpoint: "app:notes:tray:instance:7",
        app: "notes",
        kind: "tray",
        instance: "7",
        state: "live",
      },
    ]);
    kernel.disconnect(tray.endpoint);
    kernel.disconnect(background.endpoint);
    assert.deepEqual(
      kernel.endpoints().map(({ endpoint }) => endpoint),
      [TILE],
    );
    assert.equal(changes, 3);
    stop();
  });

  test("an observer that mounts anew at once is not taken down with the old one", async () => {
    const made = await notes({ work: { handler: () => 1 } });
    const { kernel, connect, background, ports } = made;
    /** @type {ReturnType<typeof connect> | undefined} */
    let fresh;
    kernel.onChange(() => {
      if (fresh === undefined) {
        fresh = connect("notes");
        fresh.app.call(TILE, "x");
      }
    });
    kernel.disconnect(background.endpoint);
    await ports.settle();
    assert.ok(fresh?.endpoint.open);
    assert.equal(kernel.callsInFlight, 1);
  });
});

describe("messages that cannot be taken", () => {
  /** @type {[string, any, string][]} */
  const answered = [
    ["a request without a payload", { type: "exec", id: 9 }, "INVALID_MESSAGE"],
    [
      "a request for an action that there is not",
      { type: "exec", id: 9, payload: { action: "tools.invoke", payload: {} } },
      "UNKNOWN_ACTION",
    ],
    [
      "a call without a target",
      { type: "exec", id: 9, payload: { action: "tools.call", payload: { name: "a" } } },
      "INVALID_MESSAGE",
    ],
    [
      "a call whose arguments are a list",
      {
        type: "exec",
        id: 9,
        payload: { action: "tools.call", payload: { target: NOTES, name: "a", arguments: [] } },
      },
      "INVALID_MESSAGE",
    ],
    [
      "a list of no target",
      { type: "exec", id: 9, payload: { action: "tools.list", payload: {} } },
      "INVALID_MESSAGE",
    ],
    [
      "a request with a date in it",
      { type: "exec", id: 9, payload: { action: "tools.call", payload: { at: new Date(0) } } },
      "NOT_JSON",
    ],
    [
      "a request of more than 1 MiB",
      { type: "exec", id: 9, payload: { action: "a", payload: { text: "x".repeat(1_050_000) } } },
      "TOO_LARGE",
    ],
    [
      "an attachment that is no ArrayBuffer",
      { type: "exec", id: 9, payload: { action: "tools.call", payload: {} }, attachment: "bytes" },
      "INVALID_MESSAGE",
    ],
  ];
  for (const [what, message, code] of answered) {
    test(`${what} is answered with ${code}`, async () => {
      const { tile, ports } = await notes();
      tile.app.send(message);
      await ports.settle();
      const response = tile.app.response(9);
      assert.equal(response?.error?.code, code);
      assert.equal(Object.hasOwn(response, "ok"), false);
    });
  }

  const dropped = [
    "hello",
    null,
    [],
    { type: "exec", id: "9", payload: { action: "tools.list", payload: { target: NOTES } } },
    { type: "exec", id: -1, payload: { action: "tools.list", payload: { target: NOTES } } },
    { type: "exec", id: 2 ** 53, payload: { action: "tools.list", payload: { target: NOTES } } },
    { type: "event", payload: { event: "app.state", topic: "notes", revision: 1 } },
    { type: "hello", id: 1 },
  ];
  for (const message of dropped) {
    test(`${JSON.stringify(message).slice(0, 40)} is dropped without a word`, async () => {
      const { tile, background, ports } = await notes();
      const before = [tile.app.received.length, background.app.received.length];
      tile.app.send(message);
      await ports.settle();
      assert.deepEqual([tile.app.received.length, background.app.received.length], before);
      // The port is none the worse for it.
      const id = tile.app.ask("tools.list", { target: NOTES });
      await ports.settle();
      assert.equal(tile.app.response(id).ok.tools.length, 1);
    });
  }

  for (const timeout of [0, 0.5, 600.5, -1, "30", null]) {
    test(`a time-out of ${JSON.stringify(timeout)} is none`, async () => {
      const { tile, ports } = await notes();
      const id = tile.app.call(NOTES, "silent", {}, { timeout });
      await ports.settle();
      assert.equal(tile.app.response(id).error.code, "INVALID_MESSAGE");
    });
  }

  test("a payload of 1 MiB is taken, whatever its envelope adds", async () => {
    const made = await notes({ size: { handler: (/** @type {any} */ { t }) => t } });
    const { tile, ports } = made;
    const text = "x".repeat(1_048_576 - '{"t":""}'.length);
    const id = tile.app.call(NOTES, "size", { t: text });
    await ports.settle();
    assert.equal(tile.app.response(id).ok.length, text.length);
  });

  test("what a list has beside its items is passed on to nobody, in neither direction", async () => {
    const smuggled = () =>
      Object.assign([1], { more: new Map([["large", "x".repeat(2_000_000)]]), at: new Date(0) });
    const { ports, tile, background } = await notes({
      get: { handler: () => ({ list: smuggled() }) },
    });
    // It does come through a port.
    assert.deepEqual(Object.keys(structuredClone(smuggled())), ["0", "more", "at"]);
    const id = tile.app.call(NOTES, "get", { list: smuggled() });
    await ports.settle();
    const invoked = background.app.received.findLast((m) => m.payload?.action === "tools.invoke");
    assert.deepEqual(Object.keys(invoked.payload.payload.arguments.list), ["0"]);
    assert.deepEqual(Object.keys(tile.app.response(id).ok.list), ["0"]);
  });

  test("a second request of an id that is in flight is refused", async () => {
    const made = await notes();
    const { id } = await running(made);
    made.tile.app.send({
      type: "exec",
      id,
      payload: { action: "tools.list", payload: { target: NOTES } },
    });
    await made.ports.settle();
    assert.equal(made.tile.app.response(id).error.code, "INVALID_MESSAGE");
  });

  test("a port whose messages cannot be read is counted, and lost where there are too many", async () => {
    const { kernel, tile, ports } = await notes();
    const port = /** @type {MemoryPort} */ (tile.port.other);
    for (let count = 0; count < 64; count++) port.onmessageerror?.({});
    assert.equal(tile.endpoint.open, true);
    port.onmessageerror?.({});
    await ports.settle();
    assert.equal(tile.endpoint.open, false);
    assert.equal(kernel.endpoints().length, 1);
  });
});

describe("answers", () => {
  test("the first counts; a second, a late one and one of nobody's asking are ignored", async () => {
    const made = await notes();
    const { id, invoked } = await running(made);
    const { background, tile, ports, kernel } = made;
    background.app.send({ type: "response", id: invoked, ok: { result: 1 } });
    background.app.send({ type: "response", id: invoked, ok: { result: 2 } });
    background.app.send({ type: "response", id: 999, ok: { result: 3 } });
    background.app.send({ type: "progress", id: invoked, payload: 4 });
    await ports.settle();
    const answers = tile.app.received.filter(isAnswer);
    assert.deepEqual(answers, [{ type: "response", id, ok: 1 }]);
    assert.equal(kernel.callsInFlight, 0);
  });

  test("another endpoint cannot answer, report or cancel for the one that was asked", async () => {
    const made = await notes();
    const { id, invoked } = await running(made);
    const { tile, ports, connect, kernel, background } = made;
    const other = connect("board");
    const sibling = connect("notes", "tray");
    for (const { app } of [other, sibling, tile]) {
      app.send({ type: "response", id: invoked, ok: { result: "forged" } });
      app.send({ type: "progress", id: invoked, payload: "forged" });
      if (app !== tile.app) app.send({ type: "cancel", id, payload: { reason: "forged" } });
    }
    await ports.settle();
    assert.deepEqual(tile.app.received.filter(isAnswer), []);
    assert.equal(kernel.callsInFlight, 1);
    // The same messages from the right ends do it.
    background.app.send({ type: "progress", id: invoked, payload: "real" });
    background.app.send({ type: "response", id: invoked, ok: { result: "real" } });
    await ports.settle();
    assert.deepEqual(tile.app.received.filter(isAnswer), [
      { type: "progress", id, payload: "real" },
      { type: "response", id, ok: "real" },
    ]);
  });

  test("an endpoint of a later session cannot answer for an earlier one", async () => {
    const made = await notes();
    const { id, invoked } = await running(made);
    const { kernel, background, tile, connect, ports } = made;
    kernel.disconnect(background.endpoint);
    const fresh = connect("notes");
    fresh.app.send({ type: "response", id: invoked, ok: { result: "forged" } });
    background.app.send({ type: "response", id: invoked, ok: { result: "late" } });
    await ports.settle();
    assert.deepEqual(
      tile.app.received.filter(isAnswer).map(({ error }) => error.code),
      ["ENDPOINT_GONE"],
    );
    assert.equal(tile.app.response(id).id, id);
  });

  /** @type {[string, (id: number) => any][]} */
  const unsound = [
    ["a date", (id) => ({ type: "response", id, ok: { result: new Date(0) } })],
    ["undefined", (id) => ({ type: "response", id, ok: { result: { a: undefined } } })],
    ["a BigInt", (id) => ({ type: "response", id, ok: { result: 1n } })],
    ["more than 1 MiB", (id) => ({ type: "response", id, ok: { result: "x".repeat(1_050_000) } })],
    ["both", (id) => ({ type: "response", id, ok: 1, error: { code: "A", message: "b" } })],
    ["neither", (id) => ({ type: "response", id })],
    ["no result", (id) => ({ type: "response", id, ok: {} })],
    ["an error that is none", (id) => ({ type: "response", id, error: "no" })],
    ["a typed array", (id) => ({ type: "response", id, ok: 1, attachment: new Uint8Array(1) })],
  ];
  for (const [what, answer] of unsound) {
    test(`an answer with ${what} ends the call, once`, async () => {
      const made = await notes();
      const { id, invoked } = await running(made);
      made.background.app.send(answer(invoked));
      made.background.app.send({ type: "response", id: invoked, ok: { result: "later" } });
      await made.ports.settle();
      const answers = made.tile.app.received.filter(isAnswer);
      assert.deepEqual(
        answers.map(({ error }) => error.code),
        ["INVALID_OUTPUT"],
      );
      assert.equal(made.tile.app.response(id), answers[0]);
    });
  }

  test("an app cannot speak with the kernel's voice: other codes become a failure of its tool", async () => {
    const made = await notes();
    for (const [code, told, data] of [
      ["OWNER_REQUIRED", "TOOL_FAILED", { why: 1, code: "OWNER_REQUIRED" }],
      ["ENDPOINT_GONE", "TOOL_FAILED", { why: 1, code: "ENDPOINT_GONE" }],
      ["NONE_OF_OURS", "TOOL_FAILED", { code: "NONE_OF_OURS" }],
      ["INVALID_INPUT", "INVALID_INPUT", { why: 1 }],
    ]) {
      const { id, invoked } = await running(made);
      const error = { code, message: "m", retryAfterMs: 5, data: { why: 1 } };
      made.background.app.send({ type: "response", id: invoked, error });
      await made.ports.settle();
      const { error: got } = made.tile.app.response(id);
      assert.deepEqual([got.code, got.message, got.data], [told, "m", data]);
    }
  });
});

describe("progress", () => {
  test("an event of 64 KiB goes on, one byte more is ignored, and the call goes on", async () => {
    const made = await notes();
    const { id, invoked } = await running(made);
    const { background, tile, ports } = made;
    background.app.send({ type: "progress", id: invoked, payload: "x".repeat(65_534) });
    background.app.send({ type: "progress", id: invoked, payload: "x".repeat(65_535) });
    background.app.send({ type: "response", id: invoked, ok: { result: 1 } });
    await ports.settle();
    const answers = tile.app.received.filter(isAnswer);
    assert.deepEqual(
      answers.map(({ type, payload }) => [type, payload?.length]),
      [
        ["progress", 65_534],
        ["response", undefined],
      ],
    );
    assert.equal(tile.app.response(id).ok, 1);
  });

  test("2,000 events go on, and no more", async () => {
    const made = await notes();
    const { invoked } = await running(made);
    const { background, tile, ports } = made;
    for (let n = 1; n <= 2001; n++) {
      background.app.send({ type: "progress", id: invoked, payload: n });
    }
    background.app.send({ type: "response", id: invoked, ok: { result: 1 } });
    await ports.settle();
    const events = tile.app.received.filter(({ type }) => type === "progress");
    assert.equal(events.length, 2000);
    assert.equal(events.at(-1).payload, 2000);
  });

  test("what cannot be sent, and what comes before the tool runs, is ignored", async () => {
    const { background, tile, ports } = await notes();
    background.app.handlers.set("tools.describe", () => undefined);
    const id = tile.app.call(NOTES, "silent");
    await ports.settle();
    const described = background.app.received.findLast(
      (m) => m.payload?.action === "tools.describe",
    );
    background.app.send({ type: "progress", id: described.id, payload: 1 });
    await ports.settle();
    assert.deepEqual(tile.app.received.filter(isAnswer), []);
    assert.equal(tile.app.response(id), undefined);
  });

  test("a consumer in the page that throws changes nothing", async () => {
    const { kernel, background, ports } = await notes();
    const told = /** @type {unknown[]} */ ([]);
    const call = kernel.call({
      target: NOTES,
      name: "silent",
      onProgress: (value) => {
        told.push(value);
        throw new Error("a consumer of its own");
      },
    });
    await ports.settle();
    const invoked = background.app.received.findLast((m) => m.payload?.action === "tools.invoke");
    background.app.send({ type: "progress", id: invoked.id, payload: 1 });
    background.app.send({ type: "progress", id: invoked.id, payload: 2 });
    background.app.send({ type: "response", id: invoked.id, ok: { result: 3 } });
    await ports.settle();
    assert.deepEqual([told, (await call).result], [[1, 2], 3]);
  });
});

describe("floods", () => {
  test("4,000 messages at once are taken; one more costs the port, and no other endpoint", async () => {
    const made = await notes();
    const { kernel, tile, background, ports, connect } = made;
    const tray = connect("notes", "tray");
    const call = tray.app.call(TILE, "x");
    await ports.settle();
    for (let n = 0; n < 4000; n++) tile.app.send({ type: "response", id: 5_000_000, ok: n });
    await ports.settle();
    assert.equal(tile.endpoint.open, true);
    tile.app.send({ type: "response", id: 5_000_000, ok: 0 });
    await ports.settle();
    assert.equal(tile.endpoint.open, false);
    assert.equal(tile.port.other?.closed, true);
    assert.equal(tray.app.response(call).error.code, "FLOODED");
    assert.deepEqual(
      kernel.endpoints().map(({ endpoint }) => endpoint),
      [NOTES, "app:notes:tray:instance:1"],
    );
    const other = background.app.ask("tools.list", { target: NOTES });
    await ports.settle();
    assert.equal(background.app.response(other).ok.tools.length, 1);
  });

  test("bytes are counted too, and what is refused for its size as much as it may have", async () => {
    const { tile, ports } = await notes();
    const huge = { type: "response", id: 1, ok: "x".repeat(1_100_000) };
    for (let n = 0; n < 64; n++) tile.app.send(huge);
    await ports.settle();
    assert.equal(tile.endpoint.open, true);
    tile.app.send(huge);
    await ports.settle();
    assert.equal(tile.endpoint.open, false);
  });

  test("buffers that are for nobody are counted, and the same buffers with calls are not", async () => {
    const made = await notes({ work: { handler: () => 1 } });
    const { tile, background, ports } = made;
    const stray = { type: "cancel", id: 1, payload: { reason: "none" } };
    const sends = (/** @type {any} */ message) =>
      tile.app.send({ ...message, attachment: new ArrayBuffer(16_777_216) });
    for (let n = 0; n < 3; n++) sends(stray);
    await ports.settle();
    assert.equal(tile.endpoint.open, true);
    sends(stray);
    await ports.settle();
    assert.equal(tile.endpoint.open, false);
    for (let n = 1; n < 9; n++) {
      const payload = { target: NOTES, name: "work", arguments: {} };
      background.app.send({
        type: "exec",
        id: 100_000 + n,
        payload: { action: "tools.call", payload },
        attachment: new ArrayBuffer(16_777_216),
      });
    }
    await ports.settle();
    assert.equal(background.endpoint.open, true);
  });

  test("calls with too large a buffer are each refused by name, and cost nobody the port", async () => {
    const { tile, ports } = await notes({ work: { handler: () => 1 } });
    const payload = { target: NOTES, name: "work", arguments: {} };
    const ids = [101, 102, 103, 104, 105];
    for (const id of ids) {
      const message = { type: "exec", id, payload: { action: "tools.call", payload } };
      tile.app.send({ ...message, attachment: new ArrayBuffer(17_000_000) });
    }
    await ports.settle();
    assert.equal(tile.endpoint.open, true);
    assert.deepEqual(
      ids.map((id) => tile.app.response(id).error.code),
      ids.map(() => "ATTACHMENT_TOO_LARGE"),
    );
  });

  test("calls that wait for their results are no flood, of neither end, however fast they are", async () => {
    const made = await notes({ work: { handler: () => 1 } });
    const { tile, background, ports } = made;
    for (let n = 0; n < 5000; n++) {
      const id = tile.app.call(NOTES, "work");
      while (ports.deliver());
      assert.equal(tile.app.response(id).ok, 1);
      tile.app.received.length = 0;
      background.app.received.length = 0;
    }
    assert.deepEqual([tile.endpoint.open, background.endpoint.open], [true, true]);
  });

  test("calls that are refused are a flood, and cost their source the port, not their target", async () => {
    const made = await notes({ silent: {} });
    const { tile, background, ports } = made;
    for (let n = 0; n < 4001; n++) tile.app.call(NOTES, "silent");
    await ports.settle();
    assert.deepEqual([tile.endpoint.open, background.endpoint.open], [false, true]);
  });

  test("what is spread over time is taken for ever", async () => {
    const { tile, ports, time } = await notes();
    for (let second = 0; second < 10; second++) {
      for (let n = 0; n < 2000; n++) tile.app.send({ type: "response", id: 1, ok: n });
      await ports.settle();
      time.time += 1000;
    }
    assert.equal(tile.endpoint.open, true);
  });
});
