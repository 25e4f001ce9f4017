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
