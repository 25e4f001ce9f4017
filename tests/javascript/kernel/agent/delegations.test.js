// @ts-check
/** A delegation: one call, soon, by whom it was given to, in the name that it was given in. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { BUS_LIMITS } from "../../../../browser_worker/contract/limits.js";
import { Delegations } from "../../../../browser_worker/kernel/agent/delegations.js";
import { HELPER, NOTES, makeAgentKernel } from "./agent_kernel.js";

const FIND = Object.freeze({ target: NOTES, name: "find" });

async function delegating() {
  const made = makeAgentKernel();
  const workspace = await made.workspace();
  const { helper } = workspace;
  const begun = await workspace.begin();
  /** @param {any} [call] @param {string} [token] */
  const ask = async (call = FIND, token = begun.token) => {
    const payload = { target: "kernel", name: "attachments.delegate", arguments: call };
    return made.response(helper.app, made.scoped(helper.app, token, payload));
  };
  /** @param {any} [call] @returns {Promise<string>} */
  const give = async (call = FIND) => (await ask(call)).ok.delegation;
  /** A call in no name of its own, as code without a `context.kernel` makes it. @param {string} delegation @param {any} [call] @param {any} [by] */
  const use = (delegation, call = FIND, by = helper) =>
    made.outcome(by.app, by.app.ask("tools.call", { ...call, arguments: {}, delegation }));
  return { ...made, ...workspace, ...begun, ask, give, use };
}

describe("a delegation", () => {
  test("lets one call be made under the call that it was given in", async () => {
    const { give, kernel, notes, use } = await delegating();
    const delegation = await give();
    assert.equal(await use(delegation), "ok");
    const ran = notes.app.received.filter((each) => each.payload?.action === "tools.invoke").at(-1);
    assert.equal(ran.payload.payload.caller, HELPER);
    const entry = kernel.audit.entries(({ tool }) => tool === "find").at(-1);
    assert.equal(entry?.status, "completed");
  });

  test("is of use with an attachment, and without", async () => {
    const { connect, give, helper, response, use } = await delegating();
    const board = connect("board");
    const buffers = { annotations: { "bascule:attachments": { api: 1 } } };
    /** @type {number[]} */
    const sizes = [];
    board.app.expose({
      put: {
        ...buffers,
        handler: (_args, message) => {
          sizes.push(message.attachment?.byteLength ?? 0);
          return 1;
        },
      },
    });
    const put = { target: board.endpoint.id, name: "put" };
    const payload = { ...put, arguments: {}, delegation: await give(put) };
    const id = helper.app.ask("tools.call", payload, new ArrayBuffer(3));
    assert.equal((await response(helper.app, id)).ok, 1);
    assert.equal(await use(await give(put), put), "ok");
    assert.deepEqual(sizes, [3, 0]);
  });

  test("is used once", async () => {
    const { give, use } = await delegating();
    const delegation = await give();
    assert.equal(await use(delegation), "ok");
    assert.equal(await use(delegation), "INVOCATION_INVALID");
  });

  test("is of no use by a run that is over, or is another's, which does not use it up", async () => {
    const { give, helper, outcome, scoped, token } = await delegating();
    const call = { ...FIND, arguments: {}, delegation: await give() };
    const by = (/** @type {string} */ run) => outcome(helper.app, scoped(helper.app, run, call));
    assert.equal(await by("none"), "INVOCATION_INVALID");
    assert.equal(await by(token), "ok");
  });

  test("lasts ten seconds", async () => {
    const { ask, give, time, use } = await delegating();
    const { ok } = await ask();
    assert.equal(ok.expiresInMs, 10_000);
    const later = await give();
    time.pass(9_999);
    assert.equal(await use(later), "ok");
    time.pass(1);
    assert.equal(await use(ok.delegation), "INVOCATION_INVALID");
  });

  test("is for one target and one tool; what is tried otherwise uses it up", async () => {
    for (const call of [
      { target: NOTES, name: "wait" },
      { target: HELPER, name: "find" },
    ]) {
      const { give, use } = await delegating();
      const delegation = await give();
      assert.equal(await use(delegation, call), "INVOCATION_INVALID");
      assert.equal(await use(delegation), "INVOCATION_INVALID");
      assert.equal(await use(await give()), "ok");
    }
  });

  test("is of one endpoint: others cannot use it, nor use it up", async () => {
    const { connect, give, notes, tile, use } = await delegating();
    const tray = connect("helper", "tray");
    const delegation = await give();
    for (const other of [tile, tray, notes]) {
      assert.equal(await use(delegation, FIND, other), "INVOCATION_INVALID");
    }
    assert.equal(await use(delegation), "ok");
  });

  test("is of one session: what comes in its endpoint's place cannot use it", async () => {
    const { connect, give, helper, kernel, ports, use } = await delegating();
    const delegation = await give();
    kernel.disconnect(helper.endpoint);
    await ports.settle();
    assert.equal(await use(delegation, FIND, connect("helper")), "INVOCATION_INVALID");
  });

  test("ends with the call that it was given in", async () => {
    const { agent, give, helper, message, ports, use } = await delegating();
    const delegation = await give();
    assert.equal(agent.delegations.size, 1);
    helper.app.send({ type: "response", id: message.id, ok: { result: 1 } });
    await ports.settle();
    assert.equal(agent.delegations.size, 0);
    assert.equal(await use(delegation), "INVOCATION_INVALID");
  });

  test("is not made up", async () => {
    const { helper, outcome, use } = await delegating();
    for (const delegation of ["", "id1", "x".repeat(1_000)]) {
      assert.equal(await use(delegation), "INVOCATION_INVALID");
    }
    for (const delegation of [1, null, {}]) {
      const call = helper.app.ask("tools.call", { ...FIND, delegation });
      assert.equal(await outcome(helper.app, call), "INVOCATION_INVALID");
    }
  });

  test("is given for no endpoint that cannot be, and with arguments that say which", async () => {
    const { ask } = await delegating();
    const codes = [];
    for (const call of [
      { target: "nobody", name: "find" },
      { target: NOTES },
      { target: NOTES, name: "find", more: 1 },
    ]) {
      codes.push((await ask(call)).error.code);
    }
    assert.deepEqual(codes, ["UNKNOWN_ENDPOINT", "INVALID_INPUT", "INVALID_INPUT"]);
  });

  test("is given within a call alone", async () => {
    const { outcome, workspace } = makeAgentKernel();
    const { helper } = await workspace();
    const call = helper.app.call("kernel", "attachments.delegate", FIND);
    assert.equal(await outcome(helper.app, call), "SCOPED_CONTEXT_REQUIRED");
  });

  test("is in no entry of the audit", async () => {
    const { give, kernel, use } = await delegating();
    const delegation = await give();
    await use(delegation);
    const entries = kernel.audit.entries();
    assert.ok(entries.some(({ tool }) => tool === "attachments.delegate"));
    assert.ok(!JSON.stringify(entries).includes(delegation));
  });
});

test("a delegation is of one session, whatever becomes of the call that it was given in", () => {
  const delegations = new Delegations({ now: () => 0, newId: () => "token" });
  const invocation = /** @type {any} */ ({ signal: new AbortController().signal });
  const endpoint = /** @type {any} */ ({ id: HELPER, session: "one" });
  const { delegation } = delegations.give(invocation, endpoint, FIND);
  const next = /** @type {any} */ ({ id: HELPER, session: "two" });
  assert.throws(() => delegations.redeem(next, delegation, FIND), { code: "INVOCATION_INVALID" });
  assert.equal(delegations.redeem(endpoint, delegation, FIND), invocation);
});

describe("unused delegations", () => {
  test("are four of an endpoint; the next is told when one will have expired", async () => {
    const { ask, give, time, use } = await delegating();
    const first = await give();
    time.pass(4_000);
    for (let more = 1; more < BUS_LIMITS.maxDelegationsOfEndpoint; more += 1) await give();
    const { error } = await ask();
    assert.deepEqual([error.code, error.retryAfterMs], ["TOO_MANY_CALLS", 6_000]);
    assert.equal(await use(first), "ok");
    await give();
    time.pass(10_000);
    await give();
  });

  test("are sixty-four in all", () => {
    let now = 0;
    let ids = 0;
    const delegations = new Delegations({ now: () => now, newId: () => `id${++ids}` });
    const { signal } = new AbortController();
    /** @param {number} number */
    const give = (number) =>
      delegations.give(
        /** @type {any} */ ({ signal }),
        /** @type {any} */ ({ id: `e${number}`, session: "s" }),
        FIND,
      );
    for (let number = 0; number < BUS_LIMITS.maxDelegations; number += 1) {
      give(Math.floor(number / BUS_LIMITS.maxDelegationsOfEndpoint));
    }
    assert.throws(
      () => give(1_000),
      ({ code, retryAfterMs }) => code === "TOO_MANY_CALLS" && retryAfterMs === 10_000,
    );
    now = 10_000;
    assert.equal(delegations.size, 0);
    give(1_000);
  });
});
