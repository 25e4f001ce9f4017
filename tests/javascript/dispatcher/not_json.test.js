// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";

import fc from "fast-check";
import { computed, reactive, readonly, ref, shallowReactive } from "vue";

import { StrictJsonError, stringify } from "../../../browser_worker/contract/strict_json.js";
import { firstNotJson } from "../../../browser_worker/dispatcher/not_json.js";
import { ActionSpec, AgentEndpoint, Dispatcher } from "../../../browser_worker/index.js";

const ANY = { inputSchema: { type: "object" }, outputSchema: { type: "object" } };
const EXECUTE =
  '{"jsonrpc":"2.0","id":1,"method":"actions/execute","params":{"action":"a","input":{"n":1}}}';

/**
 * @param {(input: any, context: any) => unknown} execute
 * @param {() => any} [inspect]
 */
function dispatcherOf(execute, inspect = () => ({})) {
  const dispatcher = new Dispatcher(
    {
      actions: () => [ActionSpec.read("a", "An action", ANY)],
      revision: () => null,
      capabilities: () => 0,
      execute: (_action, input, context) => execute(input, context),
      inspect,
    },
    { app: { name: "Test", version: "1" } },
  );
  dispatcher.setEnabled(true);
  return dispatcher;
}

/**
 * @param {Dispatcher} dispatcher
 * @param {string} [line]
 */
async function ask(dispatcher, line = EXECUTE) {
  const answer = await new AgentEndpoint(dispatcher).request(line, { session: "s" });
  return JSON.parse(answer ?? "null");
}

/**
 * Wraps every object of a value in a proxy of its own, as the libraries with reactive state do.
 *
 * @param {any} value
 * @returns {any}
 */
function proxied(value) {
  if (value === null || typeof value !== "object") return value;
  return new Proxy(value, { get: (target, key) => proxied(Reflect.get(target, key)) });
}

class Point {
  #x = 1;
  get x() {
    return this.#x;
  }
}

/** @type {[string, unknown, unknown][]} */
const READABLE = [
  ["Vue's reactive object", reactive({ a: { b: [1, { c: "x" }] } }), { a: { b: [1, { c: "x" }] } }],
  ["Vue's readonly view", readonly(reactive({ a: [1] })), { a: [1] }],
  ["a reactive object in a plain one", { list: shallowReactive([{ a: 1 }]) }, { list: [{ a: 1 }] }],
  [
    "a reactive object of unwrapped refs",
    reactive({ n: ref(1), m: computed(() => 2) }),
    { n: 1, m: 2 },
  ],
  ["nested proxies", proxied({ a: { b: [true, null] } }), { a: { b: [true, null] } }],
  ["frozen objects", Object.freeze({ a: Object.freeze([1]) }), { a: [1] }],
  ["a plain object with a getter", { get a() { return 1; } }, { a: 1 }], // prettier-ignore
  ["an object without a prototype", Object.assign(Object.create(null), { a: 1 }), { a: 1 }],
];

for (const [what, value, told] of READABLE) {
  test(`${what} is told as what it holds, and taken as such`, async () => {
    assert.deepEqual((await ask(dispatcherOf(() => value))).result.output, told);
    assert.deepEqual((await ask(dispatcherOf(async () => value))).result.output, told);
    /** @type {unknown} */
    let taken;
    const dispatcher = dispatcherOf((input) => void (taken = input));
    await dispatcher.executeLocal("a", value);
    assert.deepEqual(taken, told);
    assert.equal(structuredClone(taken) !== taken, true, "handlers are given plain data");
  });
}

/** @type {[string, unknown, string, RegExp][]} */
const UNREADABLE = [
  ["a Map", { a: { m: new Map([[1, 2]]) } }, "/a/m", /is a Map/],
  ["a reactive Map", reactive({ m: new Map() }), "/m", /is a Map/],
  ["a Set", { "a/b~": new Set() }, "/a~1b~0", /is a Set/],
  ["a Date", { list: [1, new Date(0)] }, "/list/1", /is a Date.*toISOString/],
  ["a class instance with getters", { p: new Point() }, "/p", /instance of Point/],
  ["Vue's ref", { n: ref(1) }, "/n", /instance of RefImpl/],
  ["bytes", { b: new Uint8Array(2) }, "/b", /instance of Uint8Array/],
  ["an error", { e: new Error("secret") }, "/e", /instance of Error/],
  ["undefined", { a: undefined }, "/a", /is undefined/],
  ["a hole", { a: Array(1) }, "/a/0", /is undefined/],
  ["a function", { f() {} }, "/f", /is a function/],
  ["a symbol", { s: Symbol("secret") }, "/s", /is a symbol/],
  ["a number that is none", { n: NaN }, "/n", /is NaN/],
  ["half a character", { t: "a\ud800" }, "/t", /half a character/],
  ["half a character in a name", { a: { "\ud800": 1 } }, "/a", /half a character/],
];

for (const [what, value, path, message] of UNREADABLE) {
  test(`${what} in a result or an input is a clear error that names its place`, async () => {
    const { error } = await ask(dispatcherOf(() => value));
    assert.equal(error.data.code, "INVALID_OUTPUT");
    assert.equal(error.data.errors[0].path, path);
    assert.match(error.data.errors[0].message, message);
    assert.match(error.message, message);
    assert.doesNotMatch(JSON.stringify(error), /secret/);
    const local = await Promise.resolve()
      .then(() => dispatcherOf(() => ({})).executeLocal("a", value))
      .catch((refused) => refused);
    assert.equal(local.code, "INVALID_INPUT");
    assert.equal(local.data.errors[0].path, path);
  });
}

test("a task's output and an inspection name the place as well", async () => {
  const dispatcher = dispatcherOf(
    async (_input, { defer }) => {
      defer("person", "somebody has to say yes");
      await null;
      return { at: new Date(0) };
    },
    () => ({ todos: new Map() }),
  );
  const { result } = await ask(dispatcher);
  assert.equal(result.status, "deferred");
  await new Promise((resolve) => setImmediate(resolve));
  const get = `{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{"id":"${result.task.id}"}}`;
  const { task } = (await ask(dispatcher, get)).result;
  assert.deepEqual([task.state, task.error.data.errors[0].path], ["failed", "/at"]);
  const inspected = await ask(dispatcher, '{"jsonrpc":"2.0","id":1,"method":"state/inspect"}');
  assert.equal(inspected.error.data.errors[0].path, "/todos");
});

test("what holds itself is refused in both directions", async () => {
  /** @type {Record<string, unknown>} */
  const loop = { n: 1 };
  loop["self"] = loop;
  assert.equal((await ask(dispatcherOf(() => loop))).error.data.code, "LIMIT_EXCEEDED");
  assert.throws(() => dispatcherOf(() => ({})).executeLocal("a", loop), (error) => {
    const { code, data } = /** @type {any} */ (error);
    return code === "INVALID_INPUT" && /within itself/.test(data.errors[0].message);
  }); // prettier-ignore
});

test("a value that cannot even be looked at is still answered", async () => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  const throwing = { get secret() { throw new Error("secret"); } }; // prettier-ignore
  for (const value of [{ a: proxy }, { a: throwing }]) {
    const { error } = await ask(dispatcherOf(() => value));
    assert.equal(error.data.code, "HOST_ERROR");
    assert.doesNotMatch(JSON.stringify(error), /secret/);
    assert.equal(firstNotJson(value), undefined);
  }
});

test("a dispatcher that an app keeps in reactive state works as it does outside", async () => {
  const state = reactive({
    dispatcher: dispatcherOf(async (_input, { defer }) => {
      defer("person", "somebody has to say yes");
      return { done: true };
    }),
  });
  const dispatcher = /** @type {Dispatcher} */ (state.dispatcher);
  const { result } = await ask(dispatcher);
  await new Promise((resolve) => setImmediate(resolve));
  const get = `{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{"id":"${result.task.id}"}}`;
  assert.deepEqual((await ask(dispatcher, get)).result.task.output, { done: true });
});

test("a place is named for exactly what cannot be written, through proxies too", () => {
  const leaf = fc.oneof(
    fc.constantFrom(null, true, 1, "x", undefined, NaN, new Date(0), new Map(), new Point(), 2n),
    fc.string({ unit: "binary" }),
  );
  const { tree = leaf } = fc.letrec((/** @type {(name: string) => any} */ tie) => ({
    tree: fc.oneof(
      { maxDepth: 4 },
      leaf,
      fc.array(tie("tree"), { maxLength: 4 }),
      fc.dictionary(fc.string({ unit: "binary" }), tie("tree"), { maxKeys: 4 }),
    ),
  }));
  fc.assert(
    fc.property(tree, (value) => {
      for (const given of [value, proxied(value)]) {
        let written = true;
        try {
          stringify(given);
        } catch (error) {
          assert.ok(error instanceof StrictJsonError && error.kind === "syntax");
          written = false;
        }
        assert.equal(firstNotJson(given) === undefined, written);
      }
    }),
    { numRuns: 500 },
  );
});
