// @ts-check
/** `context.kernel`: what a handler calls others with, and how long. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { appOnPort } from "../support/app_on_port.js";

/** @import { ToolContext } from "../../../browser_worker/app/exposed_tools.js" */

const ANY = { description: "Takes anything.", inputSchema: { type: "object" } };
const CALL = Object.freeze({ target: "app:notes:background", name: "find" });

/** A runtime whose handler runs until a test ends it, and what it sent. */
async function running() {
  const { runtime, ports, kernel, sent } = appOnPort();
  /** @type {{ context: ToolContext, end: () => void }[]} */
  const runs = [];
  runtime.exposeTool("work", ANY, (_args, context) => {
    return new Promise((resolve) => void runs.push({ context, end: () => resolve({}) }));
  });
  /** @param {any} message */
  const send = async (message) => {
    kernel.postMessage(message);
    await ports.settle();
  };
  /** @param {number} id @param {string} [invocation] */
  const invoke = async (id, invocation = undefined) => {
    const payload = { name: "work", version: 1, arguments: {}, caller: "app:a:background" };
    const metadata = invocation === undefined ? {} : { invocation };
    await send({
      type: "exec",
      id,
      payload: { action: "tools.invoke", payload, ...metadata },
    });
    const run = runs.at(-1);
    assert.ok(run !== undefined);
    return run;
  };
  return { runtime, ports, kernel, sent, send, invoke };
}

/** @param {Promise<unknown>} promise @returns {Promise<any>} */
const failure = (promise) =>
  promise.then(
    () => assert.fail("it did not fail"),
    (error) => error,
  );

describe("context.kernel", () => {
  test("calls and lists by the capability of its run, beside the payload and not in it", async () => {
    const { invoke, ports, sent } = await running();
    const { context } = await invoke(1, "secret");
    void context.kernel.callTool({ ...CALL, arguments: { query: "a" } }, { timeout: 5 });
    void context.kernel.listTools(CALL.target);
    void context.kernel.listApps();
    await ports.settle();
    const asked = sent.filter(({ type }) => type === "exec").map(({ payload }) => payload);
    assert.deepEqual(asked, [
      {
        action: "tools.call",
        payload: { ...CALL, arguments: { query: "a" }, timeout: 5 },
        invocation: "secret",
      },
      { action: "tools.list", payload: { target: CALL.target }, invocation: "secret" },
      {
        action: "tools.call",
        payload: { target: "kernel", name: "apps.list", arguments: {} },
        invocation: "secret",
      },
    ]);
  });

  test("is one client of a run, and another of each", async () => {
    const { invoke, ports, sent } = await running();
    const first = await invoke(1, "one");
    const second = await invoke(2, "two");
    assert.equal(first.context.kernel, first.context.kernel);
    assert.notEqual(first.context.kernel, second.context.kernel);
    void second.context.kernel.callTool(CALL);
    void first.context.kernel.callTool(CALL);
    await ports.settle();
    const used = sent.filter(({ type }) => type === "exec");
    assert.deepEqual(
      used.map(({ payload }) => payload.invocation),
      ["two", "one"],
    );
  });

  test("calls in the app's own name where the page itself has called", async () => {
    const { invoke, ports, sent } = await running();
    const { context } = await invoke(1);
    void context.kernel.callTool(CALL);
    await ports.settle();
    assert.deepEqual(Object.keys(sent[0].payload), ["action", "payload"]);
  });

  test("leaves the app's own client without a capability", async () => {
    const { invoke, ports, runtime, sent } = await running();
    await invoke(1, "secret");
    void runtime.callTool(CALL);
    void runtime.createMsgBusClient().listTools(CALL.target);
    await ports.settle();
    for (const { payload } of sent) assert.equal("invocation" in payload, false);
  });

  test("sends nothing any more once its handler has returned", async () => {
    const { invoke, ports, sent } = await running();
    const { context, end } = await invoke(1, "secret");
    const client = context.kernel;
    end();
    await ports.settle();
    const before = sent.length;
    for (const late of [
      client.callTool(CALL),
      client.callToolWithAttachment(CALL),
      client.listTools(CALL.target),
      client.listApps(),
      context.kernel.listEndpoints(),
    ]) {
      assert.equal((await failure(late)).code, "INVOCATION_INVALID");
    }
    await ports.settle();
    assert.equal(sent.length, before);
  });

  test("is dead at once where nobody waits for its run any more", async () => {
    const { invoke, runtime, send } = await running();
    const cancelled = await invoke(1, "one");
    const dropped = await invoke(2, "two");
    await send({ type: "cancel", id: 1, payload: { reason: "" } });
    const late = await failure(cancelled.context.kernel.callTool(CALL));
    assert.equal(late.code, "INVOCATION_INVALID");
    runtime.close("a test");
    const later = await failure(dropped.context.kernel.callTool(CALL));
    assert.equal(later.code, "INVOCATION_INVALID");
  });

  test("cancels what was not awaited when its run ends", async () => {
    const { invoke, ports, sent } = await running();
    const { context, end } = await invoke(1, "secret");
    const given = new AbortController();
    const calls = [
      failure(context.kernel.callTool(CALL)),
      failure(context.kernel.callTool(CALL, { signal: given.signal })),
    ];
    await ports.settle();
    end();
    await ports.settle();
    for (const call of calls) assert.equal((await call).code, "CANCELLED");
    assert.deepEqual(
      sent.map(({ type }) => type),
      ["exec", "exec", "cancel", "cancel", "response"],
    );
  });

  test("cancels a call by the caller's own signal too", async () => {
    const { invoke, ports, sent } = await running();
    const { context } = await invoke(1, "secret");
    const given = new AbortController();
    const call = failure(context.kernel.callTool(CALL, { signal: given.signal }));
    await ports.settle();
    given.abort();
    assert.equal((await call).code, "CANCELLED");
    await ports.settle();
    assert.equal(sent.at(-1).type, "cancel");
  });
});

describe("a delegation", () => {
  test("goes with the call, beside its arguments", async () => {
    const { ports, runtime, sent } = await running();
    void runtime.callToolWithAttachment(
      { ...CALL, attachment: new ArrayBuffer(2) },
      { delegation: "given" },
    );
    await ports.settle();
    assert.deepEqual(sent[0].payload, {
      action: "tools.call",
      payload: { ...CALL, arguments: {}, delegation: "given" },
    });
    assert.equal(sent[0].attachment.byteLength, 2);
  });

  test("that is no text is refused before anything is sent", async () => {
    const { runtime, sent } = await running();
    for (const delegation of [1, "x".repeat(101)]) {
      const options = { delegation: /** @type {any} */ (delegation) };
      assert.equal((await failure(runtime.callTool(CALL, options))).code, "INVALID_MESSAGE");
    }
    assert.equal(sent.length, 0);
  });
});
