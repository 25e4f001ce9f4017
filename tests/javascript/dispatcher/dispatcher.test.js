// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";

import { parse } from "../../../browser_worker/contract/strict_json.js";
import { ActionSpec } from "../../../browser_worker/dispatcher/action_spec.js";
import { AppError } from "../../../browser_worker/dispatcher/app_error.js";
import { Dispatcher } from "../../../browser_worker/dispatcher/dispatcher.js";
import { RpcSession } from "../../../browser_worker/dispatcher/rpc_session.js";
import { makeFixture } from "../support/fixture_host.js";
import { ManualRuntime } from "../support/manual_runtime.js";

/** @import { Host } from "../../../browser_worker/dispatcher/host.js" */

const APP = { name: "Test", version: "1" };
const EXECUTE_A = '{"jsonrpc":"2.0","id":1,"method":"actions/execute","params":{"action":"a"}}';
const ANY = { inputSchema: { type: "object" } };

/**
 * @param {(action: string, input: any, context: any) => unknown} execute
 * @param {Partial<Host>} [more]
 * @param {ManualRuntime} [runtime]
 */
function dispatcherOf(execute, more = {}, runtime = new ManualRuntime()) {
  const dispatcher = new Dispatcher(
    {
      actions: () => [ActionSpec.read("a", "A", ANY), ActionSpec.read("b", "B", ANY)],
      revision: () => null,
      capabilities: () => 0,
      execute,
      ...more,
    },
    { app: APP, runtime },
  );
  dispatcher.setEnabled(true);
  return dispatcher;
}

/** Lets every promise that is settled be heard. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

function deferred() {
  /** @type {(value: unknown) => void} */
  let resolve = () => {};
  /** @type {(error: unknown) => void} */
  let reject = () => {};
  const promise = new Promise((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}

test("a local call over a synchronous host is synchronous and needs no endpoint and no revision", () => {
  const { dispatcher } = makeFixture();
  dispatcher.setEnabled(false);
  assert.deepEqual(dispatcher.executeLocal("note.set", { text: "x" }), { text: "x" });
  assert.deepEqual(dispatcher.executeCommand(100, { text: "y" }), { text: "y" });
  assert.throws(() => dispatcher.executeCommand(999), { code: "UNKNOWN_ACTION" });
});

test("a local call runs through the same checks", () => {
  const { dispatcher, executed } = makeFixture();
  assert.throws(() => dispatcher.executeLocal("note.set", { text: 1 }), { code: "INVALID_INPUT" });
  assert.throws(() => dispatcher.executeLocal("locked"), { code: "CAPABILITY_REQUIRED" });
  assert.throws(() => dispatcher.executeLocal("away"), { code: "UNAVAILABLE" });
  assert.throws(() => dispatcher.executeLocal("nothing"), { code: "UNKNOWN_ACTION" });
  assert.deepEqual(executed, []);
  assert.throws(() => dispatcher.executeLocal("liar"), { code: "INVALID_OUTPUT" });
});

test("a modal state makes every action unavailable", () => {
  const dispatcher = dispatcherOf(() => ({}), {
    modal: () => ({ code: "DIALOG", reason: "Busy." }),
  });
  assert.throws(() => dispatcher.executeLocal("a"), { code: "UNAVAILABLE" });
});

test("host calls run one at a time in order of arrival", async () => {
  const gates = [deferred(), deferred(), deferred()];
  /** @type {number[]} */
  const begun = [];
  const dispatcher = dispatcherOf((_, { n }) => {
    begun.push(n);
    return gates[n]?.promise;
  });
  const calls = [0, 1, 2].map((n) => dispatcher.execute({ action: "a", input: { n } }));
  await settle();
  assert.deepEqual(begun, [0]);
  gates[0]?.resolve({});
  await calls[0];
  await settle();
  assert.deepEqual(begun, [0, 1]);
  gates[1]?.reject(new Error("x"));
  await assert.rejects(Promise.resolve(calls[1]));
  await settle();
  assert.deepEqual(begun, [0, 1, 2]);
  gates[2]?.resolve({});
  await calls[2];
});

test("a call whose turn comes after its caller has gone is not begun", async () => {
  const gate = deferred();
  let begun = 0;
  let late = false;
  const dispatcher = dispatcherOf(() => {
    begun++;
    return gate.promise;
  });
  const first = dispatcher.execute({ action: "a", expired: () => late });
  const second = Promise.resolve(dispatcher.execute({ action: "a", expired: () => late }));
  late = true;
  gate.resolve({});
  await first;
  await assert.rejects(second, { code: "UNAVAILABLE" });
  assert.equal(begun, 1);
});

test("a concurrent host opts out of turns", async () => {
  const gate = deferred();
  let begun = 0;
  const dispatcher = dispatcherOf(
    () => {
      begun++;
      return gate.promise;
    },
    { concurrent: true },
  );
  const calls = [1, 2].map(() => dispatcher.execute({ action: "a" }));
  assert.equal(begun, 2);
  gate.resolve({});
  await Promise.all(calls);
});

test("a call that waits for its turn is refused when the dispatcher is disabled meanwhile", async () => {
  const gate = deferred();
  let begun = 0;
  const dispatcher = dispatcherOf(() => {
    begun++;
    return gate.promise;
  });
  const first = dispatcher.execute({ action: "a" });
  const second = Promise.resolve(dispatcher.execute({ action: "a" }));
  second.catch(() => {});
  dispatcher.setEnabled(false);
  assert.throws(() => dispatcher.execute({ action: "a" }), { code: "DISABLED" });
  gate.resolve({});
  await first;
  await assert.rejects(second, { code: "DISABLED" });
  assert.equal(begun, 1);
});

test("a call that lasts longer than five seconds is answered as deferred and gives up its turn", async () => {
  const runtime = new ManualRuntime();
  const slow = deferred();
  const dispatcher = dispatcherOf(
    (action) => (action === "a" ? slow.promise : { b: 1 }),
    {},
    runtime,
  );
  const first = Promise.resolve(dispatcher.execute({ action: "a" }));
  const second = Promise.resolve(dispatcher.execute({ action: "b" }));
  runtime.pass(4_999);
  await settle();
  assert.equal(dispatcher.tasks._tasks.size, 0);
  runtime.pass(1);
  const executed = await first;
  assert.ok(executed.status === "deferred");
  assert.equal(executed.task.state, "running");
  assert.equal(executed.task.progress?.["reason"], "slow");
  assert.deepEqual(await second, { status: "completed", output: { b: 1 }, revision: null });
  slow.resolve({ a: 1 });
  await settle();
  assert.equal(executed.task.state, "completed");
  assert.deepEqual(executed.task.output, { a: 1 });
});

test("a deferred call sees that it is to be cancelled, and is cancelled when it stops", async () => {
  const runtime = new ManualRuntime();
  const slow = deferred();
  /** @type {any} */
  let context;
  const dispatcher = dispatcherOf(
    (_action, _input, given) => {
      context = given;
      return slow.promise;
    },
    {},
    runtime,
  );
  const first = Promise.resolve(dispatcher.execute({ action: "a", session: "s" }));
  runtime.pass(5_000);
  const executed = await first;
  assert.ok(executed.status === "deferred");
  assert.equal(context.session, "s");
  assert.equal(context.cancelRequested(), false);
  executed.task.cancel();
  assert.equal(executed.task.state, "cancelling");
  assert.equal(context.cancelRequested(), true);
  slow.reject(new Error("stopped"));
  await settle();
  assert.equal(executed.task.state, "cancelled");
});

test("a deferred call whose output breaks its schema fails as a task", async () => {
  const runtime = new ManualRuntime();
  const slow = deferred();
  const dispatcher = dispatcherOf(() => slow.promise, {}, runtime);
  const first = Promise.resolve(dispatcher.execute({ action: "a" }));
  runtime.pass(5_000);
  const executed = await first;
  slow.resolve("no object");
  await settle();
  assert.ok(executed.status === "deferred");
  assert.equal(executed.task.state, "failed");
  assert.ok(executed.task.error instanceof AppError);
});

test("unfinished tasks are bounded and finished ones make room", () => {
  const { dispatcher } = makeFixture();
  const tasks = Array.from({ length: 256 }, () => dispatcher.tasks.create("a"));
  assert.throws(() => dispatcher.tasks.create("a"), { code: "LIMIT_EXCEEDED" });
  tasks[5]?.complete({});
  assert.equal(dispatcher.tasks.create("a").id, "task-257");
  assert.throws(() => dispatcher.tasks.get("task-6"), { code: "UNKNOWN_TASK" });
});

test("a task that has ended takes no step", () => {
  const { dispatcher } = makeFixture();
  const task = dispatcher.tasks.create("a");
  task.start();
  task.complete({ x: 1 });
  task.cancel();
  task.fail(new Error("late"));
  task.report({ late: true });
  assert.equal(task.checkpoint(), false);
  assert.deepEqual([task.state, task.output, task.progress], ["completed", { x: 1 }, undefined]);
});

test("observers see each call begin and end, and what they throw changes nothing", () => {
  const { dispatcher } = makeFixture();
  /** @type {any[]} */
  const events = [];
  const stop = dispatcher.onCall((event) => {
    events.push(event);
    throw new Error("observer");
  });
  dispatcher.executeLocal("note.read");
  assert.throws(() => dispatcher.executeLocal("fails"));
  stop();
  dispatcher.executeLocal("note.read");
  assert.deepEqual(
    events.map(({ phase, action, ok, code }) => [phase, action, ok, code]),
    [
      ["begin", "note.read", undefined, undefined],
      ["end", "note.read", true, undefined],
      ["begin", "fails", undefined, undefined],
      ["end", "fails", false, "HOST_ERROR"],
    ],
  );
});

test("observers see the way from outside opened and shut, and what they throw changes nothing", () => {
  const { dispatcher } = makeFixture();
  dispatcher.setEnabled(false);
  /** @type {boolean[]} */
  const seen = [];
  const stop = dispatcher.onEnabledChange((enabled) => {
    seen.push(enabled);
    throw new Error("observer");
  });
  dispatcher.setEnabled(true);
  dispatcher.setEnabled(true);
  dispatcher.setEnabled(/** @type {any} */ ("yes"));
  assert.equal(dispatcher.enabled, false);
  stop();
  dispatcher.setEnabled(true);
  assert.deepEqual(seen, [true, false]);
});

test("a host that breaks its promises gives HOST_ERROR and nothing else", async () => {
  /** @type {[string, Partial<Host>][]} */
  const broken = [
    ["actions throws", { actions: () => { throw new Error("secret"); } }],
    ["actions is no list", { actions: () => /** @type {any} */ (5) }],
    ["actions twice", { actions: () => [ActionSpec.read("a", "A"), ActionSpec.read("a", "A")] }],
    ["revision is text", { revision: () => /** @type {any} */ ("7") }],
    ["capabilities are text", {
      actions: () => [ActionSpec.read("a", "A", { capabilities: 1 })],
      capabilities: () => /** @type {any} */ ("1"),
    }],
    ["revision is a fraction", { revision: () => 1.5 }],
    ["availability throws", { availability: () => { throw new Error("secret"); } }],
    ["execute rejects", { execute: () => Promise.reject(new Error("secret")) }],
  ]; // prettier-ignore
  for (const [name, more] of broken) {
    const dispatcher = dispatcherOf(() => ({}), more);
    const answer = await new RpcSession(dispatcher).receive(EXECUTE_A);
    assert.ok(answer?.includes('"HOST_ERROR"'), `${name}: ${answer}`);
    assert.ok(!answer?.includes("secret"), name);
  }
});

test("what cannot be JSON is INVALID_OUTPUT", async () => {
  for (const output of [() => {}, { a: undefined }, { a: NaN }, new Map(), { a: "\ud800" }]) {
    const dispatcher = dispatcherOf(() => output);
    assert.throws(() => dispatcher.executeLocal("a"), { code: "INVALID_OUTPUT" });
  }
});

test("a call that waits for a person is answered at once and gives up its turn", async () => {
  const runtime = new ManualRuntime();
  const person = deferred();
  /** @type {any} */
  let context;
  const dispatcher = dispatcherOf(
    (action, _input, given) => {
      if (action === "b") return {};
      context = given;
      given.defer("person", "Confirm it in the page.");
      return person.promise;
    },
    {},
    runtime,
  );
  const executed = await dispatcher.execute({ action: "a" });
  assert.ok(executed.status === "deferred");
  assert.deepEqual(
    { ...executed.task.progress },
    { reason: "person", message: "Confirm it in the page." },
  );
  assert.deepEqual(dispatcher.execute({ action: "b" }), {
    status: "completed",
    output: {},
    revision: null,
  });
  context.defer("upload", "Half of it is there.");
  assert.equal(executed.task.progress?.["reason"], "upload");
  assert.throws(() => context.defer("upload", "x".repeat(5_000)));
  // However long that lasts: it still waits for the same.
  runtime.pass(60_000);
  assert.equal(executed.task.progress?.["reason"], "upload");
  person.resolve({ ok: true });
  await settle();
  assert.equal(executed.task.state, "completed");
  context.defer("late", "Nobody hears it.");
  assert.equal(executed.task.progress, undefined, "what has ended waits for nobody");
});

test("what a handler asks to defer and then answers at once is completed", () => {
  const dispatcher = dispatcherOf((_action, _input, { defer }) => {
    defer("person", "Never mind.");
    return { done: true };
  });
  assert.deepEqual(dispatcher.execute({ action: "a" }), {
    status: "completed",
    revision: null,
    output: { done: true },
  });
  assert.equal(dispatcher.tasks._tasks.size, 0);
});

test("a local call that lasts too long is not deferred, but gives up its turn", async () => {
  const runtime = new ManualRuntime();
  const slow = deferred();
  const dispatcher = dispatcherOf((action) => (action === "a" ? slow.promise : {}), {}, runtime);
  const local = Promise.resolve(dispatcher.executeLocal("a"));
  const second = Promise.resolve(dispatcher.execute({ action: "b" }));
  runtime.pass(5_000);
  assert.equal((await second).status, "completed");
  slow.resolve({ a: 1 });
  assert.deepEqual(await local, { a: 1 });
});

test("an inspection's answer is of its own moment, whatever the next call does to the state", async () => {
  const live = { document: { text: "old" } };
  const dispatcher = dispatcherOf(
    () => {
      live.document.text = "new";
      return {};
    },
    { inspect: () => live },
  );
  const session = new RpcSession(dispatcher, "s");
  const [seen, done] = await Promise.all([
    session.receive('{"jsonrpc":"2.0","id":1,"method":"state/inspect"}'),
    session.receive('{"jsonrpc":"2.0","id":2,"method":"actions/execute","params":{"action":"a"}}'),
  ]);
  assert.equal(JSON.parse(seen ?? "").result.document.text, "old");
  assert.equal(JSON.parse(done ?? "").result.status, "completed");
});

test("an inspection that hangs gives up its turn", async () => {
  const runtime = new ManualRuntime();
  const dispatcher = dispatcherOf(() => ({}), { inspect: () => new Promise(() => {}) }, runtime);
  const session = new RpcSession(dispatcher);
  void session.receive('{"jsonrpc":"2.0","id":1,"method":"state/inspect"}');
  const second = Promise.resolve(dispatcher.execute({ action: "a" }));
  runtime.pass(5_000);
  assert.equal((await second).status, "completed");
});

test("with no place for another task a slow call is answered when it ends, without its turn", async () => {
  const runtime = new ManualRuntime();
  const slow = deferred();
  const dispatcher = dispatcherOf((action) => (action === "a" ? slow.promise : {}), {}, runtime);
  for (let n = 0; n < 256; n++) dispatcher.tasks.create("b");
  const first = Promise.resolve(dispatcher.execute({ action: "a" }));
  const second = Promise.resolve(dispatcher.execute({ action: "b" }));
  runtime.pass(5_000);
  assert.equal((await second).status, "completed");
  slow.resolve({ a: 1 });
  assert.deepEqual(await first, { status: "completed", output: { a: 1 }, revision: null });
});

test("ten thousand calls that wait for one turn all get theirs", async () => {
  const gate = deferred();
  let begun = 0;
  const dispatcher = dispatcherOf((action) => {
    begun++;
    return action === "a" ? gate.promise : {};
  });
  const first = dispatcher.execute({ action: "a" });
  const rest = Array.from({ length: 10_000 }, () => dispatcher.execute({ action: "b" }));
  gate.resolve({});
  await first;
  await Promise.all(rest);
  assert.equal(begun, 10_001);
});

test("a task's output is what its action promises, whenever it was completed", () => {
  /** @type {import("../../../browser_worker/dispatcher/task_table.js").Task[]} */
  const tasks = [];
  const outputSchema = { type: "object", properties: { text: { type: "string" } } };
  /** @type {Dispatcher} */
  const dispatcher = dispatcherOf(
    (action, input) => {
      const task = dispatcher.tasks.create(action);
      tasks.push(task);
      if (input.early !== undefined) task.complete(input.early);
      return task;
    },
    { actions: () => [ActionSpec.read("a", "A", { ...ANY, outputSchema })] },
  );
  dispatcher.executeLocal("a", { early: { text: 1 } });
  dispatcher.executeLocal("a", { early: { text: "x" } });
  dispatcher.executeLocal("a", {});
  dispatcher.executeLocal("a", {});
  tasks[2]?.complete({ text: 1 });
  tasks[3]?.complete(/** @type {any} */ (() => {}));
  assert.deepEqual(
    tasks.map(({ state, error }) => [state, error instanceof AppError ? error.code : error]),
    [
      ["failed", "INVALID_OUTPUT"],
      ["completed", undefined],
      ["failed", "INVALID_OUTPUT"],
      ["failed", "INVALID_OUTPUT"],
    ],
  );
});

test("a task keeps what it was told, whatever the app does to its own objects later", () => {
  const { dispatcher } = makeFixture();
  const task = dispatcher.tasks.create("a");
  /** @type {Record<string, any>} */
  const data = { n: 1 };
  task.report(data);
  data["n"] = () => {};
  assert.deepEqual(task.progress, { n: 1 });
  for (const progress of [5, [], null, { f: () => {} }, { t: "x".repeat(4_096) }]) {
    assert.throws(() => task.report(/** @type {any} */ (progress)));
  }
});

test("a task of another dispatcher is a failure of the host", async () => {
  const stranger = makeFixture().dispatcher.tasks.create("a");
  const session = new RpcSession(dispatcherOf(() => stranger));
  assert.match((await session.receive(EXECUTE_A)) ?? "", /"HOST_ERROR"/);
});

test("what a host throws is told to the app and to nobody else", async () => {
  const thrown = new Error("secret");
  /** @type {unknown[]} */
  const told = [];
  const dispatcher = new Dispatcher(
    {
      actions: () => [ActionSpec.read("a", "A")],
      revision: () => null,
      capabilities: () => 0,
      execute() {
        throw thrown;
      },
    },
    {
      app: APP,
      onHostError(error) {
        told.push(error);
        throw new Error("listener");
      },
    },
  );
  dispatcher.setEnabled(true);
  const session = new RpcSession(dispatcher);
  const answer = await session.receive(EXECUTE_A);
  await session.receive('{"jsonrpc":"2.0","id":1,"method":"nothing"}');
  await session.receive('{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{"id":"x"}}');
  assert.deepEqual(told, [thrown]);
  assert.ok(!answer?.includes("secret"));
});

test("whatever a host throws, the answer is one line with the request's id", async () => {
  const unreadable = new Proxy(
    {},
    {
      getPrototypeOf() {
        throw new Error("secret");
      },
    },
  );
  const bent = new AppError("UNAVAILABLE", "Bent");
  Object.defineProperty(bent, "code", { value: "constructor" });
  /** @type {[unknown, string][]} */
  const cases = [
    [undefined, "HOST_ERROR"],
    [null, "HOST_ERROR"],
    ["secret", "HOST_ERROR"],
    [unreadable, "HOST_ERROR"],
    [bent, "HOST_ERROR"],
    [new AppError("UNAVAILABLE", "\ud800"), "UNAVAILABLE"],
    [new AppError("UNAVAILABLE", "x".repeat(300_000)), "UNAVAILABLE"],
    [new AppError("UNAVAILABLE", "x", { f: () => {} }), "UNAVAILABLE"],
    [new AppError("UNAVAILABLE", "x", { list: Array(4).fill("x".repeat(262_130)) }), "UNAVAILABLE"],
    [new AppError("UNAVAILABLE", "x", { code: "DISABLED" }), "UNAVAILABLE"],
  ];
  for (const [thrown, code] of cases) {
    for (const later of [false, true]) {
      const dispatcher = dispatcherOf(() => {
        if (later) return Promise.reject(thrown);
        throw thrown;
      });
      dispatcher.onCall(() => {});
      const answer = await new RpcSession(dispatcher).receive(EXECUTE_A);
      const message = parse(answer ?? "");
      assert.equal(message.id, 1);
      assert.equal(message.error.data.code, code);
      assert.ok(!answer?.includes("secret"));
    }
  }
  assert.throws(() => new AppError(/** @type {any} */ ("constructor"), "x"), TypeError);
});

test("a call that fails with nothing at all has failed", async () => {
  const dispatcher = dispatcherOf(() => Promise.reject(undefined));
  /** @type {any[]} */
  const events = [];
  dispatcher.onCall((event) => void events.push(event));
  await assert.rejects(Promise.resolve(dispatcher.execute({ action: "a" })));
  assert.deepEqual([events[1].ok, events[1].code, events[1].kind], [false, "HOST_ERROR", "read"]);
});

test("what only calls itself a promise settles once", async () => {
  const twice = {
    /** @param {(value: unknown) => void} yes @param {(error: unknown) => void} no */
    then(yes, no) {
      yes({ n: 1 });
      no(new Error("secret"));
      yes({ n: 2 });
      throw new Error("secret");
    },
  };
  const dispatcher = dispatcherOf(() => twice, {
    actions: () =>
      /** @type {any} */ ({
        then: (/** @type {any} */ yes) => void yes([ActionSpec.read("a", "A", ANY)]),
      }),
  });
  const answer = parse((await new RpcSession(dispatcher).receive(EXECUTE_A)) ?? "");
  assert.deepEqual(answer.result.output, { n: 1 });
});

test("a schema is what it was when the action was described", () => {
  /** @type {Record<string, any>} */
  const schema = { type: "object", properties: { n: { type: "integer" } } };
  const spec = ActionSpec.read("a", "A", { inputSchema: schema });
  schema["properties"].n.type = "string";
  assert.deepEqual(spec.input.errors({ n: 1 }), []);
  assert.deepEqual(spec.inputSchema, { type: "object", properties: { n: { type: "integer" } } });
});

test("a schema that could not be sent is refused when the action is described", () => {
  /** @param {number} depth */
  const nested = (depth) => {
    /** @type {any} */
    let schema = {};
    for (let n = 1; n < depth; n++) schema = { not: schema };
    return schema;
  };
  assert.ok(ActionSpec.read("a", "A", { inputSchema: nested(29) }));
  assert.throws(() => ActionSpec.read("a", "A", { inputSchema: nested(30) }), TypeError);
  assert.throws(() => ActionSpec.read("a", "A", { outputSchema: { default: NaN } }), TypeError);
});

test("the deepest schema that is taken can be described", async () => {
  /** @type {any} */
  let inputSchema = {};
  for (let n = 1; n < 29; n++) inputSchema = { not: inputSchema };
  const dispatcher = dispatcherOf(() => ({}), {
    actions: () => [ActionSpec.read("a", "A", { inputSchema })],
  });
  const line = '{"jsonrpc":"2.0","id":1,"method":"actions/describe","params":{"action":"a"}}';
  assert.match((await new RpcSession(dispatcher).receive(line)) ?? "", /"result"/);
});

test("names and options of actions are checked", () => {
  for (const name of ["", "a b", "é", "x".repeat(129), "a/b"]) {
    assert.throws(() => ActionSpec.read(name, "d"), TypeError);
  }
  assert.equal(ActionSpec.read("x".repeat(128), "d").kind, "read");
  assert.equal(ActionSpec.write("A.b_c-9", "d").kind, "write");
  assert.throws(() => ActionSpec.read("a", ""), TypeError);
  assert.throws(() => ActionSpec.read("a", "d", { commandId: 1.5 }), TypeError);
  for (const capabilities of [
    -1,
    -1n,
    1.5,
    2 ** 53,
    /** @type {any} */ ("1"),
    /** @type {any} */ (true),
  ]) {
    assert.throws(() => ActionSpec.read("a", "d", { capabilities }), TypeError);
  }
  assert.equal(ActionSpec.read("a", "d", { capabilities: 2n ** 64n }).capabilities, 2n ** 64n);
});
