// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";

import fc from "fast-check";

import { parse } from "../../../browser_worker/contract/strict_json.js";
import { ActionSpec } from "../../../browser_worker/dispatcher/action_spec.js";
import { AppError } from "../../../browser_worker/dispatcher/app_error.js";
import { Dispatcher } from "../../../browser_worker/dispatcher/dispatcher.js";
import { RpcSession } from "../../../browser_worker/dispatcher/rpc_session.js";
import { makeFixture } from "../support/fixture_host.js";
import { ManualRuntime } from "../support/manual_runtime.js";

/** @import { Host } from "../../../browser_worker/dispatcher/host.js" */

const APP = { name: "Test", version: "1" };
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
  assert.deepEqual(await second, { status: "completed", output: { b: 1 } });
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

test("a host that breaks its promises gives HOST_ERROR and nothing else", async () => {
  /** @type {[string, Partial<Host>][]} */
  const broken = [
    ["actions throws", { actions: () => { throw new Error("secret"); } }],
    ["actions is no list", { actions: () => /** @type {any} */ (5) }],
    ["actions twice", { actions: () => [ActionSpec.read("a", "A"), ActionSpec.read("a", "A")] }],
    ["revision is text", { revision: () => /** @type {any} */ ("7") }],
    ["revision is a fraction", { revision: () => 1.5 }],
    ["availability throws", { availability: () => { throw new Error("secret"); } }],
    ["execute rejects", { execute: () => Promise.reject(new Error("secret")) }],
  ]; // prettier-ignore
  for (const [name, more] of broken) {
    const dispatcher = dispatcherOf(() => ({}), more);
    const line = '{"jsonrpc":"2.0","id":1,"method":"actions/execute","params":{"action":"a"}}';
    const answer = await new RpcSession(dispatcher).receive(line);
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

test("names and options of actions are checked", () => {
  for (const name of ["", "a b", "é", "x".repeat(129), "a/b"]) {
    assert.throws(() => ActionSpec.read(name, "d"), TypeError);
  }
  assert.equal(ActionSpec.read("x".repeat(128), "d").kind, "read");
  assert.equal(ActionSpec.write("A.b_c-9", "d").kind, "write");
  assert.throws(() => ActionSpec.read("a", ""), TypeError);
  assert.throws(() => ActionSpec.read("a", "d", { commandId: 1.5 }), TypeError);
  assert.throws(() => ActionSpec.read("a", "d", { capabilities: -1 }), TypeError);
});

test("any line gives one strict line or silence", async () => {
  const { dispatcher } = makeFixture();
  const session = new RpcSession(dispatcher);
  const members = fc.record(
    {
      jsonrpc: fc.constantFrom("2.0", "1.0"),
      id: fc.oneof(fc.integer(), fc.string(), fc.jsonValue()),
      method: fc.constantFrom(
        "actions/list",
        "actions/execute",
        "agent/info",
        "state/inspect",
        "x",
      ),
      params: fc.oneof(
        fc.jsonValue(),
        fc.record({
          action: fc.constantFrom("note.set", "note.read", "fails"),
          input: fc.jsonValue(),
        }),
      ),
    },
    { requiredKeys: [] },
  );
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(
        fc.string(),
        fc.json(),
        members.map((m) => JSON.stringify(m)),
      ),
      async (line) => {
        const answer = await session.receive(line);
        if (answer === undefined) return;
        const message = parse(answer);
        assert.equal(message.jsonrpc, "2.0");
        assert.ok("result" in message !== "error" in message);
      },
    ),
    { numRuns: 500 },
  );
});
