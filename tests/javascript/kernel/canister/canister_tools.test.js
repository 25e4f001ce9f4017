// @ts-check
/** What apps, agents and terminals learn of a backend, and how a call of it comes by the owner's yes. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { compile } from "../../../../browser_worker/contract/schema.js";
import { holdWork } from "../../support/held_work.js";
import { shown } from "../../support/owned_kernel.js";
import { ENTRY, backedKernel } from "./backed_kernel.js";

const PUT = { app: "notes", method: "put", arguments: { arg0: ENTRY } };

describe("canister.schema", () => {
  test("lists the methods of the caller's own backend, and of another app's, without a question", async () => {
    const { ask, notes, board, consent } = backedKernel();
    const own = (await ask(notes, "canister.schema"))().ok;
    assert.deepEqual(own, (await ask(board, "canister.schema", { app: "notes" }))().ok);
    assert.equal(own.app, "notes");
    assert.deepEqual(own.methods.slice(0, 2), [
      { name: "get", kind: "query" },
      { name: "put", kind: "update" },
    ]);
    assert.equal(consent.current, null);
  });

  test("tells the schemas of a method, by which its arguments are checked", async () => {
    const { ask, board } = backedKernel();
    const { ok } = (await ask(board, "canister.schema", { app: "notes", method: "put" }))();
    assert.equal(ok.kind, "update");
    assert.deepEqual(compile(ok.inputSchema).errors(PUT.arguments), []);
    assert.notDeepEqual(compile(ok.inputSchema).errors({ arg0: { ...ENTRY, value: 1 } }), []);
    assert.deepEqual(compile(ok.outputSchema).errors({ full: null }), []);
  });

  test("is of the installed interface: nothing of a schema can be given to it", async () => {
    const { ask, notes, installed, reached } = backedKernel();
    const forged = { method: "put", inputSchema: {}, candid: "service : {}", schema: {} };
    assert.equal((await ask(notes, "canister.schema", forged))().error.code, "INVALID_INPUT");
    const call = { ...PUT, inputSchema: {}, candid: "service : {}" };
    assert.equal((await ask(notes, "canister.call_dialog", call))().error.code, "INVALID_INPUT");
    assert.deepEqual(reached, []);
    assert.equal((await installed.interfaceOf("notes")).methods.size, 6);
  });

  for (const [what, given, code] of /** @type {[string, any, string][]} */ ([
    ["an app without a backend", { app: "board" }, "UNKNOWN_ENDPOINT"],
    ["an app that there is not", { app: "nobody" }, "UNKNOWN_ENDPOINT"],
    ["a method that there is not", { app: "notes", method: "constructor" }, "UNKNOWN_TOOL"],
  ])) {
    test(`of ${what} is refused`, async () => {
      const { ask, board } = backedKernel();
      assert.equal((await ask(board, "canister.schema", given))().error.code, code);
    });
  }
});

describe("canister.call_dialog", () => {
  test("shows who calls what, and calls it after a yes", async () => {
    const { ask, board, consent, allow, ports, reached } = backedKernel();
    const response = await ask(board, "canister.call_dialog", PUT);
    const { prompt } = shown(consent);
    assert.equal(prompt.subject, "app:board");
    assert.equal(prompt.title, "Let the app board call the backend of notes?");
    const facts = Object.fromEntries(prompt.facts.map(({ label, value }) => [label, value]));
    assert.match(facts["Asks"] ?? "", /^The app board, version 1/);
    assert.equal(facts["From"], "app:board:background");
    assert.match(facts["Backend of"] ?? "", /^notes, version 1/);
    assert.equal(facts["Method"], "put");
    assert.match(facts["Effect"] ?? "", /^An update/);
    assert.deepEqual(JSON.parse(facts["Arguments"] ?? ""), PUT.arguments);
    assert.deepEqual(reached, []);
    assert.equal(response(), undefined);
    allow("once");
    await ports.settle();
    assert.deepEqual(response().ok, {
      app: "notes",
      method: "put",
      kind: "update",
      result: { ok: "1" },
    });
    const value = 18446744073709551615n;
    assert.deepEqual(reached, [{ method: "put", args: [{ by: [], key: "a", value }] }]);
  });

  test("of the caller's own backend asks as well, and each time again", async () => {
    const { ask, notes, consent, allow, ports } = backedKernel();
    for (let time = 0; time < 2; time += 1) {
      const given = { method: "get", arguments: { key: "a" } };
      const response = await ask(notes, "canister.call_dialog", given);
      assert.match(shown(consent).prompt.title, /the app notes call the backend of notes/);
      allow("once");
      await ports.settle();
      assert.equal(response().ok.result, null);
    }
  });

  test("calls nothing after a no", async () => {
    const { ask, board, deny, ports, reached } = backedKernel();
    const response = await ask(board, "canister.call_dialog", PUT);
    deny();
    await ports.settle();
    assert.equal(response().error.code, "OWNER_REQUIRED");
    assert.deepEqual(response().error.data, { reason: "denied" });
    assert.deepEqual(reached, []);
  });

  for (const [what, given, code] of /** @type {[string, any, string][]} */ ([
    ["arguments that its schema refuses", { arg0: { ...ENTRY, value: 5 } }, "INVALID_INPUT"],
    ["a number past its type", { arg0: { ...ENTRY, value: `${2n ** 64n}` } }, "INVALID_INPUT"],
    ["a principal with a wrong sum", { arg0: { ...ENTRY, by: "aaaaa-ab" } }, "INVALID_INPUT"],
    ["more than can be shown", { arg0: { ...ENTRY, key: "x".repeat(70_000) } }, "TOO_LARGE"],
  ])) {
    test(`with ${what} is refused before the owner is asked`, async () => {
      const { ask, board, consent, reached } = backedKernel();
      const response = await ask(board, "canister.call_dialog", { ...PUT, arguments: given });
      assert.equal(response().error.code, code);
      assert.equal(consent.current, null);
      assert.deepEqual(reached, []);
    });
  }

  for (const [method, code, message] of /** @type {[string, string, RegExp][]} */ ([
    ["wrong", "INVALID_OUTPUT", /wrong ran, and gave what its interface does not say/],
    ["breaks", "TOOL_FAILED", /^The backend failed; it may have done part of it\.$/],
    ["picture", "INVALID_INPUT", /needs an attachment/],
  ])) {
    test(`of ${method} ends as ${code}`, async () => {
      const { ask, board, consent, ports } = backedKernel();
      const call = { app: "notes", method, arguments: method === "picture" ? { key: "a" } : {} };
      const response = await ask(board, "canister.call_dialog", call);
      if (consent.current !== null)
        consent.answer(shown(consent).id, { allow: true, choice: "once" });
      await ports.settle();
      assert.equal(response().error.code, code);
      assert.match(response().error.message, message);
    });
  }

  test("is not made where the backend changed while the owner was asked", async () => {
    const { ask, board, allow, change, ports, reached } = backedKernel();
    const response = await ask(board, "canister.call_dialog", PUT);
    change("notes", "2");
    allow("once");
    await ports.settle();
    assert.equal(response().error.code, "OWNER_REQUIRED");
    assert.deepEqual(reached, []);
  });

  test("that is cancelled takes its question away", async () => {
    const { board, consent, kernel, ask, ports, reached } = backedKernel();
    await ask(board, "canister.call_dialog", PUT);
    assert.notEqual(consent.current, null);
    kernel.disconnect(board.endpoint);
    await ports.settle();
    assert.equal(consent.current, null);
    assert.deepEqual(reached, []);
  });

  test("that runs already is told to stop, and its caller is answered at once", async () => {
    const { board, time, allow, ask, ports, signals } = backedKernel();
    const call = { app: "notes", method: "hangs" };
    const response = await ask(board, "canister.call_dialog", call, { timeout: 5 });
    allow("once");
    await ports.settle();
    assert.equal(signals[0]?.aborted, false);
    time.pass(600_000);
    await ports.settle();
    assert.equal(response().error.code, "TIMEOUT");
    assert.equal(signals[0]?.aborted, true);
  });

  test("names the app that began it, and not only the one between", async () => {
    const { board, notes, kernel, consent, allow, ports, reached } = backedKernel();
    const held = holdWork(notes.app);
    await ports.settle();
    board.app.call("app:notes:background", "work");
    await ports.settle();
    allow("once");
    await ports.settle();
    assert.equal(typeof held.invocation, "string");
    const id = 900;
    const payload = { target: "kernel", name: "canister.call_dialog", arguments: PUT };
    const scoped = { action: "tools.call", payload, invocation: held.invocation };
    notes.app.send({ type: "exec", id, payload: scoped });
    await ports.settle();
    const { prompt } = shown(consent);
    assert.equal(prompt.subject, "app:board");
    assert.match(prompt.title, /^Let the app board, by way of notes, call/);
    allow("once");
    await ports.settle();
    assert.equal(reached.length, 1);
    // In its own name, while it runs that call, it does not even get a question.
    const bare = notes.app.call("kernel", "canister.call_dialog", PUT);
    await ports.settle();
    assert.equal(notes.app.response(bare).error.code, "SCOPED_CONTEXT_REQUIRED");
    assert.equal(consent.current, null);
    assert.equal(kernel.callsInFlight, 1);
  });

  test("for a terminal names the terminal, which has to say whose backend", async () => {
    const { kernel, consent, allow, ports } = backedKernel();
    const caller = "external:bridge:s1";
    const name = "canister.call_dialog";
    await assert.rejects(
      kernel.call({ caller, target: "kernel", name, arguments: { method: "put" } }),
      { code: "INVALID_INPUT" },
    );
    const call = kernel.call({ caller, target: "kernel", name, arguments: PUT });
    await ports.settle();
    assert.equal(shown(consent).prompt.subject, caller);
    assert.match(shown(consent).prompt.title, /the terminal s1/);
    allow("once");
    assert.deepEqual(/** @type {any} */ ((await call).result).result, { ok: "1" });
  });
});
