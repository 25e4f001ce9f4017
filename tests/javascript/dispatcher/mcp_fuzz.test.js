// @ts-check
/** MCP over any host, and any line of it: one strict line or silence, and a dispatcher that goes on. */

import assert from "node:assert/strict";
import { test } from "node:test";

import fc from "fast-check";

import { APP_ERROR, JSON_RPC_ERROR } from "../../../browser_worker/contract/error_codes.js";
import { MCP_ERROR } from "../../../browser_worker/contract/mcp_messages.js";
import { parse } from "../../../browser_worker/contract/strict_json.js";
import { TOOLS } from "../../../browser_worker/dispatcher/mcp_catalog.js";
import { RpcSession } from "../../../browser_worker/index.js";
import { FAULTS, PLACES, faulty } from "./support/faulty_host.js";
import { ACTIONS, ask, listApp, settle } from "./support/list_app.js";

const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
};
const NUMBERS = new Set([
  ...Object.values(JSON_RPC_ERROR),
  ...Object.values(APP_ERROR),
  ...Object.values(MCP_ERROR),
]);
const METHODS = ["resources/list", "resources/templates/list", "resources/read", "tools/list"];

/**
 * Holds what a session gave against what every answer is.
 *
 * @param {string | undefined} answer
 */
function check(answer) {
  if (answer === undefined) return;
  const message = parse(answer);
  assert.ok(!/[\n\r\u2028\u2029]/.test(answer));
  assert.ok(!answer.includes("of the host"), answer);
  assert.equal(message.jsonrpc, "2.0");
  assert.notEqual(message.id, null, answer);
  assert.ok("result" in message !== "error" in message);
  const { error } = message;
  if (error !== undefined) {
    assert.ok(NUMBERS.has(error.code), answer);
    return;
  }
  const { content, structuredContent, isError } = message.result;
  if (content === undefined) return;
  assert.equal("error" in structuredContent, isError === true, answer);
  if (isError) {
    const { code, data } = structuredContent.error;
    assert.equal({ ...APP_ERROR, ...JSON_RPC_ERROR }[/** @type {"DISABLED"} */ (data.code)], code);
  } else if (content[0].text !== "The result is in structuredContent.") {
    assert.deepEqual(parse(content[0].text), structuredContent);
  }
}

/** What may be right, and sometimes is anything. @param {fc.Arbitrary<any>} right */
const mostly = (right) =>
  fc.oneof(
    { weight: 6, arbitrary: right },
    { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 2 }) },
  );
const given = fc.record(
  {
    action: mostly(fc.constantFrom(...ACTIONS.map(({ name }) => name), "__proto__")),
    input: mostly(fc.record({ word: fc.string() })),
    expectedRevision: mostly(fc.integer({ min: 0, max: 4 })),
    id: mostly(fc.constantFrom("task-1", "x")),
    waitMs: mostly(fc.integer({ min: -1, max: 25_001 })),
    uri: mostly(fc.constantFrom("app:a", "app:b")),
    query: mostly(fc.constantFrom("a", "words")),
  },
  { requiredKeys: [] },
);
const line = fc
  .record(
    {
      jsonrpc: mostly(fc.constant("2.0")),
      id: mostly(fc.oneof(fc.integer(), fc.string())),
      method: mostly(fc.constantFrom(...METHODS, "tools/call", "notifications/cancelled")),
      params: mostly(
        fc.record(
          {
            name: mostly(fc.constantFrom(...TOOLS.map(({ name }) => name))),
            arguments: mostly(given),
            uri: mostly(fc.constantFrom("app:a", "app:b")),
            cursor: mostly(fc.constantFrom("1", "100")),
            requestId: mostly(fc.integer()),
            _meta: mostly(fc.constant(META)),
          },
          { requiredKeys: [] },
        ),
      ),
    },
    { requiredKeys: ["jsonrpc"] },
  )
  .map((message) => JSON.stringify(message));

test("any line of MCP gives one strict line or silence", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(line, { minLength: 1, maxLength: 8 }), async (lines) => {
      const { dispatcher, runtime, errors } = listApp();
      const session = new RpcSession(dispatcher, "s", { protocol: "mcp" });
      for (const each of lines) {
        void session.receive(each).then(check);
        await settle();
        runtime.pass(25_000);
        await settle();
      }
      assert.deepEqual(errors, [], "no line makes an honest host or the dispatcher throw");
    }),
    { numRuns: 300 },
  );
});

/** Every tool and method, each so that it comes to the host. @type {[string, object][]} */
const REQUESTS = [
  ...METHODS.map((method) => /** @type {[string, object]} */ ([method, { uri: "app:a" }])),
  ...TOOLS.map(({ name }) => {
    const values = {
      actions_describe: { action: "words" },
      actions_execute: { action: "add", input: { word: "x" }, expectedRevision: 1 },
      actions_batch: { calls: [{ action: "risky", expectedRevision: 1 }], atomic: true },
      task_status: { id: "task-1", waitMs: 10 },
      task_cancel: { id: "task-1" },
      resource_read: { uri: "app:a" },
    };
    const args = values[/** @type {keyof typeof values} */ (name)] ?? {};
    return /** @type {[string, object]} */ (["tools/call", { name, arguments: args }]);
  }),
];

for (const [fault, run] of FAULTS) {
  test(`a host that ${fault} wherever it is asked is answered for by every tool`, async () => {
    for (const place of PLACES) {
      const { dispatcher, runtime, state } = faulty(new Map([[place, run]]));
      state.broken = true;
      for (const [method, params] of REQUESTS) {
        for (const _meta of [META, undefined]) {
          const message = { jsonrpc: "2.0", id: 1, method, params: { ...params, _meta } };
          const session = new RpcSession(dispatcher, "s", { protocol: "mcp" });
          void session.receive(JSON.stringify(message)).then(check);
          await settle();
          runtime.pass(5_000);
          await settle();
        }
      }
      state.broken = false;
      dispatcher.setEnabled(true);
      assert.ok((await ask(dispatcher, "state/inspect")).result, place);
    }
  });
}
