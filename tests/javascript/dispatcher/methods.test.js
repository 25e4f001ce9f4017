// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";

import { MAX_LIST_BYTES } from "../../../browser_worker/contract/limits.js";
import { ActionSpec, RpcSession } from "../../../browser_worker/index.js";
import { ACTIONS, add, ask, listApp } from "./support/list_app.js";

const PICTURE = { resource: "app:picture", mimeType: "image/png", width: 4, height: 3 };
const SIZE = { type: "object", properties: { width: { type: "integer" } } };

/** @param {(input: any, context: any) => unknown} render @param {object} [options] */
function renderer(render, options = { inputSchema: SIZE }) {
  return listApp(() => ({
    actions: () => [...ACTIONS, ActionSpec.read("ui.render", "Renders the view", options)],
    execute: (_action, input, context) => render(input, context),
  }));
}

test("view/render runs ui.render with its params and gives its output", async () => {
  /** @type {unknown[]} */
  const inputs = [];
  const { dispatcher } = renderer((input) => (inputs.push(input), PICTURE));
  const params = { width: 4, protocolVersion: "1" };
  const { result } = await ask(dispatcher, "view/render", params);
  assert.deepEqual(result, { ...PICTURE, revision: 1, protocolVersion: "1" });
  assert.deepEqual(inputs, [{ width: 4 }]);
  const { error } = await ask(dispatcher, "view/render", { width: "4" });
  assert.deepEqual(error.data.errors, [{ path: "/width", message: error.data.errors[0].message }]);
});

test("a rendering tells the revision of what it shows, not of what came after it", async () => {
  /** @type {(picture: object) => void} */
  let draw = () => {};
  const picture = new Promise((resolve) => (draw = resolve));
  const { dispatcher } = listApp((app) => ({
    actions: () => [...ACTIONS, ActionSpec.read("ui.render", "Renders the view")],
    execute: (action) => (action === "ui.render" ? picture : { now: ++app.revision }),
  }));
  const shown = ask(dispatcher, "view/render");
  const added = ask(dispatcher, "actions/execute", add("x"));
  draw(PICTURE);
  assert.equal((await shown).result.revision, 1);
  assert.equal((await added).result.revision, 2);
});

test("an app without ui.render has no such action", async () => {
  const { error } = await ask(listApp().dispatcher, "view/render");
  assert.equal(error.data.code, "UNKNOWN_ACTION");
});

test("a rendering that takes its time is a task, and one that is no object is an error", async () => {
  const slow = renderer(async (_input, { defer }) => {
    defer("upload", "It is being drawn.");
    return PICTURE;
  });
  const { result } = await ask(slow.dispatcher, "view/render");
  assert.deepEqual([result.status, result.task.id], ["deferred", "task-1"]);
  const wrong = renderer(() => "picture", { inputSchema: SIZE, outputSchema: true });
  const { error } = await ask(wrong.dispatcher, "view/render");
  assert.equal(error.data.code, "INVALID_OUTPUT");
});

/** @param {readonly string[]} descriptions */
function described(...descriptions) {
  const actions = descriptions.map((text, n) => ActionSpec.read(`a${n}`, text));
  return listApp(() => ({ actions: () => actions })).dispatcher;
}

/** @param {any} page */
const names = (page) => page.actions.map((/** @type {any} */ { name }) => name);

test("a page of actions ends with the last that fits to the byte", async () => {
  const around = '{"name":"a0","description":"","kind":"read","available":true}'.length;
  const odd = "\u2028\u0001é😀";
  const left = MAX_LIST_BYTES - 2 * around - 100_000 - (6 + 6 + 2 + 4);
  const texts = ["x".repeat(100_000), odd + "x".repeat(left), "last"];
  const full = (await ask(described(...texts), "actions/list")).result;
  assert.deepEqual([names(full), full.nextCursor], [["a0", "a1"], "2"]);
  texts[1] += "x";
  const short = (await ask(described(...texts), "actions/list")).result;
  assert.deepEqual([names(short), short.nextCursor], [["a0"], "1"]);
  const rest = (await ask(described(...texts), "actions/list", { cursor: "1" })).result;
  assert.deepEqual([names(rest), rest.nextCursor], [["a1", "a2"], undefined]);
});

test("an action that fits no page is refused there and keeps no other from being listed", async () => {
  const app = described("first", "x".repeat(262_145), "last");
  const first = (await ask(app, "actions/list")).result;
  assert.deepEqual([names(first), first.nextCursor], [["a0"], "1"]);
  const { error } = await ask(app, "actions/list", { cursor: "1" });
  assert.deepEqual(error.data, {
    code: "LIMIT_EXCEEDED",
    limit: "stringBytes",
    maximum: 262_144,
  });
  assert.deepEqual(names((await ask(app, "actions/list", { cursor: "2" })).result), ["a2"]);
});

test("agent/info tells every method and every limit", async () => {
  const { result } = await ask(listApp().dispatcher, "agent/info");
  assert.deepEqual(result.methods, [
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
  ]);
  assert.equal(result.limits.maxBatchCalls, 128);
  assert.equal(result.limits.maxResourceChunkBytes, 65_536);
});

test("every method but agent/info is refused while the app takes no calls", async () => {
  const { dispatcher } = listApp();
  const { methods } = (await ask(dispatcher, "agent/info")).result;
  dispatcher.setEnabled(false);
  for (const method of methods) {
    const { result, error } = await ask(dispatcher, method);
    assert.equal(error?.data.code ?? result.enabled, method === "agent/info" ? false : "DISABLED");
  }
});

test("every method takes protocolVersion 1 and refuses every other", async () => {
  const { dispatcher } = listApp();
  const { methods } = (await ask(dispatcher, "agent/info")).result;
  for (const method of methods) {
    const known = await ask(dispatcher, method, { protocolVersion: "1" });
    assert.notEqual(known.error?.data?.code, "UNSUPPORTED_PROTOCOL_VERSION", method);
    for (const protocolVersion of ["2", 1, null, ["1"]]) {
      const { error } = await ask(dispatcher, method, { protocolVersion });
      assert.deepEqual(error.data, { supported: ["1"], code: "UNSUPPORTED_PROTOCOL_VERSION" });
    }
  }
});

test("a number is no object, however it is written", async () => {
  const session = new RpcSession(listApp().dispatcher);
  for (const number of ["1", "1.0", "1e400"]) {
    const params = await session.receive(
      `{"jsonrpc":"2.0","id":1,"method":"agent/info","params":${number}}`,
    );
    assert.match(params ?? "", /-32602/);
    const calls = await session.receive(
      `{"jsonrpc":"2.0","id":1,"method":"actions/batch","params":{"calls":[${number}]}}`,
    );
    assert.match(calls ?? "", /-32602/);
    assert.match((await session.receive(number)) ?? "", /-32600.*A request is a JSON object/);
  }
});
