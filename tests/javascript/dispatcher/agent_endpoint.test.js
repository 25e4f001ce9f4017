// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";

import { AgentEndpoint } from "../../../browser_worker/dispatcher/agent_endpoint.js";
import { ActionSpec } from "../../../browser_worker/dispatcher/action_spec.js";
import { Dispatcher } from "../../../browser_worker/dispatcher/dispatcher.js";
import { makeFixture } from "../support/fixture_host.js";

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
