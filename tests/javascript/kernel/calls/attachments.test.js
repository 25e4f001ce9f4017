// @ts-check
/** Buffers through the kernel: transferred on, bounded, and counted down to zero however a call ends. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { makeKernel } from "../../support/test_kernel.js";

const NOTES = "app:notes:background";
const MIB = 1024 * 1024;
const BOTH = { annotations: { "bascule:attachments": { api: 1 } } };

/** @param {Record<string, any>} tools */
async function workspace(tools) {
  const made = makeKernel();
  const background = made.connect("notes");
  const tile = made.connect("notes", "tile");
  background.app.expose(tools);
  await made.ports.settle();
  /** @param {string} name @param {ArrayBuffer} [attachment] @param {any} [more] */
  const call = (name, attachment = undefined, more = {}) =>
    tile.app.ask("tools.call", { target: NOTES, name, arguments: {}, ...more }, attachment);
  const invoked = () => background.app.received.filter((m) => m.payload?.action === "tools.invoke");
  return { ...made, background, tile, call, invoked };
}

/** @param {number} bytes */
function filled(bytes) {
  const buffer = new ArrayBuffer(bytes);
  new Uint8Array(buffer).fill(7);
  return buffer;
}

describe("a buffer", () => {
  test("is transferred on by the kernel, which keeps no copy, both ways", async () => {
    const made = await workspace({ flip: BOTH });
    const { background, call, ports, tile, kernel } = made;
    /** @type {ArrayBuffer[]} */
    const seen = [];
    for (const { port } of [background, tile]) {
      const ours = /** @type {any} */ (port.other);
      const receive = ours.onmessage;
      ours.onmessage = (/** @type {any} */ event) => {
        if (event.data.attachment !== undefined) seen.push(event.data.attachment);
        receive(event);
      };
    }
    const sent = filled(3);
    const id = call("flip", sent);
    assert.equal(sent.byteLength, 0);
    await ports.settle();
    const [message] = made.invoked();
    assert.deepEqual([...new Uint8Array(message.attachment)], [7, 7, 7]);
    const reply = new Uint8Array([1, 2]).buffer;
    background.app.send(
      { type: "response", id: message.id, ok: { result: "r" }, attachment: reply },
      [reply],
    );
    await ports.settle();
    const response = tile.app.response(id);
    assert.deepEqual([response.ok, [...new Uint8Array(response.attachment)]], ["r", [1, 2]]);
    // What passed through the kernel's hands is detached there.
    assert.deepEqual(
      seen.map(({ byteLength }) => byteLength),
      [0, 0],
    );
    assert.equal(kernel.attachmentBytes, 0);
  });

  test("leaves the bounds of the JSON beside it as they are", async () => {
    const made = await workspace({ flip: BOTH });
    const large = filled(8);
    made.tile.app.send(
      {
        type: "exec",
        id: 5,
        payload: {
          action: "tools.call",
          payload: { target: NOTES, name: "flip", arguments: { t: "x".repeat(1_050_000) } },
        },
        attachment: large,
      },
      [large],
    );
    await made.ports.settle();
    assert.equal(made.tile.app.response(5).error.code, "TOO_LARGE");
  });

  test("that was only cloned by its sender is taken as well", async () => {
    const made = await workspace({ flip: BOTH });
    made.tile.app.send({
      type: "exec",
      id: 5,
      payload: { action: "tools.call", payload: { target: NOTES, name: "flip" } },
      attachment: filled(4),
    });
    await made.ports.settle();
    assert.equal(made.invoked()[0]?.attachment.byteLength, 4);
  });

  test("beside another request, or of nobody's asking, goes nowhere", async () => {
    const made = await workspace({ flip: BOTH });
    const { tile, ports, kernel } = made;
    const id = tile.app.ask("tools.list", { target: NOTES }, filled(4));
    const stray = filled(4);
    tile.app.send({ type: "response", id: 77, ok: {}, attachment: stray }, [stray]);
    await ports.settle();
    assert.equal(tile.app.response(id).ok.tools.length, 1);
    assert.equal(kernel.attachmentBytes, 0);
    assert.ok(made.background.app.received.every((m) => m.attachment === undefined));
  });
});

describe("what a tool advertises", () => {
  /** @type {[string, any, boolean, string | null][]} annotations, whether a buffer comes, code */
  const inputs = [
    ["nothing", {}, true, "ATTACHMENT_UNSUPPORTED"],
    ["nothing, and none comes", {}, false, null],
    ["both", { "bascule:attachments": { api: 1 } }, true, null],
    ["both, by the older name", { "neutron:attachments": { api: 1 } }, true, null],
    ["another API", { "bascule:attachments": { api: 2 } }, true, "ATTACHMENT_UNSUPPORTED"],
    [
      "only output",
      { "bascule:attachments": { api: 1, output: {} } },
      true,
      "ATTACHMENT_UNSUPPORTED",
    ],
    ["only input", { "bascule:attachments": { api: 1, input: {} } }, true, null],
    [
      "that it needs one",
      { "bascule:attachments": { api: 1, input: { required: true } } },
      false,
      "INVALID_INPUT",
    ],
  ];
  for (const [what, annotations, comes, code] of inputs) {
    test(`decides on input: ${what}`, async () => {
      const made = await workspace({ flip: { annotations } });
      const id = made.call("flip", comes ? filled(4) : undefined);
      await made.ports.settle();
      assert.equal(made.tile.app.response(id)?.error.code ?? null, code);
      assert.equal(made.invoked().length, code === null ? 1 : 0);
      assert.equal(made.kernel.attachmentBytes, comes && code === null ? 4 : 0);
    });
  }

  /** @type {[string, any, number, string | null][]} */
  const outputs = [
    ["nothing", {}, 4, "ATTACHMENT_UNSUPPORTED"],
    ["only input", { "bascule:attachments": { api: 1, input: {} } }, 4, "ATTACHMENT_UNSUPPORTED"],
    ["only output", { "bascule:attachments": { api: 1, output: {} } }, 4, null],
    ["16 MiB", { "bascule:attachments": { api: 1 } }, 16 * MIB, null],
    ["a byte more", { "bascule:attachments": { api: 1 } }, 16 * MIB + 1, "ATTACHMENT_TOO_LARGE"],
  ];
  for (const [what, annotations, bytes, code] of outputs) {
    test(`decides on output: ${what}`, async () => {
      const made = await workspace({ flip: { annotations } });
      const id = made.call("flip");
      await made.ports.settle();
      const reply = new ArrayBuffer(bytes);
      made.background.app.send(
        { type: "response", id: made.invoked()[0].id, ok: { result: 1 }, attachment: reply },
        [reply],
      );
      await made.ports.settle();
      const response = made.tile.app.response(id);
      assert.equal(response.error?.code ?? null, code);
      assert.equal(response.attachment?.byteLength, code === null ? bytes : undefined);
      assert.equal(made.kernel.attachmentBytes, 0);
    });
  }
});

describe("bounds", () => {
  test("one has 16 MiB at most", async () => {
    const made = await workspace({ hold: BOTH });
    const exact = made.call("hold", new ArrayBuffer(16 * MIB));
    const over = made.call("hold", new ArrayBuffer(16 * MIB + 1));
    await made.ports.settle();
    assert.equal(made.tile.app.response(exact), undefined);
    assert.equal(made.tile.app.response(over).error.code, "ATTACHMENT_TOO_LARGE");
    assert.match(made.tile.app.response(over).error.message, /nothing was run/);
    assert.equal(made.kernel.attachmentBytes, 16 * MIB);
  });

  test("an endpoint has 32 MiB in flight, and more when some have arrived", async () => {
    const made = await workspace({ hold: BOTH });
    const { call, tile, ports, background, kernel } = made;
    const held = [call("hold", new ArrayBuffer(16 * MIB)), call("hold", new ArrayBuffer(16 * MIB))];
    const over = call("hold", filled(1));
    const none = call("hold");
    await ports.settle();
    assert.equal(tile.app.response(over).error.code, "ATTACHMENT_LIMIT");
    assert.match(tile.app.response(over).error.message, /nothing was run/);
    assert.equal(tile.app.response(none), undefined);
    background.app.send({ type: "response", id: made.invoked()[0].id, ok: { result: 1 } });
    await ports.settle();
    assert.equal(tile.app.response(Number(held[0])).ok, 1);
    assert.equal(kernel.attachmentBytes, 16 * MIB);
    const again = call("hold", new ArrayBuffer(16 * MIB));
    await ports.settle();
    assert.equal(tile.app.response(again), undefined);
  });

  test("what comes back and finds no room, or is too large, fails and says that the tool ran", async () => {
    const made = await workspace({ hold: BOTH });
    const { call, tile, ports, background, kernel } = made;
    const [full, large] = [call("hold"), call("hold")];
    await ports.settle();
    // What the background sends itself takes its own room.
    tile.app.expose({ hold: BOTH });
    for (let n = 0; n < 2; n++) {
      background.app.ask(
        "tools.call",
        { target: tile.endpoint.id, name: "hold" },
        new ArrayBuffer(16 * MIB),
      );
    }
    await ports.settle();
    assert.equal(kernel.attachmentBytes, 32 * MIB);
    const sizes = [1, 16 * MIB + 1];
    made.invoked().forEach(({ id }, at) => {
      const attachment = new ArrayBuffer(Number(sizes[at]));
      const response = { type: "response", id, ok: { result: 1 }, attachment };
      background.app.send(response, [attachment]);
    });
    await ports.settle();
    const errors = [full, large].map((id) => tile.app.response(id).error);
    assert.deepEqual(
      errors.map(({ code }) => code),
      ["ATTACHMENT_LIMIT", "ATTACHMENT_TOO_LARGE"],
    );
    for (const { message } of errors) assert.match(message, /the tool ran/);
  });

  test("all together have 64 MiB in flight", async () => {
    const made = await workspace({ hold: BOTH });
    const { connect, ports, kernel, tile } = made;
    const others = ["1", "2"].map((instance) => connect("notes", "tray", instance));
    for (const { app } of others) {
      for (let n = 0; n < 2; n++) {
        app.ask("tools.call", { target: NOTES, name: "hold" }, new ArrayBuffer(16 * MIB));
      }
    }
    const over = made.call("hold", filled(1));
    await ports.settle();
    assert.equal(kernel.attachmentBytes, 64 * MIB);
    assert.equal(tile.app.response(over).error.code, "ATTACHMENT_LIMIT");
    // What comes back takes the place of what went.
    const reply = new ArrayBuffer(16 * MIB);
    made.background.app.send(
      { type: "response", id: made.invoked()[0].id, ok: { result: 1 }, attachment: reply },
      [reply],
    );
    await ports.settle();
    assert.equal(others[0]?.app.received.at(-1).attachment.byteLength, 16 * MIB);
    for (const { endpoint } of others) kernel.disconnect(endpoint);
    assert.equal(kernel.attachmentBytes, 0);
  });
});

describe("nothing is left in flight", () => {
  /** @type {[string, (made: Awaited<ReturnType<typeof workspace>>, id: number) => void][]} */
  const ends = [
    ["a time-out", ({ time }) => time.pass(30_000)],
    [
      "a cancellation",
      ({ tile }, id) => tile.app.send({ type: "cancel", id, payload: { reason: "r" } }),
    ],
    ["the source going", ({ kernel, tile }) => kernel.disconnect(tile.endpoint)],
    ["the target going", ({ kernel, background }) => kernel.disconnect(background.endpoint)],
    ["a lock", ({ kernel }) => kernel.lock()],
    [
      "an error",
      ({ background, invoked }) =>
        background.app.send({
          type: "response",
          id: invoked()[0].id,
          error: { code: "TOOL_FAILED", message: "m" },
        }),
    ],
    [
      "an unsound answer",
      ({ background, invoked }) =>
        background.app.send({ type: "response", id: invoked()[0].id, ok: new Map() }),
    ],
    [
      "a result",
      ({ background, invoked }) =>
        background.app.send({ type: "response", id: invoked()[0].id, ok: { result: 1 } }),
    ],
  ];
  for (const [what, end] of ends) {
    test(`after ${what}`, async () => {
      const made = await workspace({ hold: BOTH });
      const id = made.call("hold", filled(1000));
      await made.ports.settle();
      // It is in flight until then.
      assert.equal(made.kernel.attachmentBytes, 1000);
      end(made, id);
      await made.ports.settle();
      assert.equal(made.kernel.attachmentBytes, 0);
      assert.equal(made.kernel.callsInFlight, 0);
    });
  }

  test("after a tool that changed: its buffer came back, and goes on", async () => {
    const made = await workspace({ hold: BOTH });
    const { background, tile, ports, kernel } = made;
    const id = made.call("hold", filled(1000));
    await ports.settle();
    const [first] = made.invoked();
    const { attachment } = first;
    background.app.send({ type: "response", id: first.id, ok: { changed: true }, attachment }, [
      attachment,
    ]);
    await ports.settle();
    const [, second] = made.invoked();
    assert.equal(second.attachment.byteLength, 1000);
    assert.equal(kernel.attachmentBytes, 1000);
    background.app.send({ type: "response", id: second.id, ok: { result: 1 } });
    await ports.settle();
    assert.deepEqual([tile.app.response(id).ok, kernel.attachmentBytes], [1, 0]);
  });

  for (const [what, bytes] of /** @type {[string, number | null][]} */ ([
    ["no buffer", null],
    ["another buffer", 2000],
  ])) {
    test(`after a tool that changed and gave ${what} back: the call fails`, async () => {
      const made = await workspace({ hold: BOTH });
      const id = made.call("hold", filled(1000));
      await made.ports.settle();
      const other = bytes === null ? undefined : new ArrayBuffer(bytes);
      made.background.app.send({
        type: "response",
        id: made.invoked()[0].id,
        ok: { changed: true },
        ...(other === undefined ? {} : { attachment: other }),
      });
      await made.ports.settle();
      assert.equal(made.tile.app.response(id).error.code, "INVALID_OUTPUT");
      assert.equal(made.invoked().length, 1);
      assert.equal(made.kernel.attachmentBytes, 0);
    });
  }
});

describe("the page's own calls", () => {
  test("bring a buffer and get one, and a retry with what is gone is refused", async () => {
    const made = await workspace({ flip: BOTH });
    const { kernel, background, ports } = made;
    const sent = filled(5);
    const call = kernel.call({ target: NOTES, name: "flip", attachment: sent });
    await ports.settle();
    const reply = filled(6);
    background.app.send(
      { type: "response", id: made.invoked()[0].id, ok: { result: 1 }, attachment: reply },
      [reply],
    );
    await ports.settle();
    assert.equal((await call).attachment?.byteLength, 6);
    assert.equal(sent.byteLength, 0);
    await assert.rejects(kernel.call({ target: NOTES, name: "flip", attachment: sent }), {
      code: "ATTACHMENT_DETACHED",
    });
    // Sent elsewhere while the call is decided on.
    const taken = filled(5);
    const raced = kernel.call({ target: NOTES, name: "other", attachment: taken });
    structuredClone(taken, { transfer: [taken] });
    made.background.app.expose({ other: BOTH });
    const ended = assert.rejects(raced, { code: "ATTACHMENT_DETACHED" });
    await ports.settle();
    await ended;
    assert.equal(kernel.attachmentBytes, 0);
    assert.equal(kernel.callsInFlight, 0);
  });
});
