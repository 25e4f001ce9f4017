// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";

import { AppError } from "../../../../browser_worker/dispatcher/app_error.js";
import { TaskTable } from "../../../../browser_worker/dispatcher/task_table.js";
import { CallList } from "../../../../browser_worker/link/panel/call_list.js";

/** @import { SessionEvent } from "../../../../browser_worker/dispatcher/agent_endpoint.js" */

function makeList(maxRows = 50) {
  const time = { monotonicMs: 100, wallMs: 1_800_000_000_000 };
  const list = new CallList(() => ({ ...time }), maxRows);
  /** @param {number} request @param {Partial<SessionEvent>} [more] @param {number} [source] */
  const begin = (request, more = {}, source = 1) =>
    list.take(
      { phase: "begin", session: "s", method: "actions/execute", action: "a", request, ...more },
      source,
    );
  /** @param {number} request @param {Partial<SessionEvent>} [more] @param {number} [source] */
  const end = (request, more = { ok: true }, source = 1) =>
    list.take(
      { phase: "end", session: "s", method: "actions/execute", action: "a", request, ...more },
      source,
    );
  return { list, time, begin, end, phases: () => list.rows.map(({ phase }) => phase) };
}

/** A list that follows the tasks of a table. */
function makeFollowing() {
  const made = makeList();
  const tasks = new TaskTable();
  /** @param {number} request @param {string} task */
  const told = (request, task) => {
    const end = { session: "s", method: "actions/execute", action: "a", request };
    const event = /** @type {const} */ ({ phase: "end", ...end, ok: true, deferred: true, task });
    made.list.take(event, 1, (id) => tasks.get(id));
  };
  return { ...made, tasks, told };
}

test("a call runs, and then it has a duration", () => {
  const { list, time, begin, end } = makeList();
  begin(1);
  assert.equal(list.rows[0]?.phase, "running");
  assert.equal(list.rows[0]?.durationMs, null);
  assert.equal(list.running, 1);
  time.monotonicMs += 12;
  end(1);
  assert.equal(list.rows[0]?.phase, "done");
  assert.equal(list.rows[0]?.durationMs, 12);
  assert.equal(list.running, 0);
});

test("a call that failed shows its code, and one that goes on says so", () => {
  const { list, begin, end, phases } = makeList();
  begin(1);
  end(1, { ok: false, code: "STALE_REVISION" });
  begin(2);
  end(2, { ok: true, deferred: true });
  assert.deepEqual(phases(), ["deferred", "failed"]);
  assert.equal(list.rows[1]?.code, "STALE_REVISION");
});

test("a call that goes on as a task says that it waits for a yes, and how it ended", () => {
  const { list, time, begin, told, tasks } = makeFollowing();
  for (const request of [1, 2, 3]) begin(request);
  const [yes, no, stopped] = [1, 2, 3].map((request) => {
    const task = tasks.create("a");
    task.start();
    task.report({ reason: "consent", message: "Asked." });
    time.monotonicMs += 10;
    told(request, task.id);
    return task;
  });
  const rows = () => list.rows.map(({ phase, asks, code }) => [phase, asks, code]).reverse();
  assert.deepEqual(rows(), Array(3).fill(["deferred", true, null]));
  yes?.report({ reason: "running", message: "It runs." });
  assert.deepEqual(rows()[0], ["deferred", false, null]);
  time.monotonicMs += 1_000;
  yes?.complete({});
  const availability = { code: "OWNER_REQUIRED", reason: "The owner said no." };
  no?.fail(new AppError("UNAVAILABLE", "The owner said no.", { availability }));
  stopped?.cancel();
  stopped?.checkpoint();
  assert.deepEqual(rows(), [
    ["done", false, null],
    ["failed", false, "OWNER_REQUIRED"],
    ["failed", false, "CANCELLED"],
  ]);
  assert.equal(list.rows[2]?.durationMs, 1_030);
});

test("the newest call comes first, and only so many are kept", () => {
  const { list, begin, end } = makeList(3);
  for (const request of [1, 2, 3, 4]) begin(request, { action: `a${request}` });
  assert.deepEqual(
    list.rows.map(({ name }) => name),
    ["a4", "a3", "a2"],
  );
  assert.equal(list.running, 4, "what was pushed out runs all the same");
  end(1);
  assert.equal(list.running, 3);
});

test("questions about the app's actions are not shown, looks at its state are", () => {
  const { list, begin } = makeList();
  for (const method of ["agent/info", "actions/list", "tasks/get"]) {
    assert.equal(list.take({ phase: "begin", session: "s", method, request: 9 }, 1), null);
  }
  begin(1, { method: "actions/describe" });
  assert.deepEqual(list.rows, []);
  list.take({ phase: "begin", session: "s", method: "state/inspect", request: 2 }, 1);
  assert.deepEqual(
    list.rows.map(({ name, kind }) => [name, kind]),
    [["state/inspect", "read"]],
  );
});

test("whether an action reads or writes is learnt, for rows that are there and for later ones", () => {
  const { list, begin } = makeList();
  begin(1);
  assert.equal(list.rows[0]?.kind, null);
  list.learn("a", "write");
  assert.equal(list.rows[0]?.kind, "write");
  begin(2);
  assert.equal(list.rows[0]?.kind, "write");
});

test("an action that is named like a method is not taken for it", () => {
  const { list, begin } = makeList();
  begin(1, { action: "agent/info" });
  assert.equal(list.rows.length, 1);
});

test("two endpoints that count alike are not mixed up", () => {
  const { begin, end, phases } = makeList();
  begin(1, {}, 1);
  begin(1, {}, 2);
  end(1, { ok: true }, 1);
  assert.deepEqual(phases(), ["running", "done"]);
});

test("clearing keeps what still runs", () => {
  const { list, begin, end, phases } = makeList();
  begin(1);
  end(1);
  begin(2);
  list.clear();
  assert.deepEqual(phases(), ["running"]);
  end(2);
  assert.deepEqual(phases(), ["done"]);
});

test("rows are replaced, never changed", () => {
  const { list, begin, end } = makeList();
  begin(1);
  const [before] = list.rows;
  end(1);
  assert.notEqual(list.rows[0], before);
  assert.equal(before?.phase, "running");
});

test("an end without a beginning is nothing", () => {
  const { list, end } = makeList();
  end(7);
  assert.deepEqual(list.rows, []);
});

test("a call of an MCP tool is named by its action, or by the tool, and searches are not shown", () => {
  const { list, begin } = makeList();
  const asked = { method: "tools/call", session: "s", phase: /** @type {const} */ ("begin") };
  for (const tool of ["actions_search", "actions_describe", "task_status"]) {
    assert.equal(list.take({ ...asked, tool, request: 1 }, 1), null, tool);
  }
  for (const method of ["initialize", "server/discover", "ping", "tools/list", "resources/list"]) {
    assert.equal(list.take({ ...asked, method, request: 1 }, 1), null, method);
  }
  begin(2, { method: "tools/call", tool: "actions_execute", action: "note.set" });
  list.take({ ...asked, tool: "actions_batch", request: 3 }, 1);
  list.take({ ...asked, tool: "state_inspect", request: 4 }, 1);
  list.learn("note.set", "write");
  assert.deepEqual(
    list.rows.map(({ name, kind }) => [name, kind]),
    [
      ["state_inspect", "read"],
      ["actions_batch", "write"],
      ["note.set", "write"],
    ],
  );
});
