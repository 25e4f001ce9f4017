// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";

import { RpcSession } from "../../../browser_worker/dispatcher/rpc_session.js";
import { makeFixture } from "../support/fixture_host.js";

const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
};
const CLIENT = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: {} };
const INFO = { id: 1, method: "agent/info" };
const DISCOVER = { id: 1, method: "server/discover", params: { _meta: META } };

/** @param {ConstructorParameters<typeof RpcSession>[2]} [options] */
function made(options) {
  const session = new RpcSession(makeFixture().dispatcher, "s", options);
  /** @param {object} message */
  const send = async (message) => {
    const line = await session.receive(JSON.stringify({ jsonrpc: "2.0", ...message }));
    return line === undefined ? undefined : JSON.parse(line);
  };
  /** Which protocol is spoken, seen from outside. */
  const spoken = async () => ((await send(INFO)).result ? "control" : "mcp");
  return { send, spoken };
}

test("the first valid request selects MCP for good", async () => {
  const call = { id: 1, method: "tools/call", params: { name: "actions_search", _meta: META } };
  for (const first of [DISCOVER, { id: 0, method: "initialize", params: CLIENT }, call]) {
    const { send, spoken } = made();
    assert.ok((await send(first)).result);
    assert.equal(await spoken(), "mcp");
    assert.ok((await send({ id: 2, method: "tools/list" })).result, "a legacy one is served");
  }
});

test("the first valid request selects control protocol 1 for good", async () => {
  const { send, spoken } = made();
  assert.equal((await send(INFO)).result.protocolVersion, "1");
  for (const message of [DISCOVER, { id: 2, method: "initialize", params: CLIENT }]) {
    assert.equal((await send(message)).error.code, -32601);
  }
  assert.equal(await spoken(), "control");
});

test("what is no valid request selects nothing, though MCP answers what is its own", async () => {
  const wrong = { ...META, "io.modelcontextprotocol/protocolVersion": "1999-01-01" };
  const { send, spoken } = made();
  /** @type {[object, number][]} */
  const refused = [
    [{ id: 1, method: "server/discover" }, -32602],
    [{ id: 1, method: "server/discover", params: { _meta: wrong } }, -32022],
    [{ id: 1, method: "prompts/list", params: { _meta: META } }, -32601],
    [{ id: 1, method: "initialize", params: {} }, -32602],
    [{ id: 1, method: "tools/call", params: { name: "none", _meta: META } }, -32602],
    [{ id: 1, method: "tools/list" }, -32601],
    [{ id: 1 }, -32600],
  ];
  for (const [message, code] of refused) assert.equal((await send(message)).error.code, code);
  assert.equal(await send({ method: "notifications/initialized" }), undefined);
  assert.equal(await send({ method: "server/discover", params: { _meta: META } }), undefined);
  assert.equal(await spoken(), "control");
});

test("a notification of control protocol 1 runs and selects nothing", async () => {
  const { send, spoken } = made();
  assert.equal(await send({ method: "agent/info" }), undefined);
  assert.ok((await send(DISCOVER)).result);
  assert.equal(await spoken(), "mcp");
});

test("a session that is MCP from its start speaks nothing else, not even for a bad line", async () => {
  const { send, spoken } = made({ protocol: "mcp" });
  assert.deepEqual(Object.keys(await send({ id: null, method: "ping" })), ["jsonrpc", "error"]);
  assert.equal(await spoken(), "mcp");
  assert.deepEqual((await send({ id: 1, method: "ping" })).result, {});
  const control = made({ protocol: "control" });
  assert.equal((await control.send(DISCOVER)).error.code, -32601);
});
