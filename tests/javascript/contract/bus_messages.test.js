// @ts-check
/** Messages of a port, as they are made and as they are read. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import fc from "fast-check";

import { BusError } from "../../../browser_worker/contract/bus_error.js";
import {
  MalformedMessage,
  cancel,
  event,
  exec,
  failure,
  post,
  progress,
  readMessage,
  success,
} from "../../../browser_worker/contract/bus_messages.js";

const ERROR = new BusError("UI_BUSY", "Ask again.", { retryAfterMs: 250, data: { queue: 3 } });

/** @type {[string, any][]} */
const SOUND = [
  ["a request", exec(12, "tools.call", { target: "app:notes:background" })],
  ["a success", success(12, null)],
  ["a failure", failure(1, ERROR)],
  ["progress", progress(1, { completed: 12 })],
  ["a cancellation", cancel(1, "nobody waits")],
  ["an event", event("app.state", { topic: "notes", revision: 1 })],
];

/** @type {[string, unknown, number | undefined][]} what, message, the id that can be answered */
const BROKEN = [
  ["no object", "exec", undefined],
  ["a list", [], undefined],
  ["an unknown type", { type: "hello", id: 1 }, undefined],
  ["an id of 0", { type: "exec", id: 0, payload: { action: "a", payload: {} } }, undefined],
  ["an id as text", { type: "exec", id: "1", payload: { action: "a", payload: {} } }, undefined],
  ["a fraction as id", { type: "response", id: 1.5, ok: 1 }, undefined],
  ["a request without an action", { type: "exec", id: 3, payload: { payload: {} } }, 3],
  [
    "a request whose payload is a list",
    { type: "exec", id: 3, payload: { action: "a", payload: [] } },
    3,
  ],
  ["a response with both", { type: "response", id: 3, ok: 1, error: ERROR.toWire() }, undefined],
  ["a response with neither", { type: "response", id: 3 }, undefined],
  [
    "an error without a message",
    { type: "response", id: 3, error: { code: "TIMEOUT" } },
    undefined,
  ],
  ["progress of nothing", { type: "progress", id: 3 }, undefined],
  ["a cancellation without a reason", { type: "cancel", id: 3, payload: {} }, undefined],
  ["an event without a name", { type: "event", payload: {} }, undefined],
  [
    "a request with a date",
    { type: "exec", id: 3, payload: { action: "a", payload: { at: new Date(0) } } },
    3,
  ],
  [
    "an attachment that is a typed array",
    { ...exec(3, "a", {}), attachment: new Uint8Array(1) },
    3,
  ],
];

describe("messages", () => {
  for (const [what, message] of SOUND) {
    test(`${what} is read as it was made, after a clone`, () => {
      const { message: read, attachment, bytes } = readMessage(structuredClone(message));
      assert.deepEqual(read, message);
      assert.equal(attachment, undefined);
      assert.ok(bytes >= JSON.stringify(message).length);
    });
  }

  for (const [what, message, id] of BROKEN) {
    test(`${what} is refused`, () => {
      assert.throws(
        () => readMessage(message),
        (/** @type {any} */ error) => {
          assert.ok(error instanceof MalformedMessage);
          assert.equal(error.requestId, id);
          return true;
        },
      );
    });
  }

  test("what answers nothing any more says what it was meant to answer", () => {
    for (const message of [
      { type: "response", id: 7 },
      { type: "response", id: 7, ok: new Date(0) },
      { type: "response", id: 7, ok: "x".repeat(1_100_000) },
    ]) {
      assert.throws(
        () => readMessage(message),
        (/** @type {any} */ error) => error.responseId === 7 && error.requestId === undefined,
      );
    }
  });

  test("arguments of 1 MiB, nested 64 deep, fit into a message", () => {
    const nested = JSON.parse("[".repeat(64) + "]".repeat(64));
    const call = (/** @type {any} */ given) =>
      exec(2 ** 53 - 1, "tools.invoke", {
        name: "x".repeat(40),
        version: 2 ** 53 - 1,
        caller: `app:${"x".repeat(40)}:tile:${"x".repeat(40)}:instance:${"x".repeat(40)}`,
        arguments: given,
      });
    assert.ok(readMessage(call({ text: "x".repeat(1_048_576 - '{"text":""}'.length) })));
    assert.ok(readMessage(call(nested)));
    assert.ok(readMessage(success(1, { result: nested })));
    assert.throws(() => readMessage(call([nested])), /nested deeper/);
  });

  test("whatever comes, reading gives a message or says why not", () => {
    const anything = fc.anything({
      withDate: true,
      withMap: true,
      withTypedArray: true,
      withBigInt: true,
      withSparseArray: true,
    });
    const types = fc.constantFrom("exec", "response", "progress", "cancel", "event", "other");
    const shaped = fc.record({ type: types, id: fc.integer(), payload: anything, ok: anything });
    fc.assert(
      fc.property(fc.oneof(anything, shaped), (data) => {
        try {
          readMessage(data);
        } catch (error) {
          assert.ok(error instanceof MalformedMessage);
        }
      }),
    );
  });

  test("an attachment goes over and is no longer the sender's", () => {
    /** @type {any[]} */
    const sent = [];
    const port = {
      /** @param {any} message @param {ArrayBuffer[]} transfer */
      postMessage: (message, transfer) => void sent.push(structuredClone(message, { transfer })),
    };
    const buffer = new ArrayBuffer(8);
    post(port, success(1, {}), buffer);
    assert.equal(buffer.byteLength, 0);
    const { message, attachment } = readMessage(sent[0]);
    assert.equal(attachment?.byteLength, 8);
    assert.equal(message.type, "response");
  });
});

describe("errors", () => {
  test("an error is the same on the other side", () => {
    const read = BusError.fromWire(structuredClone(ERROR.toWire()));
    assert.deepEqual(
      [read.code, read.message, read.retryAfterMs, read.data],
      ["UI_BUSY", "Ask again.", 250, { queue: 3 }],
    );
  });

  test("a code of nobody's is a failure of the tool", () => {
    const read = BusError.fromWire({ code: "ROOT_ACCESS", message: "granted" });
    assert.deepEqual([read.code, read.data], ["TOOL_FAILED", { code: "ROOT_ACCESS" }]);
  });
});
