// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";

import fc from "fast-check";

import { base64 } from "../../../browser_worker/dispatcher/resources.js";
import { ask, listApp, settle } from "./support/list_app.js";

const BYTES = Uint8Array.from({ length: 100_000 }, (_, index) => (index * 31) % 251);

const RESOURCES = new Map([
  ["app:big", BYTES],
  ["app:empty", new Uint8Array()],
]);

/** @param {Partial<import("../../../browser_worker/dispatcher/host.js").Host>} [changes] */
function reader(changes = {}) {
  /** @type {unknown[]} */
  const asked = [];
  const { dispatcher, runtime, errors } = listApp(() => ({
    readResource(uri, offset, limit) {
      asked.push([uri, offset, limit]);
      const whole = RESOURCES.get(uri);
      if (whole === undefined) return null;
      const data = whole.subarray(offset, offset + limit);
      return { mimeType: "image/png", size: whole.length, data };
    },
    ...changes,
  }));
  return { dispatcher, runtime, errors, asked };
}

test("a resource is read in parts of at most 65,536 bytes, each of which names the next", async () => {
  const { dispatcher, asked } = reader();
  const first = (await ask(dispatcher, "resources/read", { uri: "app:big" })).result;
  assert.deepEqual(Object.keys(first), [
    "uri",
    "mimeType",
    "size",
    "offset",
    "data",
    "nextOffset",
    "revision",
    "protocolVersion",
  ]);
  assert.deepEqual(
    [first.uri, first.mimeType, first.size, first.offset, first.nextOffset, first.revision],
    ["app:big", "image/png", 100_000, 0, 65_536, 1],
  );
  const params = { uri: "app:big", offset: first.nextOffset };
  const second = (await ask(dispatcher, "resources/read", params)).result;
  assert.equal("nextOffset" in second, false);
  const parts = [first, second].map(({ data }) => Buffer.from(data, "base64"));
  assert.deepEqual(new Uint8Array(Buffer.concat(parts)), BYTES);
  assert.deepEqual(asked, [
    ["app:big", 0, 65_536],
    ["app:big", 65_536, 65_536],
  ]);
});

test("parts of any size put together are the resource", async () => {
  const { dispatcher } = reader();
  const parts = [];
  let offset = 0;
  while (parts.length < 10) {
    const params = { uri: "app:big", offset, limit: 33_333 };
    const { data, nextOffset } = (await ask(dispatcher, "resources/read", params)).result;
    parts.push(Buffer.from(data, "base64"));
    if (nextOffset === undefined) break;
    offset = nextOffset;
  }
  assert.equal(parts.length, 4);
  assert.deepEqual(new Uint8Array(Buffer.concat(parts)), BYTES);
});

test("at and past its end a resource has nothing more, and an empty one has nothing at all", async () => {
  const { dispatcher, asked } = reader();
  for (const [uri, offset] of [
    ["app:big", 100_000],
    ["app:big", 100_001],
    ["app:empty", 0],
    ["app:big", Number.MAX_SAFE_INTEGER],
  ]) {
    const { result } = await ask(dispatcher, "resources/read", { uri, offset });
    assert.deepEqual([result.data, result.offset, "nextOffset" in result], ["", offset, false]);
  }
  const { RpcSession } = await import("../../../browser_worker/index.js");
  const answer = await new RpcSession(dispatcher).receive(
    '{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"app:big","offset":36893488147419103232}}',
  );
  assert.match(answer ?? "", /"offset":36893488147419103232,"data":""/);
  assert.deepEqual(asked.at(-1), ["app:big", Number.MAX_SAFE_INTEGER, 65_536]);
});

test("what there is not is UNKNOWN_RESOURCE, also in an app without resources", async () => {
  const { dispatcher } = reader();
  for (const each of [dispatcher, listApp().dispatcher]) {
    const { error } = await ask(each, "resources/read", { uri: "__proto__" });
    assert.deepEqual(error.data, { code: "UNKNOWN_RESOURCE" });
  }
});

test("a uri, an offset and a limit are checked before the host is asked", async () => {
  const { dispatcher, asked } = reader();
  for (const params of [
    {},
    { uri: 5 },
    { uri: "app:big", offset: -1 },
    { uri: "app:big", offset: 0.5 },
    { uri: "app:big", offset: "0" },
    { uri: "app:big", limit: 0 },
    { uri: "app:big", limit: null },
  ]) {
    const { error } = await ask(dispatcher, "resources/read", params);
    assert.equal(error?.code, -32602, JSON.stringify(params));
  }
  const over = await ask(dispatcher, "resources/read", { uri: "app:big", limit: 65_537 });
  assert.deepEqual(over.error.data, { limit: "limit", maximum: 65_536, code: "LIMIT_EXCEEDED" });
  assert.deepEqual(asked, []);
  assert.ok((await ask(dispatcher, "resources/read", { uri: "app:big", limit: 65_536 })).result);
});

test("a host is believed only as far as its numbers fit together", async () => {
  const good = { mimeType: "text/plain", size: 10, data: new Uint8Array(5) };
  const params = { uri: "x", offset: 5, limit: 5 };
  const read = (/** @type {any} */ found) =>
    ask(reader({ readResource: () => found }).dispatcher, "resources/read", params);
  assert.equal((await read(good)).result.size, 10);
  assert.equal((await read(Promise.resolve(good))).result.size, 10);
  assert.equal((await read({ ...good, data: Buffer.from("abcde") })).result.data, "YWJjZGU=");
  const liars = [
    5,
    {},
    { ...good, mimeType: 5 },
    { ...good, size: "10" },
    { ...good, size: -1 },
    { ...good, size: -1, data: new Uint8Array(0) },
    { ...good, size: 10.5 },
    { ...good, size: 9 },
    { ...good, data: "abcde" },
    { ...good, data: [1, 2] },
    { ...good, size: 100, data: new Uint8Array(6) },
    { ...good, data: new Uint8Array(0) },
    Promise.reject(new Error("secret")),
    { get mimeType() { throw new Error("secret"); } },
  ]; // prettier-ignore
  for (const liar of liars) {
    const { error } = await read(liar);
    assert.deepEqual(error.data, { code: "HOST_ERROR" });
    assert.ok(!JSON.stringify(error).includes("secret"));
  }
  assert.equal((await read(undefined)).error.data.code, "UNKNOWN_RESOURCE");
  const { dispatcher } = reader({ readResource: () => good });
  const kept = await dispatcher.readResource("x", 5, 5);
  good.data.fill(1);
  assert.deepEqual(kept.data, new Uint8Array(5), "what it does to its own bytes later is its own");
});

test("a resource is read in turn, and one that hangs gives its turn up", async () => {
  const { dispatcher, runtime } = reader({ readResource: () => new Promise(() => {}) });
  void ask(dispatcher, "resources/read", { uri: "x" });
  const next = ask(dispatcher, "actions/execute", { action: "words" });
  await settle();
  let answered = false;
  void next.then(() => (answered = true));
  await settle();
  assert.equal(answered, false);
  runtime.pass(5_000);
  assert.equal((await next).result.status, "completed");
});

test("neither a resource nor the state is read for a caller who has gone, or when the way in was shut", async () => {
  /** @type {(value: any) => void} */
  let finish = () => {};
  const { dispatcher, asked } = reader({ inspect: () => new Promise((yes) => (finish = yes)) });
  let gone = false;
  const caller = { expired: () => gone };
  const first = dispatcher.inspect({}, caller);
  const late = Promise.resolve(dispatcher.readResource("app:big", 0, 1, caller));
  gone = true;
  finish({});
  assert.deepEqual(await first, {});
  await assert.rejects(late, { code: "UNAVAILABLE" });
  const second = dispatcher.inspect({});
  const shut = ask(dispatcher, "resources/read", { uri: "app:big" });
  await settle();
  dispatcher.setEnabled(false);
  finish({});
  await second;
  assert.equal((await shut).error.data.code, "DISABLED");
  assert.deepEqual(asked, []);
  const own = await dispatcher.readResource("app:empty", 0, 1);
  assert.equal(own.size, 0, "the app itself may read all the same");
});

test("base64 is what every decoder reads", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      assert.equal(base64(bytes), Buffer.from(bytes).toString("base64"));
    }),
  );
  assert.equal(base64(BYTES), Buffer.from(BYTES).toString("base64"));
});
