// @ts-check
/** Registries and tools that break: whatever a page's scripts register, the app's own actions stay. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { addHost } from "../../../browser_worker/dispatcher/added_hosts.js";
import { offerModelContextTools } from "../../../browser_worker/index.js";
import { ToolHost } from "../../../browser_worker/webmcp/tool_host.js";
import { makeApp } from "./support/app.js";
import { settled } from "./support/model_contexts.js";

const OWN = ["app.count", "app.add"];
const GOOD = { name: "good", description: "Is as it should be" };

/** @param {() => unknown} getTools */
function registry(getTools) {
  return { getTools, executeTool: () => "{}", addEventListener() {}, removeEventListener() {} };
}

/** @param {readonly unknown[]} tools */
async function offered(...tools) {
  const app = makeApp();
  /** @type {string[]} */
  const warnings = [];
  const modelContext = /** @type {any} */ (registry(() => tools));
  offerModelContextTools(app.dispatcher, { modelContext, warn: (said) => warnings.push(said) });
  await settled();
  return { ...app, warnings };
}

/** @type {Record<string, any>} */
const cyclic = { type: "object" };
cyclic["properties"] = { again: cyclic };

for (const [what, bad, told] of /** @type {[string, unknown, number][]} */ ([
  ["no object", null, 0],
  ["one whose name cannot be read", { get name() { throw new Error("no name"); } }, 0], // prettier-ignore
  ["one whose text cannot be read", { name: "bad", get description() { throw new Error("no"); } }, 0], // prettier-ignore
  ["one whose schema is a circle", { name: "bad", inputSchema: cyclic }, 1],
  ["one whose schema has what JSON lacks", { name: "bad", inputSchema: { minProperties: 1n } }, 1],
])) {
  test(`a tool that is none takes no other away: ${what}`, async () => {
    const { names, warnings } = await offered(bad, GOOD);
    assert.deepEqual(await names(), [...OWN, "webmcp.good"]);
    assert.equal(warnings.length, told);
  });
}

test("half a character in a tool's description does not spoil the app's list", async () => {
  const { ask, names } = await offered({ name: "half", description: "\uDC00 of \uD83D it" }, GOOD);
  assert.deepEqual(await names(), [...OWN, "webmcp.half", "webmcp.good"]);
  const { result } = await ask("actions/describe", { action: "webmcp.half" });
  assert.equal(result.action.description, "\uFFFD of \uFFFD it");
});

test("a browser that does not answer holds up the app's own calls once, for a moment", async () => {
  const { dispatcher, names, execute } = makeApp();
  /** @type {((tools: unknown[]) => void)[]} */
  const unanswered = [];
  /** @type {Set<() => void>} */
  const timers = new Set();
  // Such a browser tells of no changes, and so is asked each time.
  const context = {
    getTools: () => new Promise((resolve) => void unanswered.push(resolve)),
    invokeTool: () => ({}),
  };
  const host = new ToolHost(/** @type {any} */ (context), {
    warn: assert.fail,
    isOwn: () => false,
    every: (_milliseconds, callback) => {
      timers.add(callback);
      return () => timers.delete(callback);
    },
  });
  addHost(dispatcher, host);
  let isOver = false;
  const first = names().finally(() => (isOver = true));
  await settled();
  assert.equal(isOver, false, "it may still answer");
  timers.forEach((timer) => timer());
  assert.deepEqual(await first, OWN);
  assert.deepEqual((await execute("app.count")).result.output, { count: 0 });
  assert.equal(timers.size, 0, "and nobody waits any more");
  // It is waited for again when it has answered.
  unanswered.at(-1)?.([GOOD]);
  await settled();
  const later = names();
  unanswered.at(-1)?.([GOOD]);
  assert.deepEqual(await later, [...OWN, "webmcp.good"]);
});
