// @ts-check
/** Apps that mean harm, by the messages of their ports: what each does costs itself, and nobody else. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { checkJson } from "../../../../browser_worker/contract/bus_json.js";
import { AppRuntime } from "../../../../browser_worker/app/app_runtime.js";
import { BUS_LIMITS } from "../../../../browser_worker/contract/limits.js";
import { BusError } from "../../../../browser_worker/contract/bus_error.js";
import { applicationError } from "../../../../browser_worker/kernel/terminal/application_errors.js";
import { makeKernel } from "../../support/test_kernel.js";

const NOTES = "app:notes:background";
const MESSAGE = { maxBytes: BUS_LIMITS.maxMessageBytes };

/** @param {(payload: any, message: any) => any} [invoke] What the app answers a call with. */
async function hostile(invoke = () => ({ ok: { result: {} } }), tool = {}) {
  const made = makeKernel();
  made.ports.deliverThemselves();
  const background = made.connect("notes");
  const tile = made.connect("notes", "tile");
  background.app.expose({ work: tool });
  background.app.handlers.set("tools.invoke", invoke);
  await made.ports.settle();
  const called = async () => {
    const id = tile.app.call(NOTES, "work");
    await made.ports.settle();
    return tile.app.response(id);
  };
  return { ...made, background, tile, called };
}

describe("a flood", () => {
  test("of questions that the page answers at once costs the port as any other does", async () => {
    for (const [action, payload] of /** @type {[string, any][]} */ ([
      ["tools.list", { target: "kernel" }],
      ["tools.call", { target: "kernel", name: "endpoints.list" }],
    ])) {
      const { background, tile, ports } = await hostile();
      for (let each = 0; each < 3_900; each++) tile.app.ask(action, payload);
      await ports.settle();
      assert.equal(tile.endpoint.open, true, "what may be sent at once");
      for (let each = 0; each < 200; each++) tile.app.ask(action, payload);
      await ports.settle();
      assert.equal(tile.endpoint.open, false, action);
      assert.equal(background.endpoint.open, true);
    }
  });

  test("of what is no JSON counts for as much as a message may have", async () => {
    const { tile, ports } = await hostile();
    for (let each = 0; each < 60; each++) tile.app.send({ type: "exec", bytes: new Uint8Array(1) });
    await ports.settle();
    assert.equal(tile.endpoint.open, true);
    for (let each = 0; each < 10; each++) tile.app.send({ type: "exec", bytes: new Uint8Array(1) });
    await ports.settle();
    assert.equal(tile.endpoint.open, false);
  });

  test("of progress is dropped in part, and the call that it is of has its result", async () => {
    const text = "x".repeat(60_000);
    const { background, tile, called } = await hostile((_payload, { id }) => {
      for (let each = 0; each < BUS_LIMITS.maxProgressEvents; each++) {
        background.app.send({ type: "progress", id, payload: text });
      }
      return { ok: { result: "done" } };
    });
    assert.equal((await called()).ok, "done");
    assert.equal(background.endpoint.open, true);
    const heard = tile.app.received.filter(({ type }) => type === "progress").length;
    assert.ok(heard > 1_000 && heard < BUS_LIMITS.maxProgressEvents, String(heard));
  });

  test("of progress that goes on costs the port all the same", async () => {
    const { background, ports, called } = await hostile((_payload, { id }) => {
      for (let each = 0; each < 9_000; each++) {
        background.app.send({ type: "progress", id, payload: each });
      }
      return undefined;
    });
    const answer = await called();
    await ports.settle();
    assert.equal(background.endpoint.open, false);
    assert.equal(answer.error.code, "FLOODED");
  });
});

describe("an error that an app made as large as it could", () => {
  const name = "~".repeat(600_000);
  for (const [what, code, invoke, tool] of /** @type {[string, string, any, any][]} */ ([
    [
      "a name that is as long as a message",
      "INVALID_OUTPUT",
      () => ({ ok: { result: { [name]: undefined } } }),
      {},
    ],
    [
      "a message of its own that leaves no room for anything else",
      "TOOL_FAILED",
      () => ({ error: { code: "LOCKED", message: "x".repeat(1_049_000) } }),
      {},
    ],
    [
      "details of its own",
      "INVALID_INPUT",
      () => ({
        error: { code: "INVALID_INPUT", message: "x", data: { y: "z".repeat(1_049_000) } },
      }),
      {},
    ],
    [
      "a schema that has much to say",
      "INVALID_OUTPUT",
      () => ({ ok: { result: Array(64).fill(1) } }),
      { outputSchema: { items: { type: Array(7_000).fill("null") } } },
    ],
  ])) {
    test(`by ${what} fits into a message, and its caller hears of it`, async () => {
      const { called, tile, ports } = await hostile(invoke, tool);
      const answer = await called();
      assert.equal(answer.error.code, code);
      checkJson(answer, MESSAGE);
      // With a runtime in between as well.
      const runtime = new AppRuntime({ now: () => 0, setTimer: () => () => {} });
      runtime.connect(/** @type {any} */ (tile.port));
      const asked = runtime.callTool({ target: NOTES, name: "work" });
      const told = assert.rejects(asked, (/** @type {any} */ error) => error.code === code);
      await ports.settle();
      await told;
    });
  }

  test("is told in full where it is small", async () => {
    const error = { code: "TOOL_FAILED", message: "The ink is dry.", data: { ink: "dry" } };
    const { called } = await hostile(() => ({ error }));
    assert.deepEqual((await called()).error, error);
  });
});

test("an answer of the kernel's that an app cannot read ends what it is the answer to", async () => {
  const { ports } = makeKernel();
  const [ours, theirs] = ports.pair();
  const runtime = new AppRuntime({ now: () => 0, setTimer: () => () => {} });
  runtime.connect(/** @type {any} */ (theirs));
  const asked = runtime.callTool({ target: NOTES, name: "work" });
  const told = assert.rejects(asked, (/** @type {any} */ error) => error.code === "INVALID_OUTPUT");
  await ports.settle();
  ours.postMessage({ type: "response", id: 1, ok: { at: new Date(0) } });
  await ports.settle();
  await told;
});

test("an object among an app's problems that has members named as methods are is no text", () => {
  const poisoned = { toString: 1, valueOf: 1, [Symbol.toPrimitive.toString()]: 1 };
  const error = new BusError("INVALID_INPUT", "No.", {
    data: {
      errors: [
        { path: poisoned, message: poisoned },
        { path: "/a", message: "is wrong" },
      ],
    },
  });
  const told = /** @type {any} */ (applicationError(error, "/arguments"));
  assert.equal(told.code, "INVALID_INPUT");
  assert.deepEqual(told.data.errors.at(-1), { path: "/arguments/a", message: "is wrong" });
});

test("what an app calls is told in the audit as it is seen, in one line", async () => {
  const { kernel, tile, ports } = await hostile();
  tile.app.call("app:\u202eseton:background", "work\u0007\n\u001b[31m", { "\u2066x": "\u200b" });
  tile.app.call(NOTES, "work");
  await ports.settle();
  const [odd, plain] = kernel.audit.entries();
  for (const text of [odd?.target, odd?.tool, odd?.arguments, odd?.outcome]) {
    assert.match(String(text), /\ufffd/);
    assert.doesNotMatch(String(text), /[\p{Cc}\u202e\u2066\u200b]/u);
  }
  assert.equal(plain?.tool, "work");
});

test("to nest deeply costs no more than to be long", () => {
  const inner = JSON.parse(`${"[".repeat(60)}${"]".repeat(60)}`);
  /** @type {any} */
  const cycle = { a: [{}] };
  cycle.a[0].b = cycle;
  assert.ok(checkJson(Array(4).fill(inner)) > 0);
  assert.throws(() => checkJson(cycle), /at \/a\/0\/b was not sent: it holds itself/);
});
