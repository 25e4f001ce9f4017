// @ts-check
/** Any line, over any host: one strict line or silence, and a dispatcher that goes on. */

import assert from "node:assert/strict";
import { test } from "node:test";

import fc from "fast-check";

import { APP_ERROR, JSON_RPC_ERROR } from "../../../browser_worker/contract/error_codes.js";
import { parse } from "../../../browser_worker/contract/strict_json.js";
import { AgentEndpoint, RpcSession } from "../../../browser_worker/index.js";
import { FAULTS, PLACES, faulty } from "./support/faulty_host.js";
import { ACTIONS, ask, listApp, settle } from "./support/list_app.js";

const METHODS = [
  "agent/info",
  "actions/list",
  "actions/describe",
  "actions/execute",
  "actions/batch",
  "state/inspect",
  "tasks/get",
  "tasks/cancel",
  "resources/read",
  "view/render",
];
const NUMBERS = new Set([...Object.values(JSON_RPC_ERROR), ...Object.values(APP_ERROR)]);
const NAMES = [...ACTIONS.map(({ name }) => name), "ui.render", "__proto__", "constructor", ""];

/** What a parameter may be: often right, sometimes anything. @param {fc.Arbitrary<any>} right */
const mostly = (right) =>
  fc.oneof(
    { weight: 6, arbitrary: right },
    { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 2 }) },
  );

const call = fc.record(
  {
    action: mostly(fc.constantFrom(...NAMES)),
    input: mostly(fc.record({ word: fc.string() })),
    expectedRevision: mostly(fc.integer({ min: 0, max: 4 })),
  },
  { requiredKeys: ["action"] },
);
const params = fc.record(
  {
    action: mostly(fc.constantFrom(...NAMES)),
    input: mostly(fc.record({ word: fc.string() })),
    expectedRevision: mostly(fc.integer({ min: 0, max: 4 })),
    calls: mostly(fc.array(call, { maxLength: 5 })),
    atomic: mostly(fc.boolean()),
    stopOnError: mostly(fc.boolean()),
    id: mostly(fc.constantFrom("task-1", "task-2", "x")),
    uri: mostly(fc.constantFrom("app:a", "app:b")),
    offset: mostly(fc.integer({ min: -1, max: 10 })),
    limit: mostly(fc.integer({ min: -1, max: 70_000 })),
    cursor: mostly(fc.constantFrom("1", "2")),
    query: mostly(fc.constantFrom("a", "words", "")),
    protocolVersion: mostly(fc.constantFrom("1", "2")),
  },
  { requiredKeys: [] },
);
const request = fc
  .record(
    {
      jsonrpc: mostly(fc.constant("2.0")),
      id: mostly(fc.oneof(fc.integer(), fc.string())),
      method: mostly(fc.constantFrom(...METHODS)),
      params: mostly(params),
    },
    { requiredKeys: ["jsonrpc", "method"] },
  )
  .map((message) => JSON.stringify(message));

/** A valid line with a part of it cut out, put in or turned into something else. */
const mutated = fc
  .tuple(
    request,
    fc.nat(),
    fc.nat({ max: 4 }),
    fc.oneof(
      fc.constantFrom('"', "{", "]", "\\u", "1e999", "\ud800", "\u2028", ',"id":null'),
      fc.string(),
    ),
  )
  .map(([line, at, cut, put]) => {
    const from = at % (line.length + 1);
    return line.slice(0, from) + put + line.slice(from + cut);
  });

const line = fc.oneof(
  { weight: 4, arbitrary: request },
  { weight: 3, arbitrary: mutated },
  fc.string({ unit: "binary" }),
  fc.array(fc.integer({ min: 0, max: 0xffff })).map((units) => String.fromCharCode(...units)),
  fc.json(),
);

/**
 * Holds what a session gave against what every answer is.
 *
 * @param {string | undefined | null} answer
 */
function check(answer) {
  if (answer === undefined || answer === null) return;
  const message = parse(answer);
  assert.ok(!/[\n\r\u2028\u2029]/.test(answer));
  assert.ok(!answer.includes("of the host"), answer);
  assert.equal(message.jsonrpc, "2.0");
  assert.ok(Object.hasOwn(message, "id"));
  assert.ok("result" in message !== "error" in message);
  if ("result" in message) assert.equal(message.result.protocolVersion, "1");
  else {
    const { code, data } = message.error;
    assert.ok(NUMBERS.has(code), answer);
    if (code > 0) assert.equal(APP_ERROR[/** @type {keyof typeof APP_ERROR} */ (data.code)], code);
  }
}

test("any line gives one strict line or silence", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(line, { minLength: 1, maxLength: 8 }), async (lines) => {
      const { dispatcher, errors } = listApp();
      const session = new RpcSession(dispatcher, "s");
      for (const each of lines) check(await session.receive(each));
      assert.deepEqual(errors, [], "no line makes an honest host or the dispatcher throw");
      assert.equal(dispatcher.enabled, true);
    }),
    { numRuns: 500 },
  );
});

test("no host, whatever it does, corrupts the dispatcher, hangs it or leaks its text", async () => {
  const faults = fc.uniqueArray(
    fc.tuple(fc.constantFrom(...PLACES), fc.constantFrom(...FAULTS.map(([name]) => name))),
    { selector: ([place]) => place, minLength: 1, maxLength: 4 },
  );
  const byName = new Map(FAULTS);
  await fc.assert(
    fc.asyncProperty(
      faults,
      fc.array(fc.oneof({ weight: 5, arbitrary: request }, line), { minLength: 1, maxLength: 5 }),
      async (chosen, lines) => {
        const { dispatcher, runtime, state } = faulty(
          new Map(chosen.map(([place, fault]) => [place, byName.get(fault) ?? (() => {})])),
        );
        const endpoint = new AgentEndpoint(dispatcher);
        state.broken = true;
        for (const [at, each] of lines.entries()) {
          // Whether it is answered or hangs, no call waits for another longer than its turn.
          void endpoint.request(each, { session: `s${at % 2}` }).then(check);
          await settle();
        }
        for (const _line of lines) {
          runtime.pass(5_000);
          await settle();
        }
        state.broken = false;
        dispatcher.setEnabled(true);
        const after = await ask(dispatcher, "actions/execute", { action: "words" });
        assert.equal(after.result?.status, "completed", JSON.stringify(after));
      },
    ),
    { numRuns: 300 },
  );
});

for (const [fault, run] of FAULTS) {
  test(`a host that ${fault} wherever it is asked is answered for by every method`, async () => {
    for (const place of PLACES) {
      const { dispatcher, runtime, state } = faulty(new Map([[place, run]]));
      state.broken = true;
      for (const [method, given] of /** @type {[string, object][]} */ ([
        ["agent/info", {}],
        ["actions/list", {}],
        ["actions/describe", { action: "words" }],
        ["actions/execute", { action: "secret" }],
        ["actions/execute", { action: "add", input: { word: "x" }, expectedRevision: 1 }],
        ["actions/batch", { calls: [{ action: "words" }] }],
        ["actions/batch", { calls: [{ action: "risky", expectedRevision: 1 }], atomic: true }],
        ["state/inspect", {}],
        ["resources/read", { uri: "app:a" }],
        ["view/render", {}],
      ])) {
        const message = { jsonrpc: "2.0", id: 1, method, params: given };
        const answer = new RpcSession(dispatcher).receive(JSON.stringify(message));
        void answer.then(check);
        await settle();
        runtime.pass(5_000);
        await settle();
      }
      state.broken = false;
      dispatcher.setEnabled(true);
      assert.ok((await ask(dispatcher, "state/inspect")).result, place);
    }
  });
}
