// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";

import { RpcSession } from "../../../browser_worker/dispatcher/rpc_session.js";
import { makeFixture } from "../support/fixture_host.js";
import { ManualRuntime } from "../support/manual_runtime.js";
import { listApp, settle } from "./support/list_app.js";

const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
};

/** @param {unknown} id @param {string} name @param {object} given @param {object} [meta] */
const call = (id, name, given, meta = {}) =>
  JSON.stringify({
    jsonrpc: "2.0",
    id,
    method: "tools/call",
    params: { name, arguments: given, _meta: { ...META, ...meta } },
  });
/** @param {unknown} requestId */
const cancelled = (requestId) =>
  JSON.stringify({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId } });

function fixture() {
  const runtime = new ManualRuntime();
  const made = makeFixture({ runtime });
  /** @type {any[]} */
  const notified = [];
  const session = new RpcSession(made.dispatcher, "s", {
    protocol: "mcp",
    notify: (line) => void notified.push(JSON.parse(line).params),
  });
  return { ...made, runtime, notified, session };
}

/** A task that a test drives. @param {ReturnType<typeof fixture>} app */
function task({ dispatcher }) {
  const made = dispatcher.tasks.create("a");
  made.start();
  return made;
}

/** @param {Promise<string | undefined>} answer */
async function structured(answer) {
  return JSON.parse((await answer) ?? "").result.structuredContent;
}

test("a call that waits for its turn and is cancelled is not begun, and answered by nothing", async () => {
  const { session, tick, notes } = fixture();
  const first = session.receive(call(1, "actions_execute", { action: "slow" }));
  const second = session.receive(call(2, "actions_execute", { action: "note.read" }));
  assert.equal(await session.receive(cancelled(2)), undefined);
  await settle();
  tick();
  assert.match((await first) ?? "", /"completed"/);
  assert.equal(await second, undefined);
  assert.ok(!notes.log.includes("note.read"));
  await session.receive(call(2, "actions_execute", { action: "note.read" }));
  assert.ok(notes.log.includes("note.read"), "the id is free again");
});

test("a call that has begun goes on when it is cancelled, and is answered by nothing", async () => {
  const { session, tick, notes } = fixture();
  const given = { action: "slow.set", input: { text: "x" }, expectedRevision: 7 };
  const running = session.receive(call("a", "actions_execute", given));
  await session.receive(cancelled("a"));
  tick();
  assert.equal(await running, undefined);
  assert.equal(notes.texts.note, "x");
});

test("only a request of the very id is cancelled", async () => {
  for (const other of [1, "2", 3]) {
    const { session, tick } = fixture();
    const running = session.receive(call(2, "actions_execute", { action: "slow" }));
    await session.receive(cancelled(other));
    tick();
    assert.match((await running) ?? "", /"id":2/);
  }
  const { session, tick } = fixture();
  const running = session.receive(call(2, "actions_execute", { action: "slow" }));
  await session.receive(cancelled(2).replace("2}", "2.0}"));
  tick();
  assert.match((await running) ?? "", /"id":2/);
});

test("who waits for a task is answered when it ends, and told at each change before", async () => {
  const app = fixture();
  const work = task(app);
  const token = { progressToken: "p" };
  const waiting = app.session.receive(
    call(1, "task_status", { id: work.id, waitMs: 25_000 }, token),
  );
  await settle();
  work.report({ message: "Half of it." });
  work.report({ message: "Half of it." });
  work.report({ done: 3 });
  work.cancel();
  work.complete({ n: 1 });
  work.report({ message: "too late" });
  const told = await structured(waiting);
  assert.deepEqual([told.task.state, told.task.output], ["completed", { n: 1 }]);
  assert.deepEqual(app.notified, [
    { progressToken: "p", progress: 1, message: "running" },
    { progressToken: "p", progress: 2, message: "Half of it." },
    { progressToken: "p", progress: 3, message: "running" },
    { progressToken: "p", progress: 4, message: "cancelling" },
  ]);
  assert.equal(app.runtime.timers.size, 0);
});

test("without a token nobody is told, and after the time the task is told as it stands", async () => {
  const app = fixture();
  const work = task(app);
  const waiting = app.session.receive(call(1, "task_status", { id: work.id, waitMs: 100 }));
  await settle();
  work.report({ message: "On its way." });
  app.runtime.pass(99);
  await settle();
  assert.equal(app.runtime.timers.size, 1);
  app.runtime.pass(1);
  assert.equal((await structured(waiting)).task.state, "running");
  assert.deepEqual(app.notified, []);
  work.complete({});
});

test("a wait holds no turn", async () => {
  const app = fixture();
  const work = task(app);
  const waiting = app.session.receive(call(1, "task_status", { id: work.id, waitMs: 100 }));
  const other = app.session.receive(call(2, "actions_execute", { action: "note.read" }));
  assert.equal((await structured(other)).status, "completed");
  work.complete({});
  assert.equal((await structured(waiting)).task.state, "completed");
});

test("a wait ends at once when it is cancelled, and nobody is told any more", async () => {
  const app = fixture();
  const work = task(app);
  const token = { progressToken: 5 };
  const waiting = app.session.receive(call(1, "task_status", { id: work.id, waitMs: 100 }, token));
  await app.session.receive(cancelled(1));
  assert.equal(await waiting, undefined);
  work.report({ message: "Nobody hears." });
  assert.equal(app.notified.length, 1);
  assert.equal(app.runtime.timers.size, 0);
});

test("a wait ends as DISABLED when the app is shut to callers outside", async () => {
  const app = fixture();
  const work = task(app);
  const waiting = app.session.receive(call(1, "task_status", { id: work.id, waitMs: 100 }));
  await settle();
  app.dispatcher.setEnabled(false);
  assert.equal((await structured(waiting)).error.data.code, "DISABLED");
});

test("where no time passes, and for a task that has ended, nobody waits", async () => {
  const { dispatcher } = listApp();
  const timeless = makeFixture();
  for (const each of [timeless.dispatcher, dispatcher]) {
    const work = each.tasks.create("a");
    if (each === dispatcher) work.complete({});
    const session = new RpcSession(each, undefined, { protocol: "mcp" });
    const told = await structured(
      session.receive(call(1, "task_status", { id: work.id, waitMs: 25_000 })),
    );
    assert.equal(told.task.state, work.state);
  }
});

test("who takes progress lines and throws changes nothing", async () => {
  const { dispatcher, runtime } = fixture();
  const session = new RpcSession(dispatcher, undefined, {
    protocol: "mcp",
    notify: () => {
      throw new Error("not the caller's business");
    },
  });
  const work = dispatcher.tasks.create("a");
  const token = { progressToken: "p" };
  const waiting = session.receive(call(1, "task_status", { id: work.id, waitMs: 10 }, token));
  await settle();
  runtime.pass(10);
  assert.equal((await structured(waiting)).task.state, "queued");
});

test("what a host throws in a tool or a resource is told to the app, and to no client", async () => {
  const { dispatcher, errors } = listApp(() => ({
    resources: () => {
      throw new Error("secret of the host");
    },
  }));
  const session = new RpcSession(dispatcher, undefined, { protocol: "mcp" });
  const list = '{"jsonrpc":"2.0","id":1,"method":"resources/list"}';
  assert.match((await session.receive(list)) ?? "", /"code":1018.*"HOST_ERROR"/);
  assert.equal(errors.length, 1);
});

test("a resource that gives itself byte by byte is read in one turn", async () => {
  /** @type {number[]} */
  const offsets = [];
  const { dispatcher, log } = listApp(() => ({
    async readResource(_uri, offset) {
      offsets.push(offset);
      await settle();
      return { mimeType: "text/plain", size: 4, data: Uint8Array.of(97 + offset) };
    },
  }));
  const session = new RpcSession(dispatcher, undefined, { protocol: "mcp" });
  const read = '{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"a:b"}}';
  const reading = session.receive(read);
  const other = session.receive(call(2, "actions_execute", { action: "words" }));
  await settle();
  assert.deepEqual([offsets.length < 4, log], [true, []]);
  assert.equal(JSON.parse((await reading) ?? "").result.contents[0].text, "abcd");
  await other;
  assert.deepEqual(offsets, [0, 1, 2, 3]);
  assert.deepEqual(log, ["words"]);
});

test("a synchronous resource of very many parts does not exhaust the stack", async () => {
  const size = 100_000;
  const { dispatcher } = listApp(() => ({
    readResource: () => ({ mimeType: "text/plain", size, data: Uint8Array.of(97) }),
  }));
  const session = new RpcSession(dispatcher, undefined, { protocol: "mcp" });
  const read = '{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"a:b"}}';
  const { text } = JSON.parse((await session.receive(read)) ?? "").result.contents[0];
  assert.equal(text.length, size);
});
