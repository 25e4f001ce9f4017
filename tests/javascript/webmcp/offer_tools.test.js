// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";

import { addHost } from "../../../browser_worker/dispatcher/added_hosts.js";
import { ActionSpec, attach, offerModelContextTools } from "../../../browser_worker/index.js";
import { ToolHost } from "../../../browser_worker/webmcp/tool_host.js";
import { makeApp } from "./support/app.js";
import { ChromiumContext, FirefoxContext, SHAPES, settled } from "./support/model_contexts.js";

/** @import { Tool } from "./support/model_contexts.js" */

const TITLE = {
  type: "object",
  properties: { title: { type: "string" } },
  required: ["title"],
  additionalProperties: false,
};

/** @returns {Tool & { added: string[] }} */
function addTodo() {
  /** @type {string[]} */
  const added = [];
  return {
    name: "add_todo",
    description: "Adds a to-do",
    inputSchema: TITLE,
    added,
    execute: ({ title }) => ({ length: added.push(title) }),
  };
}

/**
 * @param {string} name
 * @param {(input: any, options: { signal: AbortSignal }) => unknown} [execute]
 * @param {Partial<Tool>} [changes]
 * @returns {Tool}
 */
function tool(name, execute = () => ({}), changes = {}) {
  return { name, description: `Does ${name}`, execute, ...changes };
}

/**
 * @param {any} modelContext
 * @param {Parameters<typeof makeApp>[0]} [changes]
 */
function offering(modelContext, changes) {
  const app = makeApp(changes);
  /** @type {string[]} */
  const warnings = [];
  const warn = (/** @type {string} */ message) => void warnings.push(message);
  const stop = offerModelContextTools(app.dispatcher, { modelContext, warn });
  return { ...app, warnings, stop };
}

for (const [shape, makeContext] of Object.entries(SHAPES)) {
  test(`a tool of the page is an action behind the app's own, in the shape of ${shape}`, async () => {
    const context = makeContext();
    const todo = addTodo();
    await context.registerTool(todo);
    const { names, ask, execute } = offering(context);
    await settled();
    assert.deepEqual(await names(), ["app.count", "app.add", "webmcp.add_todo"]);
    const { result: described } = await ask("actions/describe", { action: "webmcp.add_todo" });
    assert.equal(described.action.description, "Adds a to-do");
    assert.equal(described.action.kind, "write");
    assert.deepEqual(described.action.inputSchema, TITLE);
    assert.ok(!("revision" in described), "the tool has no revision");
    const { result } = await execute("webmcp.add_todo", { title: "Milk" });
    assert.deepEqual(result.output, { length: 1 });
    assert.deepEqual(todo.added, ["Milk"], "and it ran once");
  });

  test(`tools come and go while the app is attached, in the shape of ${shape}`, async () => {
    const context = makeContext();
    const { names, execute } = offering(context);
    assert.deepEqual(await names(), ["app.count", "app.add"]);
    const controller = new AbortController();
    await context.registerTool(tool("late"), { signal: controller.signal });
    await settled();
    assert.deepEqual(await names(), ["app.count", "app.add", "webmcp.late"]);
    controller.abort();
    if (context instanceof FirefoxContext) context.unregisterTool("late");
    await settled();
    assert.deepEqual(await names(), ["app.count", "app.add"]);
    assert.equal((await execute("webmcp.late")).error.data.code, "UNKNOWN_ACTION");
  });
}

test("an input that the tool's schema refuses does not reach the tool", async () => {
  const context = new ChromiumContext();
  const todo = addTodo();
  await context.registerTool(todo);
  const { execute } = offering(context);
  await settled();
  const { error } = await execute("webmcp.add_todo", { titel: "Milk" });
  assert.equal(error.data.code, "INVALID_INPUT");
  assert.ok(error.data.errors.length > 0);
  assert.equal(context.runs, 0);
});

test("a tool that says that it only reads is a read, any other a write", async () => {
  const context = new ChromiumContext();
  await context.registerTool(tool("look", () => ({}), { annotations: { readOnlyHint: true } }));
  await context.registerTool(
    tool("mail", () => ({}), { annotations: { untrustedContentHint: true } }),
  );
  const { ask } = offering(context);
  await settled();
  const { result } = await ask("actions/list", { query: "webmcp." });
  assert.deepEqual(
    result.actions.map((/** @type {any} */ { name, kind }) => [name, kind]),
    [
      ["webmcp.look", "read"],
      ["webmcp.mail", "write"],
    ],
  );
  assert.match(result.actions[1].description, /^Does mail Its output may hold text that the page/);
});

test("a tool with a bad schema is left out and told once, the others stay", async () => {
  const context = new ChromiumContext();
  await context.registerTool(tool("bad", () => ({}), { inputSchema: { type: "nonsense" } }));
  await context.registerTool(
    tool("worse", () => ({}), { inputSchema: { $ref: "https://x.test/" } }),
  );
  await context.registerTool(tool("list", () => ({}), { inputSchema: [] }));
  await context.registerTool(tool("good"));
  const { names, warnings } = offering(context);
  await settled();
  await context.registerTool(tool("later"));
  await settled();
  assert.deepEqual(await names(), ["app.count", "app.add", "webmcp.good", "webmcp.later"]);
  assert.deepEqual(
    warnings.map((warning) => /^The tool (\w+) of this page is not offered/.exec(warning)?.[1]),
    ["bad", "worse", "list"],
  );
});

test("a schema for an object output is kept, and held against what the tool gives", async () => {
  const context = new ChromiumContext();
  const outputSchema = { type: "object", required: ["sum"] };
  await context.registerTool(tool("sum", () => ({ sum: 1 }), { outputSchema }));
  await context.registerTool(tool("none", () => ({}), { outputSchema }));
  await context.registerTool(tool("text", () => "x", { outputSchema: { type: "string" } }));
  const { ask, execute } = offering(context);
  await settled();
  const { result } = await ask("actions/describe", { action: "webmcp.sum" });
  assert.deepEqual(result.action.outputSchema, outputSchema);
  assert.deepEqual((await execute("webmcp.sum")).result.output, { sum: 1 });
  assert.equal((await execute("webmcp.none")).error.data.code, "INVALID_OUTPUT");
  assert.deepEqual((await execute("webmcp.text")).result.output, { text: "x" });
});

test("an action of the app's own is never a tool of the same name", async () => {
  const context = new ChromiumContext();
  await context.registerTool(tool("mine"));
  const mine = ActionSpec.read("webmcp.mine", "The app's own");
  const { names, execute } = offering(context, {
    actions: () => [mine],
    execute: () => ({ whose: "the app's" }),
  });
  await settled();
  assert.deepEqual(await names(), ["webmcp.mine"]);
  assert.deepEqual((await execute("webmcp.mine")).result.output, { whose: "the app's" });
  assert.equal(context.runs, 0);
});

test("the app's own calls stay synchronous beside the browser's tools", async () => {
  const context = new ChromiumContext();
  await context.registerTool(tool("slow"));
  const { dispatcher } = offering(context);
  assert.deepEqual(dispatcher.executeLocal("app.add", { by: 2 }), { count: 2 });
  await settled();
  assert.deepEqual(dispatcher.executeLocal("app.add", { by: 2 }), { count: 4 });
});

test("a tool's own word for its failure is told, what it throws is not", async () => {
  const context = new ChromiumContext();
  const said = { isError: true, content: [{ type: "text", text: "The list is full." }] };
  await context.registerTool(tool("says", () => said));
  await context.registerTool(
    tool("throws", () => {
      throw new Error("a secret");
    }),
  );
  const { execute, errors } = offering(context);
  await settled();
  const own = await execute("webmcp.says");
  assert.deepEqual(own.error.data, { code: "HOST_ERROR" });
  assert.equal(own.error.message, "The list is full.");
  const thrown = await execute("webmcp.throws");
  assert.deepEqual(thrown.error.data, { code: "HOST_ERROR" });
  assert.doesNotMatch(JSON.stringify(thrown), /secret/);
  assert.equal(errors.length, 1, "the page's own console has it");
});

test("a tool may call the app's dispatcher and be called meanwhile: it holds no turn", async () => {
  const context = new ChromiumContext();
  const { dispatcher, execute, runtime } = offering(context, {
    execute: async () => ({ count: 7 }),
  });
  await context.registerTool(
    tool("through", async () => ({ ...(await dispatcher.executeLocal("app.count")), through: 1 })),
  );
  await settled();
  const { result } = await execute("webmcp.through");
  assert.deepEqual(result.output, { count: 7, through: 1 });
  assert.equal(runtime.time, 0, "nothing had to be waited for");
});

test("a number that the browser could not write is given as it would have read it", async () => {
  const context = new ChromiumContext();
  await context.registerTool(tool("echo", (input) => input));
  const { dispatcher } = offering(context);
  await settled();
  const input = { large: 2n ** 64n, small: 1.5, nested: { toString: "own", text: "ä" } };
  const output = await dispatcher.executeLocal("webmcp.echo", input);
  assert.deepEqual(output, { ...input, large: 18446744073709552000n });
});

test("a call that is cancelled asks the tool to stop", async () => {
  const context = new ChromiumContext();
  let stopped = 0;
  await context.registerTool(
    tool("endless", (_input, { signal }) => {
      signal.addEventListener("abort", () => stopped++);
      return new Promise(() => {});
    }),
  );
  const { dispatcher, execute, ask, runtime } = makeApp();
  /** @type {Set<() => void>} */
  const polls = new Set();
  const host = new ToolHost(context, {
    warn: assert.fail,
    isOwn: () => false,
    every: (_milliseconds, callback) => {
      polls.add(callback);
      return () => polls.delete(callback);
    },
  });
  addHost(dispatcher, host);
  await settled();
  const called = execute("webmcp.endless");
  await settled();
  runtime.pass(5_000);
  const { id } = (await called).result.task;
  polls.forEach((poll) => poll());
  assert.equal(stopped, 0, "nobody has asked yet");
  await ask("tasks/cancel", { id });
  polls.forEach((poll) => poll());
  await settled();
  assert.equal(stopped, 1);
  assert.equal((await ask("tasks/get", { id })).result.task.state, "cancelled");
  assert.equal(polls.size, 0, "and nobody is asked any more");
});

test("tools of frames have names of their own, which no other tool gets", async () => {
  const context = new ChromiumContext();
  const frame = { closed: false };
  const options = { window: frame };
  await context.registerTool(
    tool("save", () => ({ from: "frame" })),
    options,
  );
  const { names, execute } = offering(context);
  await settled();
  assert.deepEqual(await names(), ["app.count", "app.add", "webmcp.save"]);
  await context.registerTool(tool("save", () => ({ from: "page" })));
  await settled();
  assert.deepEqual(await names(), ["app.count", "app.add", "webmcp.save-2", "webmcp.save"]);
  assert.deepEqual((await execute("webmcp.save")).result.output, { from: "frame" });
  assert.deepEqual((await execute("webmcp.save-2")).result.output, { from: "page" });
  // No event tells of a frame that is taken out of the page.
  frame.closed = true;
  assert.deepEqual(await names(), ["app.count", "app.add", "webmcp.save-2"]);
});

test("a tool that went without a word is asked after when it fails", async () => {
  const context = new ChromiumContext();
  await context.registerTool(tool("gone"));
  const { names, execute } = offering(context);
  await settled();
  context.tools.clear();
  assert.equal((await execute("webmcp.gone")).error.data.code, "HOST_ERROR");
  await settled();
  assert.deepEqual(await names(), ["app.count", "app.add"]);
});

test("in a batch a tool is a call like others, and no part of an atomic one", async () => {
  const context = new ChromiumContext();
  await context.registerTool(addTodo());
  const { ask } = offering(context);
  await settled();
  const calls = [
    { action: "app.count", input: {} },
    { action: "webmcp.add_todo", input: { title: "Milk" } },
  ];
  const { result } = await ask("actions/batch", { calls });
  assert.deepEqual(
    result.results.map((/** @type {any} */ { ok, output }) => [ok, output]),
    [
      [true, { count: 0 }],
      [true, { length: 1 }],
    ],
  );
  const { error } = await ask("actions/batch", { calls, atomic: true });
  assert.equal(error.data.code, "TRANSACTION_UNSUPPORTED");
  assert.equal(context.runs, 1);
});

test("a browser that refuses the list takes nothing from the app", async () => {
  for (const getTools of [
    () => Promise.reject(new DOMException("tools", "NotAllowedError")),
    () => {
      throw new DOMException("tools", "NotAllowedError");
    },
  ]) {
    const context = new ChromiumContext();
    Object.assign(context, { getTools });
    const { names, warnings } = offering(context);
    await settled();
    context.dispatchEvent(new Event("toolchange"));
    await settled();
    assert.deepEqual(await names(), ["app.count", "app.add"]);
    assert.equal(warnings.length, 1);
    assert.match(String(warnings[0]), /NotAllowedError/);
  }
});

test("without a registry, or with one that only registers, the app is as it was", async () => {
  for (const context of [null, {}, { registerTool() {} }, { getTools: () => [] }]) {
    const { names, stop } = offering(context);
    assert.deepEqual(await names(), ["app.count", "app.add"]);
    stop();
  }
  const { dispatcher, names } = makeApp();
  offerModelContextTools(dispatcher)();
  assert.deepEqual(await names(), ["app.count", "app.add"], "Node has none");
});

test("what was offered is taken away again, and the browser is not asked any more", async () => {
  const context = new ChromiumContext();
  await context.registerTool(tool("look"));
  const { names, stop, execute } = offering(context);
  await settled();
  assert.deepEqual(await names(), ["app.count", "app.add", "webmcp.look"]);
  stop();
  assert.deepEqual(await names(), ["app.count", "app.add"]);
  assert.equal((await execute("webmcp.look")).error.data.code, "UNKNOWN_ACTION");
  const listings = context.listings;
  await context.registerTool(tool("more"));
  await settled();
  assert.equal(context.listings, listings);
});

test("attach takes a dispatcher, or webmcp, and adds tools to a dispatcher only", () => {
  const options = { url: "http://127.0.0.1:1", token: "t", app: "App" };
  assert.throws(() => attach(/** @type {any} */ (options)), {
    name: "TypeError",
    message: "attach needs a dispatcher, or webmcp",
  });
  const endpoint = { request: async () => null, closeSession: () => false };
  assert.throws(
    () => attach(/** @type {any} */ ({ ...options, dispatcher: endpoint, webmcp: true })),
    { name: "TypeError", message: /^webmcp adds to a Dispatcher/ },
  );
});
