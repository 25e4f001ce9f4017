// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";

import fc from "fast-check";

import { AppError } from "../../../browser_worker/dispatcher/app_error.js";
import { ACTIONS, add, ask, listApp, settle } from "./support/list_app.js";

/**
 * @param {ReturnType<typeof listApp>} app
 * @param {unknown[]} calls
 */
const atomic = (app, calls) => ask(app.dispatcher, "actions/batch", { calls, atomic: true });

/** @param {unknown} [error] */
const throws =
  (error = new Error("secret")) =>
  () => {
    throw error;
  };

test("an atomic batch is one transaction, one step of undo and one answer", async () => {
  const app = listApp();
  const { result } = await atomic(app, [add("a"), { action: "words" }, add("b")]);
  assert.deepEqual(result, {
    atomic: true,
    committed: true,
    results: [
      { ok: true, output: { words: ["a"] }, revision: 3 },
      { ok: true, output: { words: ["a"] }, revision: 3 },
      { ok: true, output: { words: ["a", "b"] }, revision: 3 },
    ],
    revision: 3,
    protocolVersion: "1",
  });
  assert.deepEqual(app.log, ["begin list", "add", "words", "add", "commit list"]);
  assert.equal(app.undoSteps, 1);
});

test("an atomic batch over a synchronous host is synchronous", () => {
  const done = listApp().dispatcher.batch({ calls: [add("a")], atomic: true });
  assert.equal(/** @type {any} */ (done).committed, true);
});

test("every expected revision of an atomic batch refers to the state before it", async () => {
  const app = listApp();
  const { error } = await atomic(app, [add("a", 1), add("b", 2)]);
  assert.deepEqual(error.data, { expected: 2, actual: 1, index: 1, code: "STALE_REVISION" });
  assert.deepEqual(app.log, []);
  const again = await atomic(app, [add("a", 1), add("b", 1)]);
  assert.equal(again.result.committed, true);
});

/** @type {[unknown, string][]} */
const REFUSED = [
  [{ action: "nothing" }, "UNKNOWN_ACTION"],
  [{ action: "secret" }, "CAPABILITY_REQUIRED"],
  [{ action: "add", input: { word: 1 }, expectedRevision: 1 }, "INVALID_INPUT"],
  [{ action: "clear" }, "REVISION_REQUIRED"],
  [{ action: "clear", expectedRevision: 0 }, "STALE_REVISION"],
  [{ action: "words", expectedRevision: 0 }, "STALE_REVISION"],
  [{ action: "alone" }, "TRANSACTION_UNSUPPORTED"],
  [{ action: "other", expectedRevision: 1 }, "TRANSACTION_DOMAIN"],
];

for (const [call, code] of REFUSED) {
  test(`a call that may not run is ${code} with its index before anything begins: ${JSON.stringify(call)}`, async () => {
    const app = listApp();
    const { error } = await atomic(app, [add("a"), call, add("b")]);
    assert.deepEqual([error.data.code, error.data.index], [code, 1]);
    assert.deepEqual(app.log, []);
  });
}

test("what is unavailable before a batch is refused before it begins", async () => {
  const app = listApp(() => ({
    availability: (action) => (action === "clear" ? { code: "EMPTY", reason: "Empty." } : null),
  }));
  const { error } = await atomic(app, [add("a"), { action: "clear", expectedRevision: 1 }]);
  assert.deepEqual(error.data, {
    availability: { code: "EMPTY", reason: "Empty." },
    index: 1,
    code: "UNAVAILABLE",
  });
  assert.deepEqual(app.log, []);
});

test("a host that fails in the preflight fails with the index and without its text", async () => {
  const app = listApp(() => ({ availability: throws() }));
  const { error } = await atomic(app, [{ action: "words" }]);
  assert.deepEqual(error.data, { index: 0, code: "HOST_ERROR" });
  assert.equal(app.errors.length, 1);
});

test("a domain is written atomically only where the host says plainly that it can be put back", async () => {
  for (const supportsTransaction of [() => false, () => /** @type {any} */ ("yes"), undefined]) {
    const app = listApp(() => /** @type {any} */ ({ supportsTransaction }));
    const { error } = await atomic(app, [{ action: "words" }, add("a")]);
    assert.deepEqual(error.data, { index: 1, code: "TRANSACTION_UNSUPPORTED" });
    assert.deepEqual(app.log, []);
  }
});

test("a batch of reads needs no transaction", async () => {
  const app = listApp(() => ({ supportsTransaction: () => false }));
  const { result } = await atomic(app, [{ action: "words" }, { action: "words" }]);
  assert.equal(result.committed, true);
  assert.deepEqual(app.log, ["words", "words"]);
});

/** @type {[string, (app: any, input: any, context: any) => unknown, string][]} */
const FAILING = [
  ["throws", throws(), "HOST_ERROR"],
  ["throws nothing", throws(null), "HOST_ERROR"],
  ["throws an error of the contract", throws(new AppError("UNKNOWN_RESOURCE", "No.")), "UNKNOWN_RESOURCE"],
  ["gives what its schema forbids", () => "text", "INVALID_OUTPUT"],
  ["gives what is no JSON", () => ({ f: () => {} }), "INVALID_OUTPUT"],
  ["gives too much", () => ({ text: "x".repeat(300_000) }), "LIMIT_EXCEEDED"],
  ["gives a promise", async () => ({}), "DEFERRED_IN_TRANSACTION"],
  ["gives what only calls itself a promise", () => ({ then() {} }), "DEFERRED_IN_TRANSACTION"],
  ["gives a promise that fails", async () => throws()(), "DEFERRED_IN_TRANSACTION"],
  ["gives a task", (app) => app.dispatcher.tasks.create("risky"), "DEFERRED_IN_TRANSACTION"],
  ["gives a task of another", () => listApp().dispatcher.tasks.create("x"), "HOST_ERROR"],
  ["gives what cannot be looked at", () => ({ get then() { return throws()(); } }), "HOST_ERROR"],
  ["waits for another call", (app) => app.dispatcher.executeLocal("words"), "DEFERRED_IN_TRANSACTION"],
]; // prettier-ignore

for (const [what, risky, code] of FAILING) {
  test(`all is put back where a call ${what}`, async () => {
    const app = listApp(undefined, risky);
    const risk = { action: "risky", expectedRevision: 1 };
    const { error } = await atomic(app, [add("a"), risk, add("b")]);
    assert.deepEqual([error.code, error.data.code, error.data.index], [1012, "ROLLED_BACK", 1]);
    assert.equal(error.data.cause.data.code, code);
    assert.equal(typeof error.data.cause.code, "number");
    assert.ok(!JSON.stringify(error).includes("secret"));
    assert.deepEqual(
      app.log.filter((entry) => entry !== "words"),
      ["begin list", "add", "risky", "roll back list"],
    );
    assert.deepEqual([app.words, app.revision, app.undoSteps], [[], 1, 0]);
    assert.equal(app.dispatcher.enabled, true);
    await settle();
    assert.equal((await ask(app.dispatcher, "actions/execute", add("c"))).result.revision, 2);
  });
}

test("a handler whose promise was refused learns that it is to stop, and its task too", async () => {
  /** @type {any} */
  let given;
  const late = listApp(undefined, async (_app, _input, context) => {
    given = context;
    assert.equal(context.cancelRequested(), false);
    assert.equal(context.session, "s");
    context.defer("person", "Nobody is asked.");
  });
  await atomic(late, [{ action: "risky", expectedRevision: 1 }]);
  assert.equal(given.cancelRequested(), true);
  const tasked = listApp(undefined, (app) => app.dispatcher.tasks.create("risky"));
  await atomic(tasked, [{ action: "risky", expectedRevision: 1 }]);
  assert.equal(tasked.dispatcher.tasks.get("task-1").state, "cancelling");
});

test("what a refused promise fails with later is told to the app, and to nobody else", async () => {
  const app = listApp(undefined, async () => {
    await null;
    throw new Error("late");
  });
  await atomic(app, [{ action: "risky", expectedRevision: 1 }]);
  await settle();
  assert.deepEqual(app.errors.map(String), ["Error: late"]);
});

test("what an earlier call made unavailable, took away or shut is not run", async () => {
  /** @type {[(app: any) => unknown, string, string][]} */
  const cases = [
    [(app) => ((app.held = 0), {}), "secret", "CAPABILITY_REQUIRED"],
    [(app) => ((app.closed = true), {}), "words", "UNAVAILABLE"],
    [(app) => (app.dispatcher.setEnabled(false), {}), "words", "DISABLED"],
  ];
  for (const [risky, action, code] of cases) {
    const app = listApp(
      (given) => ({
        modal: () => (given.closed ? { code: "CLOSED", reason: "Closed." } : null),
      }),
      risky,
    );
    app.held = 3;
    const { error } = await atomic(app, [{ action: "risky", expectedRevision: 1 }, { action }]);
    assert.deepEqual([error.data.code, error.data.index], ["ROLLED_BACK", 1]);
    assert.equal(error.data.cause.data.code, code);
    assert.deepEqual(app.log, ["begin list", "risky", "roll back list"]);
  }
});

test("a failing call of a batch of reads is told with its index and its cause", async () => {
  const app = listApp(undefined, throws());
  const { error } = await atomic(app, [{ action: "words" }, { action: "peek" }]);
  assert.deepEqual([error.data.code, error.data.index], ["ROLLED_BACK", 1]);
  assert.equal(error.data.cause.data.code, "HOST_ERROR");
  assert.deepEqual(app.log, ["words", "peek"]);
});

test("a transaction that does not begin is no transaction: nothing runs and nothing is put back", async () => {
  for (const beginTransaction of [throws(), async () => {}, undefined]) {
    const app = listApp(() => /** @type {any} */ ({ beginTransaction }));
    const { error } = await atomic(app, [add("a")]);
    assert.equal(error.data.code, "HOST_ERROR");
    assert.ok(!JSON.stringify(error).includes("secret"));
    assert.deepEqual([app.log, app.dispatcher.enabled, app.errors.length], [[], true, 1]);
  }
});

test("a commit that fails is put back", async () => {
  for (const commitTransaction of [throws(), async () => {}]) {
    const app = listApp(() => ({ commitTransaction }));
    const { error } = await atomic(app, [add("a"), add("b")]);
    assert.deepEqual([error.data.code, error.data.index], ["ROLLED_BACK", 1]);
    assert.equal(error.data.cause.data.code, "HOST_ERROR");
    assert.deepEqual([app.words, app.revision], [[], 1]);
  }
});

/** @type {[string, (app: any) => any][]} */
const BROKEN_ROLLBACKS = [
  ["throws", () => ({ rollbackTransaction: throws() })],
  ["rejects", () => ({ rollbackTransaction: () => Promise.reject(new Error("secret")) })],
  ["is missing", () => ({ rollbackTransaction: undefined })],
  ["leaves the revision", () => ({ rollbackTransaction() {} })],
  ["leaves the app's own revision", (app) => ({
    revision: (/** @type {any} */ action) => (action === undefined ? app.words.length : 1),
    rollbackTransaction() {},
  })],
  ["leaves an action's revision", (app) => ({
    revision: (/** @type {any} */ action) => (action === "add" ? app.words.length : 1),
    rollbackTransaction() {},
  })],
  ["cannot tell its revision afterwards", (app) => ({
    revision: () => (app.broken ? throws()() : app.revision),
    rollbackTransaction: () => void (app.broken = true),
  })],
]; // prettier-ignore

for (const [what, changes] of BROKEN_ROLLBACKS) {
  test(`a rollback that ${what} is HOST_ERROR, and the dispatcher is shut`, async () => {
    const app = listApp(changes, throws());
    const expectedRevision = app.dispatcher.revision("add");
    const calls = [
      { ...add("a"), expectedRevision },
      { action: "risky", expectedRevision: app.dispatcher.revision("risky") },
    ];
    const { error } = await atomic(app, calls);
    assert.deepEqual([error.code, error.data], [1018, { code: "HOST_ERROR" }]);
    assert.ok(!JSON.stringify(error).includes("secret"));
    assert.equal(app.dispatcher.enabled, false);
    assert.equal((await ask(app.dispatcher, "actions/list")).error.data.code, "DISABLED");
    assert.equal(app.errors.length, 2, "the app hears of the call and of the rollback");
    app.dispatcher.setEnabled(true);
    assert.deepEqual(app.dispatcher.executeLocal("clear"), {}, "the turn is free again");
  });
}

test("an atomic batch waits for its turn and has all of it", async () => {
  /** @type {(value: unknown) => void} */
  let finish = () => {};
  const app = listApp(undefined, () => new Promise((resolve) => (finish = resolve)));
  const first = ask(app.dispatcher, "actions/execute", { action: "peek" });
  const batch = atomic(app, [add("a"), add("b")]);
  const last = ask(app.dispatcher, "actions/execute", { action: "words" });
  await settle();
  assert.deepEqual(app.log, ["peek"]);
  finish({});
  await Promise.all([first, batch, last]);
  assert.deepEqual(app.log, ["peek", "begin list", "add", "add", "commit list", "words"]);
});

test("an atomic batch is not begun for a caller who has gone, nor when the way in was shut", async () => {
  /** @type {(value: unknown) => void} */
  let finish = () => {};
  const app = listApp(undefined, () => new Promise((resolve) => (finish = resolve)));
  let gone = false;
  const first = ask(app.dispatcher, "actions/execute", { action: "peek" });
  const left = Promise.resolve(
    app.dispatcher.batch({ calls: [add("a")], atomic: true, expired: () => gone }),
  );
  await settle();
  gone = true;
  finish({});
  await first;
  await assert.rejects(left, { code: "UNAVAILABLE" });
  const second = ask(app.dispatcher, "actions/execute", { action: "peek" });
  const shut = atomic(app, [add("a")]);
  await settle();
  app.dispatcher.setEnabled(false);
  finish({});
  await second;
  assert.equal((await shut).error.data.code, "DISABLED");
  assert.deepEqual(app.log, ["peek", "peek"]);
  assert.throws(() => app.dispatcher.batch({ calls: [add("a")] }), { code: "DISABLED" });
});

test("watchers hear of all calls of a transaction that they ended as it did", async () => {
  for (const fails of [false, true]) {
    const app = listApp(undefined, fails ? throws() : () => ({}));
    /** @type {any[]} */
    const heard = [];
    app.dispatcher.onCall(({ phase, action, ok, code, session }) =>
      heard.push([phase, action, session, ok ?? code, code]),
    );
    await atomic(app, [add("a"), { action: "risky", expectedRevision: 1 }]);
    const end = fails ? [false, "ROLLED_BACK"] : [true, undefined];
    assert.deepEqual(heard, [
      ["begin", "add", "s", undefined, undefined],
      ["begin", "risky", "s", undefined, undefined],
      ["end", "add", "s", ...end],
      ["end", "risky", "s", ...end],
    ]);
  }
});

test("the actions of a batch may be discovered live", async () => {
  const app = listApp(() => ({ actions: async () => ACTIONS }));
  assert.equal((await atomic(app, [add("a")])).result.committed, true);
});

test("all is done or nothing, whichever call fails", async () => {
  const step = fc.constantFrom(
    add("x"),
    { action: "clear", expectedRevision: 1 },
    { action: "words" },
    { action: "risky", expectedRevision: 1, input: { fails: true } },
    { action: "risky", expectedRevision: 1 },
    { action: "alone" },
    { action: "clear" },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (calls) => {
      const app = listApp(undefined, (_app, input) => (input.fails ? throws()() : {}));
      app.words = ["before"];
      const { result, error } = await atomic(app, calls);
      if (error !== undefined) {
        assert.deepEqual([app.words, app.revision, app.undoSteps], [["before"], 1, 0]);
        assert.ok(Number.isInteger(error.data.index) && calls[error.data.index] !== undefined);
      } else {
        assert.equal(result.results.length, calls.length);
        assert.ok(result.results.every((/** @type {any} */ item) => item.ok === true));
      }
      const log = app.log.map(String);
      const ends = log.filter((entry) => /^(commit|roll back)/.test(entry)).length;
      assert.equal(ends, log.filter((entry) => entry.startsWith("begin")).length);
    }),
    { numRuns: 300 },
  );
});
