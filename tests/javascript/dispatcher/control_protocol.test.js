// @ts-check
/** The language-neutral vectors of control protocol 1. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { APP_ERROR } from "../../../browser_worker/contract/error_codes.js";
import { ActionSpec } from "../../../browser_worker/dispatcher/action_spec.js";
import { Dispatcher } from "../../../browser_worker/dispatcher/dispatcher.js";
import { METHODS } from "../../../browser_worker/dispatcher/methods.js";
import { RpcSession } from "../../../browser_worker/dispatcher/rpc_session.js";
import { parse, toPlain } from "../../../browser_worker/contract/strict_json.js";
import { makeFixture } from "../support/fixture_host.js";
import { loadVectors } from "../support/vectors.js";

/** @import { Host } from "../../../browser_worker/dispatcher/host.js" */

/**
 * @param {any} actual
 * @param {any} expected
 * @param {string} [at]
 */
function assertMatches(actual, expected, at = "") {
  if (expected === "*") {
    assert.notEqual(actual, undefined, `${at} is missing`);
  } else if (expected !== null && typeof expected === "object") {
    assert.equal(Array.isArray(actual), Array.isArray(expected), at);
    assert.deepEqual(Object.keys(actual).sort(), Object.keys(expected).sort(), at);
    for (const key of Object.keys(expected))
      assertMatches(actual[key], expected[key], `${at}/${key}`);
  } else {
    assert.deepEqual(actual, expected, at);
  }
}

/** @param {any} step */
function lineOf(step) {
  return (
    step.line ??
    step.line_build
      .map((/** @type {string | [string, number]} */ part) =>
        typeof part === "string" ? part : part[0].repeat(part[1]),
      )
      .join("")
  );
}

/** @param {any} vector */
async function runVector(vector) {
  const fixture = makeFixture();
  const session = new RpcSession(fixture.dispatcher);
  const answers = [];
  for (const step of vector.steps) {
    if (step.enable !== undefined) fixture.dispatcher.setEnabled(step.enable);
    if (step.tick) fixture.tick();
    if (step.line === undefined && step.line_build === undefined) continue;
    const answer = await session.receive(lineOf(step));
    if (step.silent) {
      assert.equal(answer, undefined);
      continue;
    }
    assert.ok(answer !== undefined);
    assert.ok(!answer.includes("\n"));
    answers.push(answer);
    assertMatches(toPlain(parse(answer)), step.expect);
    if (step.id !== undefined) assert.ok(answer.includes(`"id":${step.id},`), answer);
  }
  if (vector.absent) assert.ok(!answers.join("").includes(vector.absent));
  if (vector.present) assert.ok(answers.join("").includes(vector.present));
}

const VECTORS = loadVectors("control_protocol.json");

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

describe("the vectors of control protocol 1", () => {
  for (const vector of VECTORS) test(vector.name, () => runVector(vector));
});

test("the vectors show every method and every application error that a line can meet", () => {
  const text = JSON.stringify(VECTORS);
  for (const method of METHODS.keys()) assert.ok(text.includes(method), method);
  const later = new Set([
    ...["TRANSACTION_UNSUPPORTED", "TRANSACTION_DOMAIN", "DEFERRED_IN_TRANSACTION", "ROLLED_BACK"],
    ...["UNKNOWN_RESOURCE", "SESSION_LIMIT"],
  ]);
  for (const code of Object.keys(APP_ERROR)) {
    assert.equal(text.includes(`"code":"${code}"`), !later.has(code), code);
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
    const params = { action: "note.read", ...(method.startsWith("tasks/") ? { id } : {}) };
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
