// @ts-check
/** Leave to call a backend's method for good: who gets it, what it covers, and when it ends. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { holdWork } from "../../support/held_work.js";
import { shown } from "../../support/owned_kernel.js";
import { ENTRY, backedKernel, memoryStore } from "./backed_kernel.js";

const PUT = { app: "notes", method: "put", arguments: { arg0: ENTRY } };
const RESERVE = { op: "reserve", app: "notes", method: "put" };

/** A kernel in which the board has leave to put. @param {Parameters<typeof backedKernel>[0]} [options] */
async function reserved(options = {}) {
  const made = backedKernel(options);
  const response = await made.ask(made.board, "backend_calls.request", RESERVE);
  made.allow("kept");
  await made.ports.settle();
  assert.deepEqual(response().ok, { reserved: true });
  return made;
}

describe("backend_calls.request", () => {
  test("asks the owner once, and then its calls need no question", async () => {
    const { ask, board, consent, ports, allow, reached } = backedKernel();
    const response = await ask(board, "backend_calls.request", RESERVE);
    const { prompt } = shown(consent);
    assert.equal(prompt.title, "Let the app board call the backend of notes from now on?");
    assert.ok(prompt.facts.some(({ value }) => value === "put"));
    assert.match(prompt.choices[0]?.label ?? "", /after a reload too/);
    allow("kept");
    await ports.settle();
    assert.deepEqual(response().ok, { reserved: true });
    assert.deepEqual((await ask(board, "canister.call_dialog", PUT))().ok.result, { ok: "1" });
    assert.deepEqual((await ask(board, "backend_calls.request", RESERVE))().ok, { reserved: true });
    assert.equal(consent.current, null);
    assert.equal(reached.length, 1);
  });

  test("covers that method alone, and that app alone", async () => {
    const { ask, board, consent, connect } = await reserved();
    await ask(board, "canister.call_dialog", { app: "notes", method: "breaks" });
    assert.match(shown(consent).prompt.title, /the app board/);
    consent.clear();
    await ask(connect("writer"), "canister.call_dialog", PUT);
    assert.match(shown(consent).prompt.title, /the app writer/);
  });

  test("grants nothing after a no", async () => {
    const { ask, board, deny, ports, backendGrants, store } = backedKernel();
    const response = await ask(board, "backend_calls.request", RESERVE);
    deny();
    await ports.settle();
    assert.equal(response().error.code, "OWNER_REQUIRED");
    assert.deepEqual(backendGrants.all(), []);
    assert.equal(store.text, null);
  });

  test("is kept over a reload, for the versions that the owner saw", async () => {
    const { store } = await reserved();
    const again = backedKernel({ store });
    assert.deepEqual((await again.ask(again.board, "canister.call_dialog", PUT))().ok.result, {
      ok: "1",
    });
    assert.equal(again.consent.current, null);
    for (const app of ["board", "notes"]) {
      const changed = backedKernel({ store });
      changed.change(app, "2");
      await changed.ask(changed.board, "canister.call_dialog", PUT);
      assert.notEqual(changed.consent.current, null, `another version of ${app} asks again`);
      const { grants } = (await changed.ask(changed.board, "backend_calls.list"))().ok;
      assert.deepEqual(
        grants.map((/** @type {any} */ { current }) => current),
        [false],
      );
    }
  });

  test("survives a lock, and ends with an app that is removed or of another version", async () => {
    const { kernel, backendGrants, store } = await reserved();
    kernel.lock();
    assert.equal(backendGrants.all().length, 1);
    kernel.forgetApp("board");
    assert.deepEqual(backendGrants.all(), []);
    assert.deepEqual(JSON.parse(store.text ?? ""), { grants: [] });
  });

  test("released is asked for again, without a question to release it", async () => {
    const { ask, board, consent, backendGrants } = await reserved();
    const release = { ...RESERVE, op: "release" };
    assert.deepEqual((await ask(board, "backend_calls.request", release))().ok, {
      reserved: false,
    });
    assert.equal(consent.current, null);
    assert.deepEqual(backendGrants.all(), []);
    await ask(board, "canister.call_dialog", PUT);
    assert.notEqual(consent.current, null);
  });

  test("that cannot be kept grants nothing, and says so", async () => {
    const { ask, board, allow, ports, backendGrants, store } = backedKernel();
    store.fails = true;
    const response = await ask(board, "backend_calls.request", RESERVE);
    allow("kept");
    await ports.settle();
    assert.equal(response().error.code, "TOOL_FAILED");
    assert.deepEqual(backendGrants.all(), []);
  });

  test("is for apps themselves: a terminal is refused, and so is an app on another's behalf", async () => {
    const { kernel, board, notes, consent, allow, ports, backendGrants } = backedKernel();
    const call = { target: "kernel", name: "backend_calls.request", arguments: RESERVE };
    await assert.rejects(kernel.call({ caller: "external:bridge:s1", ...call }), {
      code: "OWNER_REQUIRED",
    });
    const held = holdWork(notes.app);
    await ports.settle();
    board.app.call("app:notes:background", "work");
    await ports.settle();
    allow("once");
    await ports.settle();
    const scoped = { action: "tools.call", payload: call, invocation: held.invocation };
    notes.app.send({ type: "exec", id: 900, payload: { ...scoped, payload: call } });
    await ports.settle();
    assert.equal(notes.app.response(900).error.code, "OWNER_REQUIRED");
    assert.equal(consent.current, null);
    assert.deepEqual(backendGrants.all(), []);
  });

  test("does not serve whoever has the app call: the leave is for what the app does itself", async () => {
    const { kernel, board, consent, allow, ports, reached } = await reserved();
    const held = holdWork(board.app);
    await ports.settle();
    const root = "external:bridge:s1";
    const work = kernel.call({ caller: root, target: "app:board:background", name: "work" });
    work.catch(() => {});
    await ports.settle();
    allow("once");
    await ports.settle();
    const payload = { target: "kernel", name: "canister.call_dialog", arguments: PUT };
    const scoped = { action: "tools.call", payload, invocation: held.invocation };
    board.app.send({ type: "exec", id: 900, payload: scoped });
    await ports.settle();
    assert.equal(shown(consent).prompt.subject, root);
    assert.deepEqual(reached, []);
  });
});

describe("backend_calls.list", () => {
  test("tells an app its own leave, and nobody else's", async () => {
    const { ask, board, notes } = await reserved();
    const { grants } = (await ask(board, "backend_calls.list"))().ok;
    assert.deepEqual(grants, [{ app: "notes", method: "put", since: 1_000_000, current: true }]);
    assert.deepEqual((await ask(notes, "backend_calls.list"))().ok.grants, []);
  });
});

describe("The owner", () => {
  test("sees every leave, and takes one back: a call by it that is under way ends", async () => {
    const { ask, board, allow, ports, backendGrants, signals, store } = backedKernel();
    await ask(board, "backend_calls.request", { ...RESERVE, method: "hangs" });
    allow("kept");
    await ports.settle();
    const response = await ask(board, "canister.call_dialog", { app: "notes", method: "hangs" });
    assert.equal(response(), undefined);
    const [grant] = backendGrants.all();
    assert.equal(grant?.caller, "board");
    assert.equal(backendGrants.revoke(grant?.id ?? ""), true);
    await ports.settle();
    const { code, data } = response().error;
    assert.equal(code, "OWNER_REQUIRED");
    assert.deepEqual(data, { reason: "revoked", outcome: "unknown" });
    assert.equal(signals[0]?.aborted, true);
    assert.equal(backendGrants.revoke(grant?.id ?? ""), false);
    assert.deepEqual(JSON.parse(store.text ?? ""), { grants: [] });
  });

  test("takes all of them back at once", async () => {
    const { ask, board, allow, ports, backendGrants } = await reserved();
    await ask(board, "backend_calls.request", { ...RESERVE, method: "get" });
    allow("kept");
    await ports.settle();
    assert.equal(backendGrants.all().length, 2);
    backendGrants.revokeAll();
    assert.deepEqual(backendGrants.all(), []);
  });

  test("takes a leave back in one page, and no other page has it or writes it anew", async () => {
    const { backendGrants, store } = await reserved();
    const other = backedKernel({ store });
    const [watchesHere, watchesThere] = store.watching;
    await other.ask(other.board, "backend_calls.request", { ...RESERVE, method: "hangs" });
    other.allow("kept");
    await other.ports.settle();
    const methods = () => backendGrants.all().map(({ method }) => method);
    assert.deepEqual(methods(), ["put", "hangs"]);
    let told = 0;
    other.backendGrants.onChange(() => (told += 1));
    const call = { app: "notes", method: "hangs" };
    const response = await other.ask(other.board, "canister.call_dialog", call);
    assert.equal(response(), undefined);
    backendGrants.revokeAll();
    // What is under way there ends when that page hears of it.
    watchesThere?.();
    await other.ports.settle();
    assert.equal(response().error.code, "OWNER_REQUIRED");
    assert.equal(told, 1);
    // A page that has not heard of it yet has it no more either.
    await other.ask(other.board, "backend_calls.request", { ...RESERVE, method: "get" });
    other.allow("kept");
    await other.ports.settle();
    backendGrants.revokeAll();
    await other.ask(other.board, "canister.call_dialog", PUT);
    assert.notEqual(other.consent.current, null);
    other.consent.clear();
    watchesHere?.();
    assert.deepEqual(JSON.parse(store.text ?? ""), { grants: [] });
    assert.deepEqual([methods(), other.backendGrants.all()], [[], []]);
  });

  test("hears where taking it back cannot be kept, and it is taken back until the reload", async () => {
    const { backendGrants, store } = await reserved();
    store.fails = true;
    assert.throws(() => backendGrants.revokeAll(), { code: "TOOL_FAILED" });
    assert.deepEqual(backendGrants.all(), []);
  });
});

describe("What was kept", () => {
  const grant = {
    caller: "board",
    callerVersion: "1",
    app: "notes",
    appVersion: "1",
    method: "put",
    since: 5,
  };
  /** @param {unknown} kept */
  const granted = (kept) => {
    const text = typeof kept === "string" ? kept : JSON.stringify(kept);
    return backedKernel({ store: memoryStore(text) }).backendGrants.all().length;
  };

  test("is read as it was written", () => {
    assert.equal(granted({ grants: [grant] }), 1);
    const grants = Array.from({ length: 128 }, (_, at) => ({ ...grant, method: `m${at}` }));
    assert.equal(granted({ grants }), 128);
    // One that is there twice would be there again after it was taken back.
    assert.equal(granted({ grants: [grant, grant] }), 1);
  });

  for (const [what, kept] of /** @type {[string, unknown][]} */ ([
    ["is no JSON", "{"],
    ["is another thing", { grants: {} }],
    ["has one grant that is none", { grants: [grant, { ...grant, method: 1 }] }],
    ["has a grant without a version", { grants: [{ ...grant, appVersion: undefined }] }],
    ["has a text of any length", { grants: [{ ...grant, method: "x".repeat(201) }] }],
    ["has too many", { grants: Array.from({ length: 129 }, () => grant) }],
    ["is nothing", "null"],
  ])) {
    test(`grants nothing where it ${what}`, () => {
      assert.equal(granted(kept), 0);
    });
  }

  test("is bounded: one more is refused until another is released", async () => {
    const grants = Array.from({ length: 128 }, (_, at) => ({ ...grant, method: `m${at}` }));
    const store = memoryStore(JSON.stringify({ grants }));
    const { ask, board, allow, ports } = backedKernel({ store });
    const refused = await ask(board, "backend_calls.request", RESERVE);
    allow("kept");
    await ports.settle();
    assert.equal(refused().error.code, "TOO_MANY_CALLS");
    await ask(board, "backend_calls.request", { op: "release", app: "notes", method: "m0" });
    const taken = await ask(board, "backend_calls.request", RESERVE);
    allow("kept");
    await ports.settle();
    assert.deepEqual(taken().ok, { reserved: true });
  });
});
