// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";

import { offerModelContextTools, registerWithModelContext } from "../../../browser_worker/index.js";
import { makeApp } from "./support/app.js";
import { ChromiumContext, SHAPES, settled } from "./support/model_contexts.js";

/** @import { RegisterOptions } from "../../../browser_worker/index.js" */

/**
 * What an agent in the page sees: it lists and calls.
 *
 * @param {any} context
 */
function agent(context) {
  const names = async () =>
    (await context.getTools()).map((/** @type {{ name: string }} */ { name }) => name);
  const call = async (/** @type {string} */ name, /** @type {object} */ input = {}) => {
    if (context.invokeTool) return context.invokeTool(name, input);
    const tool = (await context.getTools()).find((/** @type {any} */ each) => each.name === name);
    assert.ok(tool, `no tool ${name}`);
    return JSON.parse(
      await context.executeTool(tool, context.text ? JSON.stringify(input) : input),
    );
  };
  return { names, call };
}

/**
 * @param {any} modelContext
 * @param {RegisterOptions} [options]
 * @param {Parameters<typeof makeApp>[0]} [changes]
 */
async function registered(modelContext, options = {}, changes = {}) {
  const app = makeApp(changes);
  /** @type {string[]} */
  const warnings = [];
  const warn = (/** @type {string} */ message) => void warnings.push(message);
  const stop = registerWithModelContext(app.dispatcher, { modelContext, warn, ...options });
  await settled();
  return { ...app, ...agent(modelContext), tools: app.names, warnings, stop };
}

for (const [shape, makeContext] of Object.entries(SHAPES)) {
  test(`the app's actions are tools of the browser until they are taken back, in the shape of ${shape}`, async () => {
    const context = makeContext();
    const app = await registered(context);
    const { names, call, stop } = { ...app, ...agent(context) };
    assert.deepEqual(await names(), ["app.count", "app.add"]);
    assert.deepEqual(await call("app.add", { by: 3 }), { count: 3 });
    assert.deepEqual(await call("app.count"), { count: 3 });
    stop();
    await settled();
    assert.deepEqual(await names(), []);
  });
}

test("a tool tells the browser the action's schemas, and whether it only reads", async () => {
  const context = new ChromiumContext();
  await registered(context);
  const [count, add] = await context.getTools();
  assert.equal(count?.annotations?.readOnlyHint, true);
  assert.equal(add?.annotations?.readOnlyHint, false);
  assert.equal(add?.description, "Adds to the count");
  assert.deepEqual(add?.inputSchema, {
    type: "object",
    properties: { by: { type: "integer" } },
    required: ["by"],
    additionalProperties: false,
  });
  assert.deepEqual(add?.outputSchema, { type: "object" });
});

test("an error comes whole, in text and in structuredContent, and no word of the app's own", async () => {
  const context = new ChromiumContext();
  const { errors } = await registered(context);
  const { call } = agent(context);
  for (const [by, code] of /** @type {[any, string][]} */ ([
    ["many", "INVALID_INPUT"],
    [101, "UNAVAILABLE"],
    [-1, "HOST_ERROR"],
  ])) {
    /** @type {any} */
    const { isError, content, structuredContent } = await call("app.add", { by });
    assert.equal(isError, true);
    assert.equal(structuredContent.error.data.code, code);
    assert.deepEqual(content, [
      {
        type: "text",
        text: `${structuredContent.error.message}\n${JSON.stringify(structuredContent)}`,
      },
    ]);
    assert.doesNotMatch(content[0]?.text ?? "", /secret/);
  }
  assert.equal(errors.length, 1, "the page's own console has it");
});

test("the browser's agent is outside: a disabled dispatcher refuses it", async () => {
  const context = new ChromiumContext();
  const { dispatcher } = await registered(context);
  const { call } = agent(context);
  dispatcher.setEnabled(false);
  assert.equal((await call("app.add", { by: 1 })).structuredContent.error.data.code, "DISABLED");
  dispatcher.setEnabled(true);
  assert.deepEqual(await call("app.add", { by: 1 }), { count: 1 });
});

for (const {
  how,
  end,
  code,
} of /** @type {{ how: string, end: (app: any) => void, code: string | undefined }[]} */ ([
  {
    how: "is not begun once the app is paused",
    end: ({ dispatcher }) => dispatcher.setEnabled(false),
    code: "DISABLED",
  },
  {
    how: "is not begun once the tools are taken back",
    end: ({ stop }) => stop(),
    code: "UNAVAILABLE",
  },
  { how: "is begun otherwise", end: () => {}, code: undefined },
])) {
  test(`a call of the browser's agent that waits for its turn ${how}`, async () => {
    /** @type {string[]} */
    const begun = [];
    let release = () => {};
    const app = await registered(
      new ChromiumContext(),
      {},
      {
        execute: (action) => {
          begun.push(action);
          if (action === "app.add") return { count: 1 };
          return new Promise((resolve) => (release = () => resolve({ count: 0 })));
        },
      },
    );
    const held = app.dispatcher.executeLocal("app.count");
    const waiting = app.call("app.add", { by: 1 });
    await settled();
    assert.deepEqual(begun, ["app.count"], "its turn has not come");
    end(app);
    release();
    await held;
    const answer = await waiting;
    assert.equal(answer.structuredContent?.error.data.code, code);
    assert.deepEqual(begun, code === undefined ? ["app.count", "app.add"] : ["app.count"]);
  });
}

test("who kept a tool that was taken back calls nothing by it", async () => {
  const context = new ChromiumContext();
  /** @type {any[]} */
  const given = [];
  const whole = context.registerTool.bind(context);
  context.registerTool = (tool, options) => {
    given.push(tool);
    return whole(tool, options);
  };
  const { dispatcher, stop } = await registered(context);
  const add = given.find(({ name }) => name === "app.add");
  assert.deepEqual(await add.execute({ by: 1 }), { count: 1 });
  stop();
  assert.equal((await add.execute({ by: 1 })).structuredContent.error.data.code, "UNAVAILABLE");
  assert.equal(dispatcher.revision(), 1);
});

test("the host is told a session that no terminal can have, and when it is over", async () => {
  /** @type {(string | undefined)[]} */
  const sessions = [];
  /** @type {string[]} */
  const ended = [];
  const app = await registered(
    new ChromiumContext(),
    {},
    {
      execute: (_action, _input, { session }) => {
        sessions.push(session);
        return { count: 0 };
      },
      sessionEnded: (session) => void ended.push(session),
    },
  );
  await app.call("app.count");
  await app.dispatcher.executeLocal("app.count");
  assert.match(String(sessions[0]), /^browser\/\d+$/);
  assert.equal(sessions[1], undefined, "the app's own calls have none");
  assert.deepEqual(ended, []);
  app.stop();
  assert.deepEqual(ended, [sessions[0]]);
});

test("a slow call of the browser's agent is waited for: it could not ask for a task", async () => {
  let release = () => {};
  const app = await registered(
    new ChromiumContext(),
    {},
    {
      execute: (_action, _input, { defer }) => {
        defer("consent", "Somebody is asked.");
        return new Promise((resolve) => (release = () => resolve({ count: 7 })));
      },
    },
  );
  const slow = app.call("app.count");
  await settled();
  app.runtime.pass(60_000);
  release();
  assert.deepEqual(await slow, { count: 7 });
});

test("the app may keep actions to itself, and take all back by a signal", async () => {
  const context = new ChromiumContext();
  const controller = new AbortController();
  const { signal } = controller;
  await registered(context, { filter: ({ kind }) => kind === "read", signal });
  const { names } = agent(context);
  assert.deepEqual(await names(), ["app.count"]);
  controller.abort();
  await settled();
  assert.deepEqual(await names(), []);
  await registered(context, { signal });
  assert.deepEqual(await names(), [], "an aborted signal registers nothing");
  await registered(context);
  assert.deepEqual(await names(), ["app.count", "app.add"], "and they can come back");
});

test("what is taken back before the browser has answered is not registered later", async () => {
  const context = new ChromiumContext();
  const { dispatcher } = makeApp();
  registerWithModelContext(dispatcher, { modelContext: context, warn: assert.fail })();
  await settled();
  assert.deepEqual(await agent(context).names(), []);
});

test("a tool of the page's own keeps its name", async () => {
  for (const makeContext of Object.values(SHAPES)) {
    const context = makeContext();
    await context.registerTool({
      name: "app.add",
      description: "The page's own",
      execute: () => ({ whose: "the page's" }),
    });
    const { warnings } = await registered(context);
    const { names, call } = agent(context);
    assert.deepEqual(await names(), ["app.add", "app.count"]);
    assert.deepEqual(await call("app.add"), { whose: "the page's" });
    assert.equal(warnings.length, 1);
    assert.match(String(warnings[0]), /app\.add/);
  }
});

test("a browser that refuses a tool is told of, and the others are there", async () => {
  const context = new ChromiumContext();
  const whole = context.registerTool.bind(context);
  context.registerTool = async (tool, options) => {
    if (tool.name === "app.count") throw new DOMException("no", "NotAllowedError");
    return whole(tool, options);
  };
  const { warnings } = await registered(context);
  assert.deepEqual(await agent(context).names(), ["app.add"]);
  assert.deepEqual(warnings, [
    "The browser does not take app.count as a tool: NotAllowedError: no",
  ]);
});

test("tools that were offered are not registered again, and registered ones not offered", async () => {
  for (const makeContext of Object.values(SHAPES)) {
    const context = makeContext();
    await context.registerTool({ name: "page_tool", description: "P", execute: () => ({ p: 1 }) });
    const { dispatcher, names, execute } = makeApp();
    const modelContext = /** @type {any} */ (context);
    offerModelContextTools(dispatcher, { modelContext, warn: assert.fail });
    await settled();
    const stop = registerWithModelContext(dispatcher, { modelContext, warn: assert.fail });
    await settled();
    assert.deepEqual(await names(), ["app.count", "app.add", "webmcp.page_tool"]);
    assert.deepEqual(await agent(context).names(), ["page_tool", "app.count", "app.add"]);
    assert.deepEqual((await execute("webmcp.page_tool")).result.output, { p: 1 });
    stop();
    assert.deepEqual(await names(), ["app.count", "app.add", "webmcp.page_tool"]);
    await settled();
    assert.deepEqual(await names(), ["app.count", "app.add", "webmcp.page_tool"]);
    assert.deepEqual(await agent(context).names(), ["page_tool"]);
  }
});

test("work that goes on is told as a task, and large integers as the browser's numbers", async () => {
  const context = new ChromiumContext();
  const { dispatcher } = makeApp({
    execute: (action) => {
      if (action === "app.count") return { count: 2n ** 64n };
      const task = dispatcher.tasks.create(action);
      task.report({ done: 1 });
      return task;
    },
  });
  registerWithModelContext(dispatcher, { modelContext: context, warn: assert.fail });
  await settled();
  const { call } = agent(context);
  assert.deepEqual(await call("app.count"), { count: 2 ** 64 });
  assert.deepEqual(await call("app.add", { by: 1 }), {
    task: { id: "task-1", action: "app.add", state: "queued", progress: { done: 1 } },
  });
});

test("an input that is no JSON is refused", async () => {
  const context = SHAPES.Firefox();
  await registered(context);
  const { isError, structuredContent } = await agent(context).call("app.add", { by: NaN });
  assert.equal(isError, true);
  assert.equal(structuredContent.error.data.code, "INVALID_INPUT");
});

test("without a registry nothing is registered and nothing fails", async () => {
  const { dispatcher } = makeApp();
  for (const modelContext of [null, {}, { getTools: () => [] }]) {
    registerWithModelContext(dispatcher, { modelContext, warn: assert.fail })();
  }
  registerWithModelContext(dispatcher)();
  await settled();
});
