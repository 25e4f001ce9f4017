// @ts-check
/** Calls of a terminal that last: their progress, and what becomes of them when they are given up. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { makeTerminal } from "../../support/workspace_terminal.js";

/** A terminal that has begun a call which the app answers when a test says so. */
async function begun() {
  const terminal = makeTerminal();
  const { app, endpoint } = terminal.connect("notes");
  app.expose({ notes_import: { handler: () => undefined } });
  const answer = terminal.send("actions/execute", { action: "app.notes.notes_import", input: {} });
  await terminal.ports.settle();
  const invoked = app.received.find((m) => m.payload?.action === "tools.invoke");
  const report = async (/** @type {unknown} */ payload) => {
    app.send({ type: "progress", id: invoked.id, payload });
    await terminal.ports.settle();
  };
  const pass = async (/** @type {number} */ ms) => {
    terminal.time.pass(ms);
    await terminal.ports.settle();
  };
  const finish = async (/** @type {unknown} */ result) => {
    app.send({ type: "response", id: invoked.id, ok: { result } });
    await terminal.ports.settle();
  };
  const task = async () => {
    const { result } = await terminal.ask("tasks/get", { id: "task-1" });
    return result.task;
  };
  return { ...terminal, app, endpoint, answer, invoked, report, pass, finish, task };
}

describe("a call that lasts", () => {
  test("is no task while it is short, whatever progress it reports", async () => {
    const { report, pass, finish, answer, settled } = await begun();
    await report({ phase: "reading" });
    await pass(4_000);
    await report({ phase: "indexing" });
    await finish({ imported: 2 });
    const { result } = await settled(answer);
    assert.equal(result.status, "completed");
    assert.deepEqual(result.output, { imported: 2 });
  });

  test("becomes a task after 5 s, which tells how far it is", async () => {
    const { report, pass, finish, answer, settled, task } = await begun();
    await report({ phase: "indexing", completed: 12 });
    await pass(5_000);
    const { result } = await settled(answer);
    assert.equal(result.status, "deferred");
    const told = { phase: "indexing", completed: 12, reason: "progress", message: "indexing" };
    assert.deepEqual(result.task.progress, told);
    assert.deepEqual((await task()).progress, told);
    await report({ completed: 13 });
    await pass(250);
    assert.deepEqual((await task()).progress, { completed: 13, reason: "progress" });
    await report("nearly there");
    await pass(250);
    assert.equal((await task()).progress.message, "nearly there");
    await report({ phase: "done", completed: 24, total: 24 });
    await finish({ imported: 24 });
    const ended = await task();
    assert.equal(ended.state, "completed");
    assert.equal(ended.progress.completed, 24);
    assert.deepEqual(ended.output, { imported: 24 });
  });

  test("that tells nothing is slow, and an object that is too long or too deep is told in words", async () => {
    const { report, pass, answer, settled, task, hostErrors } = await begun();
    await pass(5_000);
    assert.equal((await settled(answer)).result.task.progress.reason, "slow");
    /** @type {any} */
    let deep = {};
    for (let depth = 0; depth < 20; depth++) deep = { a: deep };
    for (const progress of [{ phase: "p".repeat(30_000) }, { deep }, { half: "\ud800" }, [1], 7]) {
      await report(progress);
      await pass(250);
      const { message, reason } = (await task()).progress;
      assert.equal(reason, "progress");
      assert.ok(message.length > 0 && message.length <= 500);
    }
    assert.deepEqual(hostErrors, []);
  });

  test("reports progress of any length and any letters without harm", async () => {
    const { report, pass, task, hostErrors } = await begun();
    await pass(5_000);
    await report("\u0001\ud800".repeat(30_000 / 6));
    await pass(250);
    const { progress, state } = await task();
    assert.equal(state, "running");
    assert.equal(progress.message.length, 500);
    assert.deepEqual(hostErrors, []);
  });

  test("may go on for ten minutes, and fails then", async () => {
    const { pass, task } = await begun();
    await pass(5_000);
    await pass(594_000);
    assert.equal((await task()).state, "running");
    await pass(1_000);
    const { state, error } = await task();
    assert.equal(state, "failed");
    assert.equal(error.data.bus, "TIMEOUT");
  });
});

describe("a call that is given up", () => {
  test("is cancelled in the app, and nothing more is waited for", async () => {
    const { pass, ask, app, invoked, task, kernel } = await begun();
    await pass(5_000);
    await ask("tasks/cancel", { id: "task-1" });
    assert.equal(
      app.received.some((m) => m.type === "cancel"),
      false,
    );
    await pass(250);
    assert.ok(app.received.some((m) => m.type === "cancel" && m.id === invoked.id));
    assert.equal((await task()).state, "cancelled");
    assert.equal(kernel.audit.entries()[0]?.status, "cancelled");
    assert.equal(kernel.callsInFlight, 0);
  });

  test("stays completed where its answer came first", async () => {
    const { pass, ask, finish, task, app } = await begun();
    await pass(5_000);
    await finish({ imported: 1 });
    await ask("tasks/cancel", { id: "task-1" });
    await pass(250);
    assert.equal((await task()).state, "completed");
    assert.equal(
      app.received.some((m) => m.type === "cancel"),
      false,
    );
  });

  test("as every call leaves no timer behind", async () => {
    const { finish, time, execute, app, kernel } = await begun();
    const during = time.timers.size;
    await finish({});
    assert.ok(time.timers.size < during);
    app.expose({ quick: { handler: () => ({}) } });
    const before = time.timers.size;
    await execute("app.notes.quick");
    assert.equal(time.timers.size, before);
    kernel.close();
    assert.equal(time.timers.size, 0);
  });
});
