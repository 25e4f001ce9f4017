// @ts-check
/** The runtime on a port whose other end a test holds: what it sends, takes, refuses and forgets. */

import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, mock, test } from "node:test";

import { AppRuntime } from "../../../browser_worker/app/app_runtime.js";
import { BusError } from "../../../browser_worker/contract/bus_error.js";
import { BUS_LIMITS } from "../../../browser_worker/contract/limits.js";
import { ManualRuntime } from "../support/manual_runtime.js";
import { MemoryPorts } from "../support/memory_ports.js";

const ANY = { description: "Takes anything.", inputSchema: { type: "object" } };
const BUFFERS = { ...ANY, annotations: { "bascule:attachments": { api: 1 } } };
const DECISION_MS = BUS_LIMITS.maxDecisionSeconds * 1000;
const CALL = { target: "app:notes:background", name: "work" };

/** @param {{ connected?: boolean }} [options] */
function app({ connected = true } = {}) {
  const time = new ManualRuntime();
  const ports = new MemoryPorts();
  const runtime = new AppRuntime({ now: time.now, setTimer: time.after });
  /** What the kernel's end was sent. @type {any[]} */
  const sent = [];
  const connect = () => {
    const [ours, theirs] = ports.pair();
    ours.onmessage = ({ data }) => void sent.push(data);
    runtime.connect(theirs);
    return ours;
  };
  const kernel = connected ? connect() : null;
  /** @param {any} message @param {ArrayBuffer[]} [transfer] */
  const send = async (message, transfer = []) => {
    kernel?.postMessage(message, transfer);
    await ports.settle();
  };
  let ids = 100;
  /** @param {any} [payload] @param {any} [more] */
  const invoke = async (payload = {}, more = {}) => {
    const id = ++ids;
    const given = { name: "work", version: 1, arguments: {}, caller: "kernel", ...payload };
    await send(
      { type: "exec", id, payload: { action: "tools.invoke", payload: given }, ...more },
      more.attachment === undefined ? [] : [more.attachment],
    );
    return id;
  };
  const answerTo = (/** @type {number} */ id) =>
    sent.find((message) => message.type === "response" && message.id === id);
  return { time, ports, runtime, sent, connect, kernel, send, invoke, answerTo };
}

/** @param {Promise<unknown>} promise @returns {Promise<any>} */
const failure = (promise) =>
  promise.then(
    () => assert.fail("it did not fail"),
    (error) => error,
  );

/** @type {any} */
let reported;
beforeEach(() => {
  reported = mock.method(console, "error", () => {});
});
afterEach(() => mock.restoreAll());

describe("requests of the app", () => {
  test("are envelopes with a number, and end with the answer to it", async () => {
    const { runtime, sent, send, ports } = app();
    const call = runtime.callTool({ ...CALL, arguments: { query: "a" } }, { timeout: 5 });
    await ports.settle();
    assert.deepEqual(sent, [
      {
        type: "exec",
        id: 1,
        payload: {
          action: "tools.call",
          payload: { ...CALL, arguments: { query: "a" }, timeout: 5 },
        },
      },
    ]);
    await send({ type: "response", id: 2, ok: "another's" });
    await send({ type: "response", id: 1, ok: { a: 1 } });
    await send({ type: "response", id: 1, ok: "again" });
    assert.deepEqual(await call, { a: 1 });
  });

  test("keep code, data and waiting time of an error", async () => {
    const { runtime, send, ports } = app();
    const ended = failure(runtime.callTool(CALL));
    await ports.settle();
    const error = { code: "UI_BUSY", message: "Later.", retryAfterMs: 250, data: { a: 1 } };
    await send({ type: "response", id: 1, error });
    const got = await ended;
    assert.ok(got instanceof BusError);
    assert.deepEqual(got.toWire(), error);
  });

  test("wait for a port, and are sent when it comes", async () => {
    const { runtime, connect, sent, ports, time } = app({ connected: false });
    const call = runtime.callTool(CALL);
    await ports.settle();
    assert.deepEqual(sent, []);
    const kernel = connect();
    await ports.settle();
    assert.equal(sent.length, 1);
    kernel.postMessage({ type: "response", id: 1, ok: 1 });
    await ports.settle();
    assert.equal(await call, 1);
    runtime.close();
    assert.equal(time.timers.size, 0);
  });

  test("that wait are 64 at most, and end by their time, unsent", async () => {
    const { runtime, time } = app({ connected: false });
    const calls = Array.from({ length: 65 }, () => failure(runtime.callTool(CALL, { timeout: 2 })));
    assert.equal((await /** @type {any} */ (calls[64])).code, "TOO_MANY_CALLS");
    time.pass(7000 + DECISION_MS);
    const error = await /** @type {any} */ (calls[0]);
    assert.equal(error.code, "TIMEOUT");
    assert.match(error.message, /nothing was sent/);
    assert.deepEqual(error.data, { outcome: "not_delivered" });
  });

  test("fail where there is no port any more, and say whether they were sent", async () => {
    const { runtime, ports } = app();
    const sent = failure(runtime.callTool(CALL));
    await ports.settle();
    runtime.close("a test");
    assert.match((await sent).message, /may have been done/);
    assert.deepEqual((await sent).data, { outcome: "unknown" });
    const never = await failure(runtime.callTool(CALL));
    assert.equal(never.code, "ENDPOINT_GONE");
    assert.match(never.message, /nothing was sent/);
    assert.equal(ports.open, 1);
  });

  test("by a port that was replaced fail, and its answers are nobody's", async () => {
    const { runtime, connect, ports, send, sent } = app();
    const first = failure(runtime.callTool(CALL));
    await ports.settle();
    const fresh = connect();
    assert.equal((await first).code, "ENDPOINT_GONE");
    const second = runtime.callTool(CALL);
    await ports.settle();
    await send({ type: "response", id: 2, ok: "by the old port" });
    fresh.postMessage({ type: "response", id: 2, ok: "by the new one" });
    await ports.settle();
    assert.equal(await second, "by the new one");
    assert.equal(sent.length, 2);
  });

  test("that nobody answers end after their time and that of a decision, and are cancelled", async () => {
    const { runtime, time, ports, sent, send } = app();
    const ended = failure(runtime.callTool(CALL, { timeout: 2 }));
    await ports.settle();
    time.pass(7000 + DECISION_MS - 1);
    await ports.settle();
    assert.equal(sent.length, 1);
    time.pass(1);
    assert.equal((await ended).code, "TIMEOUT");
    await ports.settle();
    assert.deepEqual(sent[1].type, "cancel");
    await send({ type: "response", id: 1, ok: "late" });
    await send({ type: "progress", id: 1, payload: "late" });
  });

  test("need one timer, however many there are", async () => {
    const { runtime, time, ports, send } = app();
    const calls = [1, 2, 3].map(() => runtime.callTool(CALL));
    await ports.settle();
    assert.equal(time.timers.size, 1);
    for (const id of [1, 2, 3]) await send({ type: "response", id, ok: id });
    assert.deepEqual(await Promise.all(calls), [1, 2, 3]);
    assert.equal(time.timers.size, 1);
    runtime.close();
    assert.equal(time.timers.size, 0);
  });

  test("send no buffer that went elsewhere while they waited", async () => {
    const { runtime, connect, sent, ports } = app({ connected: false });
    const buffer = new ArrayBuffer(8);
    const ended = failure(runtime.callTool({ ...CALL, attachment: buffer }));
    structuredClone(buffer, { transfer: [buffer] });
    connect();
    await ports.settle();
    assert.equal((await ended).code, "ATTACHMENT_DETACHED");
    assert.deepEqual(sent, []);
  });

  test("with what is no call are refused before anything is sent", async () => {
    const { runtime, sent, ports } = app();
    /** @type {any[]} */
    const wrong = [
      {},
      { ...CALL, target: 7 },
      { ...CALL, name: "x".repeat(101) },
      { ...CALL, target: "x".repeat(201) },
      { ...CALL, arguments: [] },
      { ...CALL, arguments: "text" },
    ];
    for (const call of wrong) {
      assert.equal((await failure(runtime.callTool(call))).code, "INVALID_MESSAGE");
    }
    assert.ok((await failure(runtime.publishAppStateChange("a", NaN))).code);
    assert.ok((await failure(runtime.listTools(/** @type {any} */ (null)))).code);
    await ports.settle();
    assert.deepEqual(sent, []);
  });

  test("have arguments of 1 MiB at most, exactly", async () => {
    const { runtime, sent, ports } = app();
    const text = "x".repeat(1_048_576 - '{"t":""}'.length);
    void failure(runtime.callTool({ ...CALL, arguments: { t: text } }));
    const over = failure(runtime.callTool({ ...CALL, arguments: { t: `${text}x` } }));
    assert.equal((await over).code, "TOO_LARGE");
    await ports.settle();
    assert.equal(sent.length, 1);
    runtime.close();
  });
});

describe("requests of the kernel", () => {
  test("are answered once: a ping, a description, an unknown action, a broken one", async () => {
    const { runtime, send, answerTo } = app();
    runtime.exposeTool("work", ANY, () => 1);
    /** @param {number} id @param {string} action @param {any} payload */
    const ask = (id, action, payload) => send({ type: "exec", id, payload: { action, payload } });
    await ask(1, "ping", {});
    await ask(2, "tools.describe", {});
    await ask(3, "tools.describe", { name: "work" });
    await ask(4, "tools.describe", { name: "none" });
    await ask(5, "tools.call", CALL);
    await ask(6, "ping", new Date(0));
    const described = { tools: [{ name: "work", ...ANY, version: 1 }] };
    assert.deepEqual(answerTo(1).ok, {});
    assert.deepEqual(answerTo(2).ok, described);
    assert.deepEqual(answerTo(3).ok, described);
    assert.deepEqual(answerTo(4).ok, { tools: [] });
    assert.equal(answerTo(5).error.code, "UNKNOWN_ACTION");
    assert.equal(answerTo(6).error.code, "NOT_JSON");
    await send("nonsense");
    await send({ type: "exec", id: "x" });
  });

  test("of another version than is exposed are given back, with their buffer, and do not run", async () => {
    const { runtime, invoke, answerTo } = app();
    let runs = 0;
    runtime.exposeTool("work", BUFFERS, () => void (runs += 1));
    runtime.exposeTool("work", BUFFERS, () => void (runs += 1));
    const stale = await invoke({ version: 1 }, { attachment: new ArrayBuffer(4) });
    const removed = await invoke({ name: "none" });
    assert.deepEqual(answerTo(stale).ok, { changed: true });
    assert.equal(answerTo(stale).attachment.byteLength, 4);
    assert.deepEqual(answerTo(removed).ok, { changed: true });
    assert.equal(runs, 0);
    await invoke({ version: 2 });
    assert.equal(runs, 1);
  });

  test("that are removed while they run go on to their result", async () => {
    const { runtime, invoke, answerTo, ports } = app();
    /** @type {(value: unknown) => void} */
    let end = () => {};
    runtime.exposeTool("work", ANY, () => new Promise((resolve) => (end = resolve)));
    const id = await invoke();
    runtime.removeExposedTool("work");
    end({ done: true });
    await ports.settle();
    assert.deepEqual(answerTo(id).ok, { result: { done: true } });
  });

  test("are checked at the endpoint too: arguments, results and attachments", async () => {
    const { runtime, invoke, answerTo } = app();
    let runs = 0;
    const needs = {
      ...ANY,
      inputSchema: { type: "object", required: ["a"] },
      outputSchema: { type: "number" },
      annotations: { "bascule:attachments": { api: 1, input: { required: true } } },
    };
    runtime.exposeTool("work", needs, () => void (runs += 1));
    const buffer = () => ({ attachment: new ArrayBuffer(1) });
    const wrong = await invoke({}, buffer());
    const without = await invoke({ arguments: { a: 1 } });
    assert.deepEqual(
      [wrong, without].map((id) => answerTo(id).error.code),
      ["INVALID_INPUT", "INVALID_INPUT"],
    );
    assert.equal(runs, 0);
    const broken = await invoke({ arguments: { a: 1 } }, buffer());
    assert.deepEqual([answerTo(broken).error.code, runs], ["INVALID_OUTPUT", 1]);
    runtime.exposeTool("work", ANY, () => 1);
    const unwanted = await invoke({ version: 2 }, buffer());
    assert.equal(answerTo(unwanted).error.code, "ATTACHMENT_UNSUPPORTED");
  });

  /** @type {[string, (context: any) => any, string][]} */
  const failing = [
    ["gives what is no JSON", () => ({ at: new Date(0) }), "NOT_JSON"],
    ["gives more than 1 MiB", () => "x".repeat(1_048_575), "TOO_LARGE"],
    ["throws", () => assert.fail("a secret"), "TOOL_FAILED"],
    ["throws nothing that is an error", () => Promise.reject(undefined), "TOOL_FAILED"],
    [
      "fails with data that cannot be sent",
      () => Promise.reject(new BusError("INVALID_INPUT", "m", { data: { f: () => 1 } })),
      "INVALID_INPUT",
    ],
    [
      "fails with a reactive proxy as data",
      () => Promise.reject(new BusError("INVALID_INPUT", "m", { data: new Proxy({ a: 1 }, {}) })),
      "INVALID_INPUT",
    ],
    [
      "fails with a code of nobody's",
      () => Promise.reject(new BusError(/** @type {any} */ ("MINE"), "m")),
      "TOOL_FAILED",
    ],
    [
      "gives a buffer that it does not advertise",
      ({ replyAttachment }) => replyAttachment(new ArrayBuffer(1)),
      "ATTACHMENT_UNSUPPORTED",
    ],
    [
      "gives a buffer that is none",
      ({ replyAttachment }) => replyAttachment(new Uint8Array(1)),
      "ATTACHMENT_UNSUPPORTED",
    ],
    [
      "reports what is no JSON",
      ({ reportProgress }) => reportProgress({ a: undefined }),
      "NOT_JSON",
    ],
    [
      "reports more than 64 KiB",
      ({ reportProgress }) => reportProgress("x".repeat(65_535)),
      "TOO_LARGE",
    ],
  ];
  for (const [what, handler, code] of failing) {
    test(`whose handler ${what} is answered with ${code}`, async () => {
      const { runtime, invoke, answerTo } = app();
      runtime.exposeTool("work", ANY, (_given, context) => handler(context));
      const id = await invoke();
      const { error, ok } = answerTo(id);
      assert.deepEqual([error.code, ok], [code, undefined]);
      assert.doesNotMatch(error.message, /secret/);
    });
  }

  /** @type {[string, (runtime: any, context: any) => unknown, string][]} */
  const unsent = [
    [
      "calls with what is no JSON",
      (_runtime, { kernel }) => kernel.callTool({ ...CALL, arguments: { x: undefined } }),
      "NOT_JSON",
    ],
    ["calls nobody", (runtime) => runtime.callTool({ ...CALL, target: 1 }), "INVALID_MESSAGE"],
    [
      "calls for too short a time",
      (runtime) => runtime.callTool(CALL, { timeout: 0 }),
      "INVALID_MESSAGE",
    ],
    [
      "gives a call up before it is sent",
      (runtime) => runtime.callTool(CALL, { signal: AbortSignal.abort() }),
      "CANCELLED",
    ],
    [
      "sends a buffer that is none",
      (runtime) => runtime.callToolWithAttachment({ ...CALL, attachment: new Uint8Array(1) }),
      "ATTACHMENT_UNSUPPORTED",
    ],
    ["lists the tools of nobody", (runtime) => runtime.listTools(1), "INVALID_MESSAGE"],
    [
      "tells of no revision",
      (runtime) => runtime.publishAppStateChange("state", 1.5),
      "INVALID_INPUT",
    ],
    [
      "asks privately with what is no JSON",
      (runtime) => runtime.actions.tray.setState({ badge: undefined }),
      "NOT_JSON",
    ],
    [
      "calls its backend with what is no JSON",
      (runtime) => runtime.actions.canister.querySelf({ method: "m", arguments: { x: NaN } }),
      "NOT_JSON",
    ],
  ];
  for (const [what, handler, code] of unsent) {
    test(`whose handler ${what} may have done part of their work`, async () => {
      const { runtime, invoke, answerTo } = app();
      runtime.exposeTool("work", ANY, (_given, context) => handler(runtime, context));
      const { error } = answerTo(await invoke());
      assert.equal(error.code, "TOOL_FAILED");
      assert.equal(error.data.code, code);
      assert.match(error.message, /^The tool may have done part of its work/);
    });
  }

  test("whose handler passes on what its own call was told are answered as its own failure", async () => {
    const { runtime, sent, send, invoke, answerTo, ports } = app();
    runtime.exposeTool("work", ANY, async () =>
      runtime.callTool({ ...CALL, arguments: { query: 1 } }),
    );
    const refusals = [
      { code: "INVALID_INPUT", message: "Wrong; nothing was run.", data: { errors: [] } },
      { code: "CANCELLED", message: "Ended; nothing was run.", data: { outcome: "not_delivered" } },
      { code: "OWNER_REQUIRED", message: "No; nothing was run.", retryAfterMs: 5 },
      { code: "TOOL_FAILED", message: "Inner.", data: { code: "UI_BUSY" } },
    ];
    for (const error of refusals) {
      const id = await invoke();
      const asked = sent.findLast((message) => message.payload?.action === "tools.call");
      await send({ type: "response", id: asked.id, error });
      await ports.settle();
      const { code, message, retryAfterMs, data } = answerTo(id).error;
      assert.equal(code, "TOOL_FAILED");
      assert.match(message, /^The tool may have done part of its work/);
      assert.ok(message.endsWith(error.message));
      assert.equal(retryAfterMs, error.retryAfterMs);
      assert.equal(data.code, error.data?.code ?? error.code);
    }
    // What a handler says of its own is told as it is.
    runtime.removeExposedTool("work");
    runtime.exposeTool("own", ANY, async () => {
      throw new BusError("INVALID_INPUT", "Mine.");
    });
    const id = await invoke({ name: "own", version: 2 });
    assert.deepEqual(answerTo(id).error, { code: "INVALID_INPUT", message: "Mine." });
  });

  test("have a result of 1 MiB at most, exactly", async () => {
    const { runtime, invoke, answerTo } = app();
    runtime.exposeTool("work", ANY, () => "x".repeat(1_048_574));
    assert.equal(answerTo(await invoke()).ok.result.length, 1_048_574);
  });

  test("whose buffer went elsewhere after it was given are answered, without it", async () => {
    const { runtime, invoke, answerTo } = app();
    runtime.exposeTool("work", BUFFERS, async (_given, { replyAttachment }) => {
      const buffer = new ArrayBuffer(8);
      replyAttachment(buffer);
      structuredClone(buffer, { transfer: [buffer] });
      return 1;
    });
    const id = await invoke();
    assert.equal(answerTo(id).error.code, "ATTACHMENT_DETACHED");
  });

  test("that are cancelled abort, are not answered, and report nothing more", async () => {
    const { runtime, invoke, send, sent, ports, answerTo } = app();
    /** @type {any} */
    let context;
    /** @type {(value: unknown) => void} */
    let end = () => {};
    runtime.exposeTool("work", ANY, (_given, told) => {
      context = told;
      return new Promise((resolve) => (end = resolve));
    });
    const id = await invoke();
    await send({ type: "cancel", id, payload: { reason: "r" } });
    // Also a signal that is looked at only then has aborted.
    assert.equal(context.signal.aborted, true);
    const before = sent.length;
    context.reportProgress(1);
    end(1);
    await ports.settle();
    assert.deepEqual([sent.length, answerTo(id)], [before, undefined]);
  });

  test("report progress until they are answered, and 2,000 times at most", async () => {
    const { runtime, invoke, sent, ports, answerTo } = app();
    /** @type {any} */
    let context;
    let refused;
    runtime.exposeTool("work", ANY, (_given, told) => {
      context = told;
      for (let n = 0; n < 2000; n++) told.reportProgress(n);
      try {
        told.reportProgress("one more");
      } catch (error) {
        refused = error;
      }
      return "done";
    });
    const id = await invoke();
    assert.equal(/** @type {any} */ (refused).code, "TOO_LARGE");
    assert.equal(answerTo(id).ok.result, "done");
    runtime.exposeTool("work", ANY, (_given, told) => {
      context = told;
      return "done";
    });
    await invoke({ version: 2 });
    context.reportProgress("late");
    await ports.settle();
    assert.equal(sent.filter(({ type }) => type === "progress").length, 2000);
  });

  test("of a port that was replaced abort, and are answered nowhere", async () => {
    const { runtime, invoke, connect, sent, ports } = app();
    /** @type {AbortSignal | undefined} */
    let signal;
    /** @type {(value: unknown) => void} */
    let end = () => {};
    runtime.exposeTool("work", ANY, (_given, context) => {
      signal = context.signal;
      return new Promise((resolve) => (end = resolve));
    });
    await invoke();
    connect();
    assert.equal(signal?.aborted, true);
    end(1);
    await ports.settle();
    assert.deepEqual(sent, []);
  });
});

describe("exposing", () => {
  test("refuses at once what could not be described", () => {
    const { runtime } = app();
    /** @type {any[]} */
    const wrong = [
      ["", ANY, () => 1],
      ["with.dot", ANY, () => 1],
      ["x".repeat(41), ANY, () => 1],
      ["work", {}, () => 1],
      ["work", undefined, () => 1],
      ["work", { description: "" }, () => 1],
      ["work", ANY, undefined],
      ["work", { ...ANY, inputSchema: { type: "nothing" } }, () => 1],
      ["work", { ...ANY, annotations: { at: new Date(0) } }, () => 1],
      ["work", { ...ANY, description: "x".repeat(65_536) }, () => 1],
    ];
    for (const [name, options, handler] of wrong) {
      assert.throws(() => runtime.exposeTool(name, options, handler), Error);
    }
    for (let n = 0; n < 128; n++) runtime.exposeTool(`t${n}`, ANY, () => 1);
    assert.throws(() => runtime.exposeTool("one_more", ANY, () => 1), /128/);
    runtime.exposeTool("t0", ANY, () => 2);
    assert.equal(runtime.removeExposedTool("t0"), true);
  });

  test("takes the description as it is then, whatever becomes of it", async () => {
    const { runtime, send, answerTo } = app();
    const options = { description: "First.", inputSchema: { type: "object" } };
    runtime.exposeTool("work", options, () => 1);
    options.inputSchema.type = "string";
    await send({ type: "exec", id: 1, payload: { action: "tools.describe", payload: {} } });
    assert.equal(answerTo(1).ok.tools[0].inputSchema.type, "object");
  });
});

describe("events", () => {
  test("tell who it is, and of its app's state; what a listener throws changes nothing", async () => {
    const { runtime, send } = app();
    /** @type {any[]} */
    const told = [];
    runtime.onConnect(() => {
      throw new Error("an observer's own");
    });
    const stopWatching = runtime.onConnect(() => told.push("connected"));
    runtime.onAppStateChange("notes", () => {
      throw new Error("a listener's own");
    });
    const stop = runtime.onAppStateChange("notes", (change) => told.push(change));
    assert.equal(runtime.connected, null);
    const connected = { event: "connected", endpoint: CALL.target, session: "s" };
    await send({ type: "event", payload: connected });
    assert.deepEqual(runtime.connected, { endpoint: CALL.target, session: "s" });
    /** @param {any} topic @param {any} revision */
    const state = (topic, revision) =>
      send({ type: "event", payload: { event: "app.state", topic, revision } });
    for (const revision of [2, 1, 2, 3]) await state("notes", revision);
    await state("other", 9);
    await state("notes", "4");
    await send({ type: "event", payload: { event: "unheard of" } });
    // A new connection may be of another life of the app.
    await send({ type: "event", payload: connected });
    await state("notes", 1);
    stop();
    stopWatching();
    await state("notes", 5);
    await send({ type: "event", payload: connected });
    const change = (/** @type {number} */ revision) => ({ topic: "notes", revision });
    assert.deepEqual(told, ["connected", change(2), change(3), "connected", change(1)]);
    assert.ok(reported.mock.callCount() >= 4);
  });
});
