// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";

import { SessionList } from "../../../../browser_worker/link/panel/session_list.js";

function makeList() {
  const time = { wallMs: 1_000 };
  const list = new SessionList(() => ({ ...time }));
  let requests = 0;
  /** @param {string} session */
  const open = (session) => list.take({ phase: "open", session });
  /** @param {string} session @param {string} [action] */
  const begin = (session, action) => {
    const request = (requests += 1);
    const what = { session, request, method: "actions/execute", ...(action ? { action } : {}) };
    list.take({ phase: "begin", ...what });
    return () => list.take({ phase: "end", ok: true, ...what });
  };
  return { list, time, open, begin, rows: () => list.rows };
}

test("a session is listed with what it asked, how often and when", () => {
  const { rows, time, open, begin } = makeList();
  open("a");
  assert.deepEqual(rows(), [{ key: "a", calls: 0, running: 0, last: "", lastWallMs: null }]);
  begin("a")();
  time.wallMs = 2_000;
  const end = begin("a", "document.read");
  assert.deepEqual(rows(), [
    { key: "a", calls: 2, running: 1, last: "document.read", lastWallMs: 2_000 },
  ]);
  end();
  assert.equal(rows()[0]?.running, 0);
});

test("the session that was used last comes first", () => {
  const { list, open, begin } = makeList();
  open("a");
  open("b");
  begin("a");
  assert.deepEqual(
    list.rows.map(({ key }) => key),
    ["a", "b"],
  );
});

test("a session that was closed is gone, and what it had begun does not count for its successor", () => {
  const { list, open, begin } = makeList();
  open("a");
  const end = begin("a");
  list.take({ phase: "close", session: "a" });
  assert.equal(list.size, 0);
  open("a");
  begin("a");
  end();
  assert.equal(list.rows[0]?.running, 1);
});

test("after the page was detached there is no session", () => {
  const { list, open, begin } = makeList();
  open("a");
  const end = begin("a");
  list.clear();
  end();
  assert.deepEqual(list.rows, []);
});

test("a call of an MCP tool is told by its action, or by the tool", () => {
  const { list, open } = makeList();
  open("a");
  const asked = { phase: /** @type {const} */ ("begin"), session: "a", method: "tools/call" };
  list.take({ ...asked, request: 1, tool: "state_inspect" });
  assert.equal(list.rows[0]?.last, "state_inspect");
  list.take({ ...asked, request: 2, tool: "actions_execute", action: "note.set" });
  assert.equal(list.rows[0]?.last, "note.set");
});

test("asking for a task, or for what there is, counts as use and not as a call", () => {
  const { list, rows, time, open, begin } = makeList();
  open("a");
  begin("a", "document.read")();
  for (const [request, what] of [
    { method: "tasks/get" },
    { method: "tools/call", tool: "task_status" },
  ].entries()) {
    time.wallMs += 1_000;
    list.take({ phase: "begin", session: "a", request: 100 + request, ...what });
    list.take({ phase: "end", ok: true, session: "a", request: 100 + request, ...what });
  }
  assert.deepEqual(rows(), [
    { key: "a", calls: 1, running: 0, last: "document.read", lastWallMs: 3_000 },
  ]);
});
