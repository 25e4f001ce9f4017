// @ts-check
/** The language-neutral vectors of control protocol 1. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { APP_ERROR, JSON_RPC_ERROR } from "../../../browser_worker/contract/error_codes.js";
import {
  LEGACY_METHODS,
  MCP_ERROR,
  MODERN_METHODS,
} from "../../../browser_worker/contract/mcp_messages.js";
import { ActionSpec } from "../../../browser_worker/dispatcher/action_spec.js";
import { Dispatcher } from "../../../browser_worker/dispatcher/dispatcher.js";
import { METHODS } from "../../../browser_worker/dispatcher/methods.js";
import { RpcSession } from "../../../browser_worker/dispatcher/rpc_session.js";
import { parse, toPlain } from "../../../browser_worker/contract/strict_json.js";
import { makeFixture } from "../support/fixture_host.js";
import { controlVectors } from "../support/vectors.js";
import { runVector } from "../support/vector_runner.js";

/** @import { Host } from "../../../browser_worker/dispatcher/host.js" */

const FILES = controlVectors();
const VECTORS = FILES.flatMap(([, vectors]) => vectors);

/**
 * Asks an enabled dispatcher over a host of the test's own.
 *
 * @param {Partial<Host>} host
 */
function asking(host) {
  const dispatcher = new Dispatcher(
    {
      actions: () => [],
      revision: () => null,
      capabilities: () => 0,
      execute: () => ({}),
      ...host,
    },
    { app: { name: "Test", version: "1" } },
  );
  dispatcher.setEnabled(true);
  const session = new RpcSession(dispatcher);
  return async (/** @type {string} */ method, /** @type {object} */ params = {}) => {
    const line = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    return toPlain(parse((await session.receive(line)) ?? ""));
  };
}

for (const [file, vectors] of FILES) {
  describe(`the vectors of ${file}`, () => {
    for (const vector of vectors) test(vector.name, () => runVector(vector));
  });
}

/**
 * All errors that the vectors expect, nested ones too.
 *
 * @param {any} value
 * @returns {any[]}
 */
function errorsIn(value) {
  if (value === null || typeof value !== "object") return [];
  const own = [value.error, value.cause].filter((error) => typeof error?.code === "number");
  return [...own, ...Object.values(value).flatMap(errorsIn)];
}

test("the vectors show every method, every application error and every error of JSON-RPC and MCP", () => {
  const lines = VECTORS.flatMap(({ steps }) => steps.map(({ line }) => String(line))).join("");
  const methods = [...METHODS.keys(), ...MODERN_METHODS, ...LEGACY_METHODS];
  for (const method of methods) assert.ok(lines.includes(`"method":"${method}"`), method);
  const found = errorsIn(VECTORS);
  const { RESOURCE_NOT_FOUND, UNSUPPORTED_PROTOCOL_VERSION } = MCP_ERROR;
  const ofMcp = [RESOURCE_NOT_FOUND, UNSUPPORTED_PROTOCOL_VERSION];
  const numbers = [...Object.values(APP_ERROR), ...Object.values(JSON_RPC_ERROR), ...ofMcp];
  assert.deepEqual(new Set(found.map(({ code }) => code)), new Set(numbers));
  for (const { code, data } of found) {
    assert.equal(code, code > 0 ? /** @type {any} */ (APP_ERROR)[data.code] : code);
  }
});

test("names of vectors are unique: a rule names the vector that shows it", () => {
  const names = VECTORS.map(({ name }) => name);
  assert.deepEqual(names.length, new Set(names).size);
});

test("a vector that does not hold is found", async () => {
  const line =
    '{"jsonrpc":"2.0","id":1,"method":"actions/execute","params":{"action":"note.read"}}';
  for (const [wrong, what] of [
    [{ line, expect: { jsonrpc: "2.0", id: 1, result: {} } }, /expected/],
    [{ line, silent: true }, /there is an answer/],
    [{ line, pending: "one" }, /one is answered/],
    [{ line, text: "{}" }, /the answer is/],
    [{ line, expect: "*", executed: [] }, /the host was asked/],
    [{ line, expect: "*", id: "2" }, /the id/],
    [{ local: "note.read", gives: {} }, /expected/],
    [{ local: "note.read", raises: "DISABLED" }, /does not throw/],
    [{ enabled: false }, /enabled is true/],
  ]) {
    const vector = { name: "wrong", steps: [wrong] };
    await assert.rejects(runVector(vector), /** @type {RegExp} */ (what));
  }
});

/**
 * A test of one rule by the vectors that show it: tests/requirements names tests by their titles.
 *
 * @param {string[]} names
 */
const shown =
  (...names) =>
  async () => {
    for (const name of names) {
      const vector = VECTORS.find((candidate) => candidate.name === name);
      assert.ok(vector, `no vector is named ${name}`);
      await runVector(vector);
    }
  };

test(
  "an array is refused and the message names actions/batch",
  shown("an array names actions/batch"),
);

test("a result of any method carries protocolVersion 1", async () => {
  const { dispatcher } = makeFixture();
  const { id } = dispatcher.tasks.create("later");
  const session = new RpcSession(dispatcher);
  for (const method of METHODS.keys()) {
    const calls = [{ action: "note.read" }];
    const params = { action: "note.read", calls, uri: "note:image", id };
    const line = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    const { result } = parse((await session.receive(line)) ?? "");
    assert.equal(result?.protocolVersion, "1", method);
  }
});

test(
  "protocolVersion 1 is accepted and any other value is refused",
  shown("protocolVersion 1 may be named, any other is refused"),
);

test("an id comes back with its type and its token", shown("an id comes back as it was"));

test(
  "an id that is none makes no valid request",
  shown("what is no id", "a string id at its limit and one over"),
);

test("a message without an id is never answered", shown("a notification is never answered"));

test(
  "what is wrong with a line has its number in JSON-RPC",
  shown(
    "an unknown method",
    "params that are no object",
    "params of the wrong kind",
    "a line that is no JSON",
    "what is no request",
  ),
);

test(
  "a line over any limit of strict JSON is LIMIT_EXCEEDED with a null id",
  shown(
    "a line over a limit",
    "nesting at its limit and one over",
    "members at their limit and one over",
    "values at their limit and one over",
    "a string at its limit and one over",
    "a number at its limit and one over",
    "a line at its limit and one over",
  ),
);

test(
  "agent/info tells of the app, and does so while it is disabled",
  shown(
    "agent/info names the app and its methods",
    "agent/info is answered while disabled, all else is refused",
  ),
);

test(
  "actions/list takes query, cursor and a limit of 1 to 100, in host order",
  shown(
    "actions/list in host order",
    "actions/list goes on at a cursor",
    "a limit at its ends",
    "a cursor that nobody gave",
  ),
);

test("actions/list gives fifty actions when no limit is named, and then the rest", async () => {
  const names = Array.from({ length: 60 }, (_, n) => `a${60 - n}`);
  const ask = asking({ actions: () => names.map((name) => ActionSpec.read(name, "A")) });
  const first = (await ask("actions/list")).result;
  const rest = (await ask("actions/list", { cursor: first.nextCursor })).result;
  const listed = [first, rest].map(({ actions }) => actions.map((/** @type {any} */ a) => a.name));
  assert.deepEqual(listed, [names.slice(0, 50), names.slice(50)]);
  assert.equal(rest.nextCursor, undefined);
});

test(
  "every word of a query occurs in name or description",
  shown("actions/list finds every word in name or description whatever its case"),
);

test("a query disregards the case of ASCII letters alone", async () => {
  const ask = asking({ actions: () => [ActionSpec.read("a", "Été chaud")] });
  const found = async (/** @type {string} */ query) =>
    (await ask("actions/list", { query })).result.actions.length;
  assert.equal(await found("ÉTé CHAUD"), 1);
  assert.equal(await found("été"), 0);
});

test(
  "actions/describe gives the schemas, capabilities and undo of one action",
  shown("actions/describe"),
);

test(
  "actions/execute checks the input, runs the action and checks the output",
  shown(
    "input that breaks the schema",
    "a write moves the revision",
    "output that breaks the schema",
  ),
);

test(
  "a write from outside needs the revision, and a stale one changes nothing",
  shown(
    "a write without a revision is refused and changes nothing",
    "a stale revision is refused and changes nothing",
    "a read sees the state and the revision that a write left",
  ),
);

test("of all checks that fail the first in the contract's order decides", async () => {
  const order = [
    "params",
    "UNKNOWN_ACTION",
    "CAPABILITY_REQUIRED",
    "INVALID_INPUT",
    "REVISION_REQUIRED",
    "STALE_REVISION",
    "UNAVAILABLE",
    "HOST_ERROR",
    "INVALID_OUTPUT",
  ];
  const schema = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] };
  const spec = ActionSpec.write("a", "A", {
    capabilities: 1,
    inputSchema: schema,
    outputSchema: schema,
  });
  for (const [at, code] of [...order, undefined].entries()) {
    // Every check from this one on fails; those before it pass.
    const fails = (/** @type {string} */ check) => order.indexOf(check) >= at;
    const ask = asking({
      actions: () => [spec],
      revision: () => 7,
      capabilities: () => (fails("CAPABILITY_REQUIRED") ? 2 : 3),
      availability: () => (fails("UNAVAILABLE") ? { code: "AWAY", reason: "Away." } : null),
      execute: () => {
        if (fails("HOST_ERROR")) throw new Error("broken");
        return fails("INVALID_OUTPUT") ? {} : { n: 1 };
      },
    });
    const revision = fails("STALE_REVISION") ? { expectedRevision: 6 } : { expectedRevision: 7 };
    const { result, error } = await ask("actions/execute", {
      action: fails("params") ? 1 : fails("UNKNOWN_ACTION") ? "b" : "a",
      input: fails("INVALID_INPUT") ? {} : { n: 1 },
      ...(fails("REVISION_REQUIRED") ? {} : revision),
    });
    if (code === undefined) assert.equal(result.status, "completed");
    else if (code === "params") assert.equal(error.code, -32602);
    else assert.equal(error.data.code, code);
  }
});

test("state/inspect gives what the host defines", shown("state/inspect is the host's own"));

test("an inspection over a limit is LIMIT_EXCEEDED with its id", async () => {
  let size = 262_144;
  const ask = asking({ inspect: () => ({ text: "x".repeat(size) }) });
  assert.equal((await ask("state/inspect")).result.text.length, size);
  size += 1;
  const { id, error } = await ask("state/inspect");
  assert.deepEqual([id, error.data.code, error.data.limit], [1, "LIMIT_EXCEEDED", "stringBytes"]);
});

test("a dispatcher starts disabled and refuses all but agent/info whenever it is", async () => {
  const dispatcher = new Dispatcher(makeFixture().host, { app: { name: "New", version: "1" } });
  const session = new RpcSession(dispatcher);
  const answered = async () => {
    const methods = [];
    for (const method of METHODS.keys()) {
      const line = JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method,
        params: { action: "note.read" },
      });
      const { error } = parse((await session.receive(line)) ?? "");
      if (error?.data?.code !== "DISABLED") methods.push(method);
    }
    return methods;
  };
  assert.deepEqual(await answered(), ["agent/info"]);
  dispatcher.setEnabled(true);
  assert.deepEqual(await answered(), [...METHODS.keys()]);
  dispatcher.setEnabled(false);
  assert.deepEqual(await answered(), ["agent/info"]);
});

test(
  "what a host throws is HOST_ERROR without its text",
  shown(
    "an exception of the host does not leak its text",
    "a task that fails tells its error without the host's words",
  ),
);
