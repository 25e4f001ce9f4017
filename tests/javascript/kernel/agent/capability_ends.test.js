// @ts-check
/** What ends the capability of a run: it and all that was called by it, whatever ends it. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import fc from "fast-check";

import { BusError } from "../../../../browser_worker/contract/bus_error.js";
import { HELPER, NOTES, makeAgentKernel } from "./agent_kernel.js";

const TURN_SECONDS = 20;

/** A turn in whose name the helper waits for notes, which wait for nobody. */
async function nested() {
  /** Of the grant by which notes are called. */
  const leave = new AbortController();
  const made = makeAgentKernel({
    policy: { decide: () => ({ allow: true, signal: leave.signal }) },
  });
  const { click, kernel, ports, scoped, workspace } = made;
  const { helper, tile, notes, invoked } = await workspace();
  click(tile.endpoint.id);
  const call = tile.app.call(HELPER, "run", {}, { timeout: TURN_SECONDS });
  await ports.settle();
  const message = invoked.at(-1);
  const token = message.payload.invocation;
  const child = scoped(helper.app, token, { target: NOTES, name: "wait", timeout: 600 });
  await ports.settle();
  const ran = notes.app.received.filter((each) => each.payload?.action === "tools.invoke").at(-1);
  assert.equal(kernel.invocations.size, 2);
  return { ...made, helper, tile, notes, leave, call, message, token, child, ran };
}

/** @typedef {Awaited<ReturnType<typeof nested>>} Nested */

/**
 * @typedef {object} End
 * @property {string} name
 * @property {(all: Nested) => void | Promise<void>} end
 * @property {string} [code] What the tile is told of its call; undefined where it is not there any more.
 */

/** @type {End[]} */
const ENDS = [
  {
    name: "the handler returns",
    end: ({ helper, message }) =>
      helper.app.send({ type: "response", id: message.id, ok: { result: 1 } }),
    code: "ok",
  },
  {
    name: "the handler fails",
    end: ({ helper, message }) => {
      const error = new BusError("TOOL_FAILED", "No.").toWire();
      helper.app.send({ type: "response", id: message.id, error });
    },
    code: "TOOL_FAILED",
  },
  {
    name: "the call's time is over",
    end: ({ time }) => time.pass(TURN_SECONDS * 1000),
    code: "TIMEOUT",
  },
  {
    name: "its caller cancels",
    end: ({ tile, call }) => tile.app.send({ type: "cancel", id: call, payload: { reason: "" } }),
    code: "CANCELLED",
  },
  { name: "its caller goes", end: ({ kernel, tile }) => kernel.disconnect(tile.endpoint) },
  {
    name: "the owner stops the turn",
    end: ({ agent }) => void agent.turns.stop(agent.turns.all()[0]?.id ?? ""),
    code: "CANCELLED",
  },
  {
    name: "the owner disables the agent",
    end: ({ agent }) => agent.mode.disable("helper"),
    code: "AGENT_MODE_REVOKED",
  },
  {
    name: "the app's version or authority changes",
    end: ({ kernel }) => kernel.appChanged("helper"),
    code: "AGENT_MODE_REVOKED",
  },
  {
    name: "the app is removed",
    end: ({ kernel }) => kernel.forgetApp("helper"),
    code: "AGENT_MODE_REVOKED",
  },
];

describe("a capability, and all that was called by it, ends when", () => {
  for (const { name, end, code } of ENDS) {
    test(name, async () => {
      const all = await nested();
      const { helper, notes, tile, kernel, outcome, ports, scoped, token, ran } = all;
      const find = { target: NOTES, name: "find" };
      // It lives until then.
      assert.equal(await outcome(helper.app, scoped(helper.app, token, find)), "ok");
      await end(all);
      await ports.settle();
      if (code !== undefined) assert.equal(await outcome(tile.app, all.call), code);
      assert.notEqual(await outcome(helper.app, all.child), "waits");
      assert.ok(notes.app.received.some(({ type, id }) => type === "cancel" && id === ran.id));
      const runs = notes.app.received.length;
      const late = scoped(helper.app, token, find);
      assert.equal(await outcome(helper.app, late), "INVOCATION_INVALID");
      const list = scoped(helper.app, token, { target: NOTES }, "tools.list");
      assert.equal(await outcome(helper.app, list), "INVOCATION_INVALID");
      const deeper = scoped(notes.app, ran.payload.invocation, { target: HELPER, name: "other" });
      assert.equal(await outcome(notes.app, deeper), "INVOCATION_INVALID");
      assert.ok(notes.app.received.slice(runs).every(({ type }) => type !== "exec"));
      assert.equal(kernel.invocations.size, 0);
      assert.equal(all.agent.turns.all().length, 0);
    });
  }

  test("its endpoint goes; the one that comes in its place cannot use it", async () => {
    const { connect, helper, kernel, outcome, ports, scoped, token, tile, call } = await nested();
    kernel.disconnect(helper.endpoint);
    await ports.settle();
    assert.equal(await outcome(tile.app, call), "ENDPOINT_GONE");
    const again = connect("helper");
    const late = scoped(again.app, token, { target: NOTES, name: "find" });
    assert.equal(await outcome(again.app, late), "INVOCATION_INVALID");
    assert.equal(kernel.invocations.size, 0);
  });

  test("the workspace is locked", async () => {
    const { connect, kernel, outcome, ports, scoped, token, agent } = await nested();
    kernel.lock();
    await ports.settle();
    assert.deepEqual([kernel.invocations.size, agent.turns.all()], [0, []]);
    kernel.unlock();
    const again = connect("helper");
    const late = scoped(again.app, token, { target: NOTES, name: "find" });
    assert.equal(await outcome(again.app, late), "INVOCATION_INVALID");
  });
});

test("a grant that is taken back ends what it let through, and leaves the turn", async () => {
  const { agent, helper, leave, notes, outcome, ports, response, child, ran, kernel, scoped } =
    await nested();
  leave.abort(new BusError("AGENT_MODE_REVOKED", "The owner took the grant back."));
  await ports.settle();
  const { error } = await response(helper.app, child);
  assert.equal(error.code, "AGENT_MODE_REVOKED");
  assert.ok(notes.app.received.some(({ type, id }) => type === "cancel" && id === ran.id));
  assert.deepEqual([agent.turns.all().length, kernel.invocations.size], [1, 1]);
  const deeper = scoped(notes.app, ran.payload.invocation, { target: HELPER, name: "other" });
  assert.equal(await outcome(notes.app, deeper), "INVOCATION_INVALID");
});

test("a capability is of one endpoint: no other can use it, of its own app neither", async () => {
  const { connect, helper, notes, tile, outcome, scoped, token } = await nested();
  const find = { target: NOTES, name: "find" };
  const tray = connect("helper", "tray");
  const board = connect("board");
  for (const { app } of [tile, tray, notes, board]) {
    assert.equal(await outcome(app, scoped(app, token, find)), "INVOCATION_INVALID");
  }
  assert.equal(await outcome(helper.app, scoped(helper.app, token, find)), "ok");
});

test("each routed child has a capability of its own, never seen before", async () => {
  const { helper, notes, ports, scoped, token } = await nested();
  /** @type {Set<string>} */
  const seen = new Set([token]);
  for (let calls = 0; calls < 3; calls += 1) {
    scoped(helper.app, token, { target: NOTES, name: "find" });
    await ports.settle();
  }
  const invoked = notes.app.received.filter((each) => each.payload?.action === "tools.invoke");
  for (const { payload } of invoked) seen.add(payload.invocation);
  assert.equal(seen.size, invoked.length + 1);
  assert.ok(invoked.length >= 4);
});

test("whatever ends in whatever order, no capability outlives its call", async () => {
  const action = fc.oneof(
    fc.record({ type: fc.constant("begin") }),
    fc.record({ type: fc.constant("nest"), pick: fc.nat(5) }),
    fc.record({ type: fc.constant("answer"), pick: fc.nat(5) }),
    fc.record({ type: fc.constant("end"), end: fc.nat({ max: ENDS.length - 1 }) }),
    fc.record({ type: fc.constant("time"), ms: fc.nat(9_000) }),
    fc.record({ type: fc.constant("settle") }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(action, { maxLength: 25 }), async (actions) => {
      const made = makeAgentKernel();
      const { agent, click, kernel, ports, scoped, time, workspace } = made;
      const { helper, tile, notes, invoked } = await workspace();
      /** @type {number[]} */
      const calls = [];
      /** @type {number[]} */
      const children = [];
      for (const step of actions) {
        if (step.type === "begin") {
          click(tile.endpoint.id);
          calls.push(tile.app.call(HELPER, "run", {}, { timeout: TURN_SECONDS }));
        } else if (step.type === "nest" && invoked.length > 0) {
          const token = invoked[step.pick % invoked.length].payload.invocation;
          children.push(scoped(helper.app, token, { target: NOTES, name: "wait", timeout: 30 }));
        } else if (step.type === "answer" && invoked.length > 0) {
          const { id } = invoked[step.pick % invoked.length];
          helper.app.send({ type: "response", id, ok: { result: 1 } });
        } else if (step.type === "end") {
          const last = { call: calls.at(-1) ?? 1, message: invoked.at(-1) };
          const all = /** @type {any} */ ({ ...made, helper, tile, notes, ...last });
          if (last.message !== undefined) await ENDS[step.end]?.end(all);
        } else if (step.type === "time") time.pass(step.ms);
        if (step.type === "settle") await ports.settle();
        // A turn has its call, and each capability a call that has not ended.
        assert.ok(agent.turns.all().length <= 1);
        assert.ok(kernel.invocations.size <= kernel.callsInFlight);
      }
      time.pass(700_000);
      await ports.settle();
      time.pass(700_000);
      await ports.settle();
      assert.deepEqual(
        [kernel.invocations.size, kernel.callsInFlight, agent.turns.all().length],
        [0, 0, 0],
      );
      for (const id of children) assert.ok(helper.app.response(id) !== undefined);
      if (tile.endpoint.open) for (const id of calls) assert.ok(tile.app.response(id));
      kernel.close();
    }),
    { numRuns: 60 },
  );
});
