// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";

import { AgentEndpoint } from "../../../browser_worker/dispatcher/agent_endpoint.js";
import { ActionSpec } from "../../../browser_worker/dispatcher/action_spec.js";
import { Dispatcher } from "../../../browser_worker/dispatcher/dispatcher.js";
import { makeFixture } from "../support/fixture_host.js";

const INITIALIZE =
  '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{}}}';
const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
};
const INFO = '{"jsonrpc":"2.0","id":1,"method":"agent/info"}';

/** @param {number} count */
const names = (count) => Array.from({ length: count }, (_, index) => `s${index}`);

async function withSessions(/** @type {number} */ count) {
  const endpoint = new AgentEndpoint(makeFixture().dispatcher);
  for (const session of names(count)) await endpoint.request(INFO, { session });
  return endpoint;
}

test("the sixteenth session is kept and the seventeenth evicts the least recently used", async () => {
  const endpoint = await withSessions(16);
  assert.deepEqual(endpoint.sessions, names(16));
  await endpoint.request(INFO, { session: "s0" });
  await endpoint.request(INFO, { session: "new" });
  assert.equal(endpoint.sessions.length, 16);
  assert.ok(!endpoint.sessions.includes("s1"));
  assert.ok(endpoint.sessions.includes("s0"));
});

test("a malformed envelope reserves no session", async () => {
  const endpoint = new AgentEndpoint(makeFixture().dispatcher);
  for (const text of [
    "{",
    "[]",
    "{}",
    '{"jsonrpc":"2.0","id":null,"method":"agent/info"}',
    '{"jsonrpc":"2.0","id":1,"method":"nothing"}',
    '{"jsonrpc":"2.0","id":1,"method":"agent/info","params":[]}',
  ]) {
    assert.notEqual(await endpoint.request(text, { session: "s" }), null);
  }
  assert.deepEqual(endpoint.sessions, []);
  await endpoint.request(INFO, { session: "s" });
  assert.deepEqual(endpoint.sessions, ["s"]);
});

test("sixteen busy sessions give a correlated SESSION_LIMIT, nothing runs, and one that ends makes room", async () => {
  /** @type {((value: object) => void)[]} */
  const waiting = [];
  const dispatcher = new Dispatcher(
    {
      actions: () => [ActionSpec.read("wait", "Waits")],
      revision: () => null,
      capabilities: () => 0,
      concurrent: true,
      execute: () => new Promise((resolve) => void waiting.push(resolve)),
    },
    { app: { name: "Busy", version: "1" } },
  );
  dispatcher.setEnabled(true);
  const endpoint = new AgentEndpoint(dispatcher);
  const wait = '{"jsonrpc":"2.0","id":"w","method":"actions/execute","params":{"action":"wait"}}';
  const calls = names(16).map((session) => endpoint.request(wait, { session }));
  assert.equal(waiting.length, 16);
  const refused = await endpoint.request(wait, { session: "late" });
  assert.match(refused ?? "", /"id":"w".*"SESSION_LIMIT"/);
  assert.equal(waiting.length, 16);
  const note = '{"jsonrpc":"2.0","method":"agent/info"}';
  assert.equal(await endpoint.request(note, { session: "late" }), null);
  waiting[3]?.({});
  await calls[3];
  assert.match((await endpoint.request(INFO, { session: "late" })) ?? "", /"result"/);
  assert.ok(!endpoint.sessions.includes("s3"));
  for (const resolve of waiting) resolve({});
  await Promise.all(calls);
});

test("closing a session releases its place, and an unknown one is no error", async () => {
  const endpoint = await withSessions(2);
  assert.equal(endpoint.closeSession("s0"), true);
  assert.equal(endpoint.closeSession("s0"), false);
  assert.deepEqual(endpoint.sessions, ["s1"]);
});

test("a notification is answered by null", async () => {
  const endpoint = await withSessions(0);
  assert.equal(
    await endpoint.request('{"jsonrpc":"2.0","method":"agent/info"}', { session: "s" }),
    null,
  );
});

test("each call reaches the host with its session, and each session has state of its own", async () => {
  const dispatcher = new Dispatcher(
    {
      actions: () => [ActionSpec.read("who", "Tells the session")],
      revision: () => null,
      capabilities: () => 0,
      execute: (_action, _input, { session }) => ({ session }),
    },
    { app: { name: "Who", version: "1" } },
  );
  dispatcher.setEnabled(true);
  const endpoint = new AgentEndpoint(dispatcher);
  const who = '{"jsonrpc":"2.0","id":1,"method":"actions/execute","params":{"action":"who"}}';
  for (const session of ["a", "b", "a"]) {
    const answer = await endpoint.request(who, { session });
    assert.deepEqual(JSON.parse(answer ?? "").result.output, { session });
  }
  const state = (/** @type {string} */ name) => endpoint._places.get(name)?.rpc;
  const kept = state("a");
  assert.ok(kept);
  assert.notEqual(state("b"), kept);
  endpoint.closeSession("b");
  assert.equal(state("a"), kept);
  await endpoint.request(who, { session: "a" });
  assert.equal(state("a"), kept);
});

/** @param {AgentEndpoint} endpoint */
function watched(endpoint) {
  /** @type {object[]} */
  const events = [];
  return { events, stop: endpoint.onSession((event) => void events.push(event)) };
}

test("an observer sees a session come, what it asks and how that ends, and the session go", async () => {
  const { dispatcher } = makeFixture();
  const endpoint = new AgentEndpoint(dispatcher);
  const { events, stop } = watched(endpoint);
  await endpoint.request(INFO, { session: "s" });
  const params = '{"action":"no.such","input":{}}';
  const unknown = `{"jsonrpc":"2.0","id":2,"method":"actions/execute","params":${params}}`;
  await endpoint.request(unknown, { session: "s" });
  dispatcher.setEnabled(false);
  await endpoint.request('{"jsonrpc":"2.0","method":"state/inspect"}', { session: "s" });
  endpoint.closeSession("s");
  endpoint.closeSession("s");
  const info = { session: "s", request: 1, method: "agent/info" };
  const execute = { session: "s", request: 2, method: "actions/execute", action: "no.such" };
  const inspect = { session: "s", request: 3, method: "state/inspect" };
  assert.deepEqual(events, [
    { phase: "open", session: "s" },
    { phase: "begin", ...info },
    { phase: "end", ...info, ok: true, deferred: false },
    { phase: "begin", ...execute },
    { phase: "end", ...execute, ok: false, deferred: false, code: "UNKNOWN_ACTION" },
    { phase: "begin", ...inspect },
    { phase: "end", ...inspect, ok: false, deferred: false, code: "DISABLED" },
    { phase: "close", session: "s" },
  ]);
  stop();
  await endpoint.request(INFO, { session: "s" });
  assert.equal(events.length, 8);
});

test("an observer sees the session that was evicted, and nothing of what reserves none", async () => {
  const endpoint = await withSessions(16);
  const { events } = watched(endpoint);
  await endpoint.request("[]", { session: "bad" });
  assert.deepEqual(events, []);
  await endpoint.request(INFO, { session: "new" });
  assert.deepEqual(events.slice(0, 2), [
    { phase: "close", session: "s0" },
    { phase: "open", session: "new" },
  ]);
});

test("what an observer of sessions throws changes no answer", async () => {
  const endpoint = new AgentEndpoint(makeFixture().dispatcher);
  let told = 0;
  endpoint.onSession(() => {
    told += 1;
    throw new Error("not the caller's business");
  });
  assert.match((await endpoint.request(INFO, { session: "s" })) ?? "", /"result"/);
  assert.equal(told, 3);
});

test("a call that goes on as a task is told as deferred", async () => {
  const dispatcher = new Dispatcher(
    {
      actions: () => [ActionSpec.read("long", "Goes on")],
      revision: () => null,
      capabilities: () => 0,
      execute: (_action, _input, { defer }) => {
        defer("waits", "It waits for a person.");
        return new Promise(() => {});
      },
    },
    { app: { name: "Long", version: "1" } },
  );
  dispatcher.setEnabled(true);
  const endpoint = new AgentEndpoint(dispatcher);
  const { events } = watched(endpoint);
  const long = '{"jsonrpc":"2.0","id":1,"method":"actions/execute","params":{"action":"long"}}';
  await endpoint.request(long, { session: "s" });
  const last = events.at(-1);
  assert.ok(last !== undefined && "deferred" in last && last.deferred === true);
});

/** @param {string} name @param {unknown} [given] */
const toolCall = (name, given = {}) =>
  JSON.stringify({
    jsonrpc: "2.0",
    id: 7,
    method: "tools/call",
    params: { name, arguments: given, _meta: META },
  });

/** As many sessions as there are places, each initialised by an MCP client. */
async function withClients() {
  const { dispatcher } = makeFixture();
  const endpoint = new AgentEndpoint(dispatcher);
  for (const session of names(16)) await endpoint.request(INITIALIZE, { session });
  return { dispatcher, endpoint };
}

test("a session that an MCP client has initialised is not evicted until it is closed", async () => {
  const { endpoint } = await withClients();
  const refused = await endpoint.request(INFO, { session: "new" });
  assert.match(refused ?? "", /"id":1,"error":.*"SESSION_LIMIT"/);
  const tool = JSON.parse(
    (await endpoint.request(toolCall("actions_search"), { session: "new" })) ?? "",
  );
  assert.deepEqual([tool.id, tool.result.isError], [7, true]);
  assert.equal(tool.result.structuredContent.error.data.code, "SESSION_LIMIT");
  const discover = JSON.stringify({
    jsonrpc: "2.0",
    id: 8,
    method: "server/discover",
    params: { _meta: META },
  });
  assert.match(
    (await endpoint.request(discover, { session: "new" })) ?? "",
    /"id":8,"error":{"code":1017/,
  );
  assert.deepEqual(endpoint.sessions, names(16));
  endpoint.closeSession("s3");
  assert.match((await endpoint.request(INFO, { session: "new" })) ?? "", /"result"/);
});

test("a session that no client has initialised is evicted before any that one has", async () => {
  const { endpoint } = await withClients();
  endpoint.closeSession("s15");
  await endpoint.request(toolCall("actions_search"), { session: "modern" });
  await endpoint.request(INFO, { session: "new" });
  assert.deepEqual(endpoint.sessions, [...names(15), "new"]);
});

test("whoever was let in before the app was shut keeps no place for good", async () => {
  const { dispatcher, endpoint } = await withClients();
  dispatcher.setEnabled(false);
  dispatcher.setEnabled(true);
  await endpoint.request(INITIALIZE, { session: "s0" });
  await endpoint.request(INFO, { session: "new" });
  assert.ok(endpoint.sessions.includes("s0"), "it was initialised anew");
  assert.ok(!endpoint.sessions.includes("s1"));
});

test("of initialised sessions that made room a bounded number is remembered", async () => {
  const { dispatcher } = makeFixture();
  const endpoint = new AgentEndpoint(dispatcher, { maxSessions: 1 });
  const list = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}';
  const count = 4 * 16;
  for (let n = 0; n <= count; n++) {
    await endpoint.request(INITIALIZE, { session: `s${n}` });
    dispatcher.setEnabled(false);
    dispatcher.setEnabled(true);
  }
  await endpoint.request(INFO, { session: "other" });
  for (let n = 1; n <= count; n++) {
    assert.match((await endpoint.request(list, { session: `s${n}` })) ?? "", /"result"/);
  }
  assert.match((await endpoint.request(list, { session: "s0" })) ?? "", /-32601/);
});

test("an initialize that is refused keeps no place", async () => {
  const endpoint = new AgentEndpoint(makeFixture().dispatcher);
  const bad = INITIALIZE.replace('"capabilities":{},', "");
  assert.match((await endpoint.request(bad, { session: "s" })) ?? "", /-32602/);
  assert.deepEqual(endpoint.sessions, []);
});

test("a notification reaches the session that it is of, and the carrier is answered all the same", async () => {
  const { dispatcher, tick, notes } = makeFixture();
  const endpoint = new AgentEndpoint(dispatcher);
  const running = endpoint.request(toolCall("actions_execute", { action: "slow" }), {
    session: "s",
  });
  const queued = endpoint.request(toolCall("actions_execute", { action: "note.read" }), {
    session: "s",
  });
  const cancel = JSON.stringify({
    jsonrpc: "2.0",
    method: "notifications/cancelled",
    params: { requestId: 7 },
  });
  assert.equal(await endpoint.request(cancel, { session: "other" }), null);
  assert.equal(await endpoint.request(cancel, { session: "s" }), null);
  assert.deepEqual(endpoint.sessions, ["s"], "a notification reserves no place");
  tick();
  assert.match((await running) ?? "", /"completed"/);
  assert.match((await queued) ?? "", /"EXPIRED"/);
  assert.ok(!notes.log.includes("note.read"));
});

test("an observer is told the tool of a call, and the action where it runs one", async () => {
  const endpoint = new AgentEndpoint(makeFixture().dispatcher);
  const { events } = watched(endpoint);
  await endpoint.request(INITIALIZE, { session: "s" });
  await endpoint.request(toolCall("actions_execute", { action: "note.read" }), { session: "s" });
  await endpoint.request(toolCall("actions_describe", { action: "no.such" }), { session: "s" });
  await endpoint.request(toolCall("no_such_tool"), { session: "s" });
  const told = { session: "s", method: "tools/call" };
  const execute = { ...told, request: 2, tool: "actions_execute", action: "note.read" };
  const describe = { ...told, request: 3, tool: "actions_describe" };
  assert.deepEqual(events.slice(1), [
    { phase: "begin", session: "s", request: 1, method: "initialize" },
    { phase: "end", session: "s", request: 1, method: "initialize", ok: true, deferred: false },
    { phase: "begin", ...execute },
    { phase: "end", ...execute, ok: true, deferred: false },
    { phase: "begin", ...describe },
    { phase: "end", ...describe, ok: false, deferred: false, code: "UNKNOWN_ACTION" },
  ]);
});
