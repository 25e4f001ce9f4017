// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";

import { AgentEndpoint } from "../../../../browser_worker/dispatcher/agent_endpoint.js";
import { Dispatcher } from "../../../../browser_worker/dispatcher/dispatcher.js";
import { KernelHost } from "../../../../browser_worker/kernel/terminal/kernel_host.js";
import { registerWithModelContext } from "../../../../browser_worker/webmcp/register_actions.js";
import { makeKernel } from "../../support/test_kernel.js";
import { ChromiumContext } from "../../webmcp/support/model_contexts.js";

/** A workspace whose owner a test is. */
function workspace() {
  /** @type {{ question: any, signal: AbortSignal, decide: (decision: any) => void }[]} */
  const asked = [];
  /** What is refused without a question. @type {{ now: any }} */
  const refuses = { now: null };
  const made = makeKernel({
    policy: {
      decide: (question, signal, waiting) => {
        if (question.tool === null) return { allow: true };
        if (refuses.now !== null) return Promise.resolve(refuses.now);
        waiting();
        return new Promise((decide) => void asked.push({ question, signal, decide }));
      },
    },
  });
  const { kernel, time, ports, connect, powers } = made;
  const notes = connect("notes");
  notes.app.expose({
    add: { handler: () => ({ added: true }) },
    hold: { handler: () => undefined },
  });
  const shell = { focusedEndpoint: null, openTile: () => Promise.reject(new Error("none")) };
  const dispatcher = new Dispatcher(new KernelHost({ kernel, shell, powers }), {
    app: { name: "W", version: "1" },
    runtime: /** @type {any} */ (runtimeOf(time)),
  });
  dispatcher.setEnabled(true);
  const endpoint = new AgentEndpoint(dispatcher);
  let ids = 0;
  /** Lets everything run that waits for nobody. */
  const settle = async () => {
    for (let turn = 0; turn < 5; turn++) {
      await ports.settle();
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  /** @param {string} session @param {string} method @param {any} params */
  const request = async (session, method, params) => {
    await settle();
    const line = JSON.stringify({ jsonrpc: "2.0", id: ++ids, method, params });
    const answer = endpoint.request(line, { session });
    await settle();
    return JSON.parse((await answer) ?? "null");
  };
  return { ...made, dispatcher, notes, asked, refuses, request, endpoint, settle };
}

/** @param {import("../../support/manual_runtime.js").ManualRuntime} time */
function runtimeOf(time) {
  return { now: time.now, after: time.after };
}

/** @param {{ received: any[] }} app */
function runsOf({ received }) {
  return received.filter(({ payload }) => payload?.action === "tools.invoke").length;
}

const ADD = { action: "app.notes.add", input: {} };

test("a call that the owner is asked for is answered at once as deferred, and says why", async () => {
  const { asked, request } = workspace();
  const { result } = await request("s", "actions/execute", ADD);
  assert.equal(result.status, "deferred");
  assert.equal(result.task.progress.reason, "consent");
  assert.match(result.task.progress.message, /in the page/);
  assert.equal(asked[0]?.question.caller, "external:bridge:s");
  assert.equal(asked[0]?.question.root.kind, "external");
  asked[0]?.decide({ allow: true });
  const told = await request("s", "tasks/get", { id: result.task.id });
  assert.equal(told.result.task.state, "completed");
  assert.deepEqual(told.result.task.output, { added: true });
});

test("after the yes it waits for nobody any more, and says so", async () => {
  const { asked, request } = workspace();
  const { result } = await request("s", "actions/execute", { ...ADD, action: "app.notes.hold" });
  asked[0]?.decide({ allow: true });
  const told = await request("s", "tasks/get", { id: result.task.id });
  assert.equal(told.result.task.state, "running");
  assert.equal(told.result.task.progress.reason, "running");
});

test("a no is told as what is not available, with the bus's own code", async () => {
  const { asked, request } = workspace();
  const { result } = await request("s", "actions/execute", ADD);
  asked[0]?.decide({ allow: false, code: "OWNER_REQUIRED", message: "No.", retryAfterMs: 10_000 });
  const told = await request("s", "tasks/get", { id: result.task.id });
  const { error } = told.result.task;
  assert.equal(error.data.code, "UNAVAILABLE");
  assert.equal(error.data.availability.code, "OWNER_REQUIRED");
  assert.equal(error.data.retryAfterMs, 10_000);
});

test("a session that is closed ends its calls and its question, and no other's", async () => {
  const { asked, request, endpoint, kernel } = workspace();
  const one = await request("one", "actions/execute", ADD);
  await request("other", "actions/execute", ADD);
  /** @type {string[]} */
  const ended = [];
  kernel.addKeeper({ endSession: (caller) => void ended.push(caller) });
  endpoint.closeSession("one");
  assert.deepEqual(ended, ["external:bridge:one"]);
  assert.deepEqual(
    asked.map(({ signal }) => signal.aborted),
    [true, false],
  );
  const told = await request("one", "tasks/get", { id: one.result.task.id });
  assert.equal(told.result.task.state, "failed");
  assert.equal(kernel.callsInFlight, 1);
});

test("a task that is cancelled takes the question away", async () => {
  const { asked, request, time, kernel } = workspace();
  const { result } = await request("s", "actions/execute", ADD);
  await request("s", "tasks/cancel", { id: result.task.id });
  time.pass(250);
  assert.equal(asked[0]?.signal.aborted, true);
  assert.equal(kernel.callsInFlight, 0);
});

test("a yes to a question that was taken back a moment ago runs nothing", async () => {
  const { asked, request, kernel, notes } = workspace();
  const { result } = await request("s", "actions/execute", ADD);
  await request("s", "tasks/cancel", { id: result.task.id });
  asked[0]?.decide({ allow: true });
  const told = await request("s", "tasks/get", { id: result.task.id });
  assert.equal(told.result.task.state, "cancelled");
  assert.equal(kernel.callsInFlight, 0);
  assert.equal(runsOf(notes.app), 0);
  // The same answer lets one run that nobody took back.
  const kept = await request("s", "actions/execute", ADD);
  asked[1]?.decide({ allow: true });
  const done = await request("s", "tasks/get", { id: kept.result.task.id });
  assert.equal(done.result.task.state, "completed");
  assert.equal(runsOf(notes.app), 1);
});

test("the audit that a terminal reads has nothing of what is private", async () => {
  const { request, kernel, notes, ports } = workspace();
  kernel.private.on("agent.mode.status", () => ({ enabled: false }));
  const id = notes.app.ask("agent.mode.status", {});
  await ports.settle();
  assert.ok(notes.app.response(id).ok);
  assert.equal(kernel.audit.entries().length, 1);
  await request("s", "actions/execute", { action: "workspace.apps.list", input: {} });
  const { result } = await request("s", "actions/execute", {
    action: "workspace.audit.list",
    input: {},
  });
  assert.ok(!JSON.stringify(result).includes("agent.mode"));
  assert.ok(!JSON.stringify(result).includes("private"));
  assert.match(JSON.stringify(result), /apps\.list/);
});

test("a terminal is told what it was allowed itself, and nothing of others", async () => {
  const { kernel, powers, settle } = workspace();
  const grant = { tool: "*", since: 5, scope: "session", target: "notes" };
  const all = [
    { ...grant, subject: "external:bridge:s" },
    { ...grant, subject: "external:bridge:s", target: null, tool: "notes_add" },
    { ...grant, subject: "external:bridge:other" },
    { ...grant, subject: "app:notes" },
  ];
  const shell = { focusedEndpoint: null, openTile: () => Promise.reject(new Error("none")) };
  const grants = { all: () => /** @type {any} */ (all) };
  const host = new KernelHost({ kernel, shell, powers, grants });
  const context = /** @type {any} */ ({ session: "s" });
  const answer = host.execute("workspace.grants.list", {}, context);
  await settle();
  assert.deepEqual(await answer, {
    grants: [
      { app: "notes", tool: "*", since: 5, ends: "session" },
      { app: null, tool: "notes_add", since: 5, ends: "session" },
    ],
  });
});

test("where nobody is asked, nobody is told so: a no that is still heard is the answer", async () => {
  const { refuses, request } = workspace();
  refuses.now = { allow: false, code: "OWNER_REQUIRED", message: "No.", retryAfterMs: 9_000 };
  const { result, error } = await request("s", "actions/execute", ADD);
  assert.equal(result, undefined);
  assert.equal(error.data.code, "UNAVAILABLE");
  assert.equal(error.data.retryAfterMs, 9_000);
});

test("an agent of the browser is a caller outside: the owner is asked, and what was allowed ends with its tools", async () => {
  const { asked, dispatcher, settle, kernel, notes } = workspace();
  const context = new ChromiumContext();
  const stop = registerWithModelContext(dispatcher, {
    modelContext: /** @type {any} */ (context),
    warn: assert.fail,
  });
  await settle();
  const tool = (await context.getTools()).find(({ name }) => name === "app.notes.add");
  assert.ok(tool);
  /** @type {string[]} */
  const ended = [];
  kernel.addKeeper({ endSession: (caller) => void ended.push(caller) });
  const allowed = context.executeTool(tool, {});
  await settle();
  const caller = asked[0]?.question.caller;
  assert.match(caller, /^external:bridge:browser\/\d+$/);
  assert.equal(asked[0]?.question.root.kind, "external");
  assert.equal(runsOf(notes.app), 0);
  asked[0]?.decide({ allow: true });
  await settle();
  assert.deepEqual(JSON.parse(await allowed), { added: true });
  const refused = context.executeTool(tool, {});
  await settle();
  stop();
  await settle();
  assert.deepEqual(ended, [caller]);
  assert.equal(asked[1]?.signal.aborted, true);
  assert.equal(JSON.parse(await refused).isError, true);
  assert.equal(
    kernel.audit.entries(() => true).every((entry) => entry.caller === caller),
    true,
  );
});
