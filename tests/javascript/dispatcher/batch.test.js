// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";

import { add, ask, listApp, settle } from "./support/list_app.js";

/** @param {any} answer */
const codes = (answer) =>
  answer.result.results.map((/** @type {any} */ item) =>
    item.ok ? (item.status ?? "done") : item.skipped ? "skipped" : item.error.data.code,
  );

test("an ordered batch runs its calls in order, each at the revision of its own time", async () => {
  const app = listApp();
  const calls = [add("a", 1), add("b", 2), { action: "words" }];
  const { result } = await ask(app.dispatcher, "actions/batch", { calls });
  assert.deepEqual(result, {
    atomic: false,
    committed: false,
    results: [
      { ok: true, output: { words: ["a"] }, revision: 2 },
      { ok: true, output: { words: ["a", "b"] }, revision: 3 },
      { ok: true, output: { words: ["a", "b"] }, revision: 3 },
    ],
    revision: 3,
    protocolVersion: "1",
  });
  assert.deepEqual(app.log, ["add", "add", "words"]);
});

test("an ordered batch over a synchronous host is synchronous", () => {
  const { dispatcher } = listApp();
  const done = /** @type {any} */ (dispatcher.batch({ calls: [add("a"), { action: "words" }] }));
  assert.equal(done.results.length, 2);
});

test("an ordered batch stops at the first error, keeps what was done, and marks the rest as skipped", async () => {
  const app = listApp();
  const calls = [add("a", 1), add("b", 1), add("c", 2), { action: "words" }];
  const answer = await ask(app.dispatcher, "actions/batch", { calls });
  assert.deepEqual(codes(answer), ["done", "STALE_REVISION", "skipped", "skipped"]);
  assert.deepEqual(answer.result.results[3], { ok: false, skipped: true });
  assert.deepEqual(answer.result.results[1].error.data, {
    expected: 1,
    actual: 2,
    code: "STALE_REVISION",
  });
  assert.deepEqual(app.words, ["a"]);
});

test("an ordered batch goes on past errors where that is asked for, and reports each", async () => {
  const app = listApp(undefined, () => {
    throw new Error("secret");
  });
  const calls = [
    { action: "nothing" },
    { action: "secret" },
    { action: "add", input: {}, expectedRevision: 1 },
    { action: "clear" },
    { action: "peek" },
    add("a"),
  ];
  const answer = await ask(app.dispatcher, "actions/batch", { calls, stopOnError: false });
  assert.deepEqual(codes(answer), [
    "UNKNOWN_ACTION",
    "CAPABILITY_REQUIRED",
    "INVALID_INPUT",
    "REVISION_REQUIRED",
    "HOST_ERROR",
    "done",
  ]);
  assert.ok(!JSON.stringify(answer).includes("secret"));
  assert.equal(app.errors.length, 1, "the app hears what it threw");
});

test("a call of an ordered batch that waits is answered as deferred, and the batch goes on", async () => {
  const app = listApp(undefined, (_app, _input, { defer }) => {
    defer("person", "Confirm it.");
    return new Promise(() => {});
  });
  const calls = [{ action: "peek" }, add("a")];
  const answer = await ask(app.dispatcher, "actions/batch", { calls });
  assert.deepEqual(codes(answer), ["deferred", "done"]);
  assert.deepEqual(answer.result.results[0], {
    ok: true,
    status: "deferred",
    task: {
      id: "task-1",
      state: "running",
      progress: { reason: "person", message: "Confirm it." },
    },
    revision: 1,
  });
});

test("other callers get their turns between the calls of an ordered batch", async () => {
  /** @type {(value: unknown) => void} */
  let finish = () => {};
  const app = listApp(undefined, () => new Promise((resolve) => (finish = resolve)));
  const batch = ask(app.dispatcher, "actions/batch", { calls: [{ action: "peek" }, add("b", 2)] });
  const other = ask(app.dispatcher, "actions/execute", add("a"));
  await settle();
  finish({});
  assert.equal((await other).result.revision, 2);
  assert.deepEqual(codes(await batch), ["done", "done"]);
  assert.deepEqual(app.words, ["a", "b"]);
});

test("a result is what it was when its call ended, whatever the calls after it did", async () => {
  const app = listApp();
  const calls = [add("a", 1), { action: "clear", expectedRevision: 2 }];
  const { result } = await ask(app.dispatcher, "actions/batch", { calls });
  assert.deepEqual(result.results[0].output, { words: ["a"] });
  assert.deepEqual(app.words, []);
});

test("nothing more of a batch begins when its caller has gone, or the way in was shut", async () => {
  const calls = [{ action: "peek" }, add("a")];
  let gone = false;
  const left = listApp(undefined, () => ((gone = true), {}));
  const first = await left.dispatcher.batch({ calls, expired: () => gone });
  assert.equal(/** @type {any} */ (first.results[1]).error.code, "UNAVAILABLE");
  const shut = listApp(undefined, (app) => (app.dispatcher.setEnabled(false), {}));
  const second = await shut.dispatcher.batch({ calls });
  assert.equal(/** @type {any} */ (second.results[1]).error.code, "DISABLED");
  assert.deepEqual([left.words, shut.words], [[], []]);
});

test("the revision of a result is its action's, and left out where there is none", async () => {
  const { dispatcher } = listApp();
  const { result } = await ask(dispatcher, "actions/batch", { calls: [{ action: "alone" }] });
  assert.deepEqual(result.results, [{ ok: true, output: {} }]);
});

test("a host that lies about its revision after a call fails that call only", async () => {
  let lies = 0;
  const app = listApp((given) => ({
    revision: () => (given.log.at(-1) === "peek" && lies++ === 0 ? "7" : given.revision),
  }));
  const calls = [{ action: "peek" }, { action: "words" }];
  const answer = await ask(app.dispatcher, "actions/batch", { calls, stopOnError: false });
  assert.deepEqual(codes(answer), ["HOST_ERROR", "done"]);
});

/** @type {[string, unknown[], boolean][]} */
const WAITING = [
  ["atomic", [{ action: "words" }], true],
  ["in order", [{ action: "words" }], false],
  ["in order, and fails", [{ action: "secret" }], false],
];
for (const [how, calls, atomic] of WAITING) {
  test(`a batch that waited tells the revision that it left: ${how}`, async () => {
    /** @type {(output: object) => void} */
    let end = () => {};
    const first = new Promise((resolve) => (end = resolve));
    const { dispatcher } = listApp(undefined, () => first);
    const before = ask(dispatcher, "actions/execute", { action: "peek" });
    const batch = ask(dispatcher, "actions/batch", { calls, atomic });
    const after = ask(dispatcher, "actions/execute", add("x"));
    end({});
    assert.equal((await before).result.revision, 1);
    assert.equal((await after).result.revision, 2);
    assert.equal((await batch).result.revision, 1);
  });
}

test("what is no batch is refused before anything is run", async () => {
  const app = listApp();
  const full = Array.from({ length: 128 }, () => ({ action: "words" }));
  const { result } = await ask(app.dispatcher, "actions/batch", { calls: full });
  assert.equal(result.results.length, 128);
  app.log.length = 0;
  const over = await ask(app.dispatcher, "actions/batch", { calls: [...full, full[0]] });
  assert.deepEqual(over.error.data, { limit: "calls", maximum: 128, code: "LIMIT_EXCEEDED" });
  const good = { action: "words" };
  for (const params of [
    {},
    { calls: [] },
    { calls: {} },
    { calls: [good, 5] },
    { calls: [good, null] },
    { calls: [good, []] },
    { calls: [good, {}] },
    { calls: [good, { action: 5 }] },
    { calls: [good, { action: "words", expectedRevision: "1" }] },
    { calls: [good], atomic: 1 },
    { calls: [good], stopOnError: null },
  ]) {
    const { error } = await ask(app.dispatcher, "actions/batch", params);
    assert.equal(error?.code, -32602, JSON.stringify(params));
  }
  assert.deepEqual(app.log, []);
});

test("an error that cannot be sent in full does not take the other results with it", async () => {
  const app = listApp(undefined, () => {
    throw Object.assign(new Error(), { name: "AppError" });
  });
  const { AppError } = await import("../../../browser_worker/dispatcher/app_error.js");
  const bent = listApp(undefined, () => {
    throw new AppError("UNAVAILABLE", "\ud800", { f: () => {} });
  });
  const calls = [{ action: "words" }, { action: "peek" }];
  assert.deepEqual(codes(await ask(app.dispatcher, "actions/batch", { calls })), [
    "done",
    "HOST_ERROR",
  ]);
  assert.deepEqual(codes(await ask(bent.dispatcher, "actions/batch", { calls })), [
    "done",
    "UNAVAILABLE",
  ]);
});

test("a batch whose results are too large together is answered with the limit", async () => {
  const app = listApp(undefined, () => ({ text: "x".repeat(200_000) }));
  const calls = Array.from({ length: 6 }, () => ({ action: "peek" }));
  const { id, error } = await ask(app.dispatcher, "actions/batch", { calls });
  assert.deepEqual([id, error.data.code, error.data.limit], [1, "LIMIT_EXCEEDED", "encodedBytes"]);
  const some = await ask(app.dispatcher, "actions/batch", { calls: calls.slice(1) });
  assert.equal(some.result.results.length, 5);
});
