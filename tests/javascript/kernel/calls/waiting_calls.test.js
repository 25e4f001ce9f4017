// @ts-check
/**
 * A call that only waits for its owner's yes, and is ended: whoever made it is told that nothing was run.
 * Each way is tried on a call that runs as well, which may have done something by then.
 */

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { AgentEndpoint } from "../../../../browser_worker/dispatcher/agent_endpoint.js";
import { Dispatcher } from "../../../../browser_worker/dispatcher/dispatcher.js";
import { EndReason } from "../../../../browser_worker/kernel/calls/call_end.js";
import { KernelHost } from "../../../../browser_worker/kernel/terminal/kernel_host.js";
import { makeOwnedKernel } from "../../support/owned_kernel.js";
import { NOTES, makeAgentKernel } from "../agent/agent_kernel.js";

/** @typedef {Awaited<ReturnType<typeof workspace>>} Made */
/** @typedef {{ code: string, outcome: string | undefined, message: string } | null} Told */

/** Three that can call a tool of notes which never answers, and an owner who is a test. */
async function workspace() {
  /** @type {((decision: any) => void)[]} */
  const asked = [];
  const made = makeAgentKernel({
    policy: {
      decide: (question, _signal, waiting) => {
        if (question.tool === null) return { allow: true };
        waiting();
        return new Promise((decide) => void asked.push(decide));
      },
    },
  });
  const { kernel, ports, powers, time } = made;
  const { helper, tile, notes, begin } = await made.workspace();
  const board = made.connect("board");
  for (const { app } of [tile, board]) app.expose({});
  const shell = { focusedEndpoint: null, openTile: () => Promise.reject(new Error("none")) };
  const dispatcher = new Dispatcher(new KernelHost({ kernel, shell, powers }), {
    app: { name: "W", version: "1" },
    runtime: { now: time.now, after: time.after },
  });
  dispatcher.setEnabled(true);
  const endpoint = new AgentEndpoint(dispatcher);
  /** @param {string} method @param {any} params @param {string} [session] */
  const request = async (method, params, session = "s") => {
    const line = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    const answer = endpoint.request(line, { session });
    for (let at = 0; at < 5; at++) await ports.settle();
    return JSON.parse((await answer) ?? "null").result;
  };
  const turn = await begin();
  const ran = () =>
    notes.app.received.some(
      ({ payload }) => payload?.action === "tools.invoke" && payload.payload.name === "wait",
    );
  return { ...made, helper, notes, board, endpoint, request, turn, asked, ran };
}

/** @param {any} response @returns {Told} */
function toApp(response) {
  if (response === undefined) return null;
  const { code, data, message } = response.error;
  return { code, outcome: data?.outcome, message };
}

/**
 * Each makes the call, and gives how to end it and what it was told.
 *
 * @type {Record<string, (made: Made) => Promise<{ cancel: () => void, told: () => Promise<Told> }>>}
 */
const CALLERS = {
  app: ({ board, response }) => {
    const id = board.app.call(NOTES, "wait", {}, { timeout: 600 });
    const cancel = () => board.app.send({ type: "cancel", id, payload: { reason: "enough" } });
    return Promise.resolve({ cancel, told: async () => toApp(await response(board.app, id)) });
  },
  agent: ({ helper, turn, response }) => {
    const call = { target: NOTES, name: "wait", arguments: {}, timeout: 600 };
    const id = helper.app.askUnder(turn.token, call);
    const cancel = () => helper.app.send({ type: "cancel", id, payload: { reason: "enough" } });
    return Promise.resolve({ cancel, told: async () => toApp(await response(helper.app, id)) });
  },
  terminal: async ({ request, ports }) => {
    const { task } = await request("actions/execute", { action: "app.notes.wait", input: {} });
    const told = async () => {
      await ports.settle();
      const { error } = (await request("tasks/get", { id: task.id }, "other")).task;
      const { code, availability, bus } = error.data;
      assert.ok(code === "UNAVAILABLE" || code === "HOST_ERROR", code);
      // By these a client knows whether to look before it tries again.
      const outcome = code === "UNAVAILABLE" ? "not_delivered" : "unknown";
      return { code: availability?.code ?? bus, outcome, message: error.message };
    };
    return { cancel: () => {}, told };
  },
};

const ALL = ["app", "agent", "terminal"];

/**
 * @type {[string, string[], string, (made: Made, cancel: () => void) => unknown][]}
 */
const ENDS = [
  ["the lock of the workspace", ALL, "LOCKED", ({ kernel }) => kernel.lock()],
  [
    "the end of its session",
    ["terminal"],
    "CANCELLED",
    ({ endpoint }) => endpoint.closeSession("s"),
  ],
  ["its caller", ["app", "agent"], "CANCELLED", (_, cancel) => cancel()],
  ["its deadline", ALL, "TIMEOUT", ({ time }) => time.pass(600_000)],
  [
    "its target, which goes",
    ALL,
    "ENDPOINT_GONE",
    ({ kernel, notes }) => kernel.disconnect(notes.endpoint),
  ],
  [
    "its target's frame, which is taken away",
    ALL,
    "ENDPOINT_GONE",
    ({ kernel, notes }) =>
      kernel.disconnect(notes.endpoint, new EndReason("ENDPOINT_GONE", "It is gone (closed)")),
  ],
  [
    "a flood of its target's",
    ALL,
    "FLOODED",
    async ({ notes, ports }) => {
      while (notes.endpoint.open) {
        for (let at = 0; at < 500; at++) notes.app.send({ nonsense: at });
        await ports.settle();
      }
    },
  ],
  [
    "the owner, who stops the turn",
    ["agent"],
    "CANCELLED",
    ({ agent }) => agent.turns.stop(agent.turns.all()[0]?.id ?? ""),
  ],
  [
    "another version of the agent",
    ["agent"],
    "AGENT_MODE_REVOKED",
    ({ kernel }) => kernel.appChanged("helper"),
  ],
  [
    "the end of the run that it belongs to",
    ["agent"],
    "INVOCATION_INVALID",
    ({ helper, turn }) =>
      helper.app.send({ type: "response", id: turn.message.id, ok: { result: 1 } }),
  ],
];

describe("a call that is ended by", () => {
  for (const [what, callers, code, end] of ENDS) {
    for (const caller of callers) {
      for (const begun of [false, true]) {
        const when = begun
          ? "while its tool runs may have been done"
          : "while it waits was not run";
        test(`${what}, ${when}: ${caller}`, async () => {
          const made = await workspace();
          const call = await CALLERS[caller]?.(made);
          assert.ok(call !== undefined);
          await made.ports.settle();
          assert.equal(made.asked.length, 1);
          if (begun) made.asked[0]?.({ allow: true });
          await made.ports.settle();
          assert.equal(made.ran(), begun);
          assert.equal(made.kernel.audit.waiting().size, begun ? 0 : 1);
          await end(made, call.cancel);
          const told = await call.told();
          assert.equal(made.kernel.audit.waiting().size, 0);
          // What belongs to a call is ended with that one, or just before.
          const codes = caller === "agent" ? [code, "INVOCATION_INVALID"] : [code];
          assert.ok(codes.includes(told?.code ?? ""), told?.code);
          assert.equal(told?.outcome, begun ? "unknown" : "not_delivered");
          assert.match(told?.message ?? "", begun ? /may have/ : /nothing was (run|done)/);
          assert.doesNotMatch(told?.message ?? "", begun ? /nothing was/ : /may have/);
          // A yes that comes now runs nothing.
          made.asked[0]?.({ allow: true });
          await made.ports.settle();
          assert.equal(made.ran(), begun);
        });
      }
    }
  }
});

test("a terminal whose bridge is not reached is asked about no more, and what runs for it runs on", async () => {
  for (const begun of [false, true]) {
    const made = await workspace();
    const call = await CALLERS["terminal"]?.(made);
    await made.ports.settle();
    assert.equal(made.asked.length, 1);
    if (begun) made.asked[0]?.({ allow: true });
    await made.ports.settle();
    made.endpoint.sessionUnreached("another");
    assert.equal(made.kernel.callsInFlight, 2, "the agent's turn, and this");
    made.endpoint.sessionUnreached("s");
    assert.equal(made.kernel.callsInFlight, begun ? 2 : 1);
    made.asked[0]?.({ allow: true });
    await made.ports.settle();
    assert.equal(made.ran(), begun);
    if (begun) continue;
    assert.deepEqual(await call?.told(), {
      code: "CANCELLED",
      outcome: "not_delivered",
      message: "The page lost its bridge while the owner was asked: nothing was run.",
    });
    assert.deepEqual(made.endpoint.sessions.slice(0, 1), ["s"], "the session is there still");
  }
});

test("what an app asks on behalf of a terminal whose bridge is not reached is taken back, and its own is not", async () => {
  const made = await workspace();
  const { board, kernel, ports } = made;
  board.app.expose({ on: {} });
  const called = kernel.call({
    caller: "external:bridge:s",
    target: board.endpoint.id,
    name: "on",
  });
  called.catch(() => {});
  await ports.settle();
  made.asked[0]?.({ allow: true });
  await ports.settle();
  const run = board.app.received.findLast(({ payload }) => payload?.action === "tools.invoke");
  const wait = { target: NOTES, name: "wait", arguments: {} };
  const nested = board.app.askUnder(run.payload.invocation, wait);
  await ports.settle();
  assert.equal(made.asked.length, 2);
  kernel.withdrawQuestions("external:bridge:s");
  await ports.settle();
  const told = toApp(board.app.response(nested));
  assert.deepEqual([told?.code, told?.outcome], ["CANCELLED", "not_delivered"]);
  assert.equal(kernel.callsInFlight, 2, "the agent's turn, and what runs for the terminal");
});

test("what a policy takes back while it is asked was not run, for a terminal either", async () => {
  const made = await workspace();
  const call = await CALLERS["terminal"]?.(made);
  const message = "What the owner was asked about has changed meanwhile; nothing was run.";
  made.asked[0]?.({ allow: false, code: "CANCELLED", message });
  await made.ports.settle();
  assert.deepEqual(await call?.told(), { code: "CANCELLED", outcome: "not_delivered", message });
});

test("a caller who goes while it waits has run nothing, as the audit says", async () => {
  for (const begun of [false, true]) {
    const made = await workspace();
    await CALLERS["app"]?.(made);
    await made.ports.settle();
    if (begun) made.asked[0]?.({ allow: true });
    await made.ports.settle();
    made.kernel.disconnect(made.board.endpoint);
    const entry = made.kernel.audit.entries().find(({ tool }) => tool === "wait");
    assert.match(JSON.stringify(entry), begun ? /may have been done/ : /nothing was run/);
  }
});

test("an app cannot say of a tool that it ran that it was not, by passing on how its own call ended", async () => {
  const { board, notes, kernel, ports } = askingKernel();
  const data = { outcome: "not_delivered", more: 1 };
  notes.app.handlers.set("tools.invoke", () => ({
    error: { code: "CANCELLED", message: "It was ended.", data },
  }));
  const called = kernel.call({ target: NOTES, name: "work" });
  await Promise.all([
    ports.settle(),
    assert.rejects(called, ({ code, data: told }) => {
      assert.deepEqual([code, told], ["CANCELLED", { more: 1 }]);
      return true;
    }),
  ]);
  assert.ok(board.endpoint.open);
});

test("an app that says of a tool that it did not run, and is not heard again, may have run it", async () => {
  const { board, notes, kernel, ports, time } = askingKernel();
  notes.app.handlers.set("tools.invoke", () => {
    notes.app.handlers.delete("tools.describe");
    return { ok: { changed: true } };
  });
  const called = kernel.call({ target: NOTES, name: "work" });
  const ended = assert.rejects(called, ({ code, message, data }) => {
    assert.deepEqual([code, data.outcome], ["TIMEOUT", "unknown"]);
    assert.match(message, /may have been done/);
    return true;
  });
  await ports.settle();
  time.pass(30_000);
  await ended;
  assert.ok(board.endpoint.open);
});

describe("a tool of the page that asks its owner, and is ended by", () => {
  /** @type {[string, string, (made: ReturnType<typeof askingKernel>, id: number) => unknown][]} */
  const ends = [
    ["a lock", "LOCKED", ({ kernel }) => kernel.lock()],
    [
      "its caller",
      "CANCELLED",
      ({ board }, id) => board.app.send({ type: "cancel", id, payload: { reason: "enough" } }),
    ],
    ["its deadline", "TIMEOUT", ({ time }) => time.pass(180_000)],
  ];
  for (const [what, code, end] of ends) {
    for (const begun of [false, true]) {
      const when = begun ? "after the yes may have been done" : "before the yes did nothing";
      test(`${what}, ${when}`, async () => {
        const made = askingKernel();
        const { board, ports, consent } = made;
        const id = board.app.call("kernel", "test.asks");
        await ports.settle();
        assert.ok(consent.current !== null);
        if (begun) made.allow("once");
        await ports.settle();
        end(made, id);
        await ports.settle();
        const told = toApp(board.app.response(id));
        assert.equal(told?.code, code);
        assert.equal(told?.outcome, begun ? "unknown" : "not_delivered");
        assert.equal(consent.current, null);
      });
    }
  }
});

function askingKernel() {
  const made = makeOwnedKernel();
  const { kernel, consent, connect } = made;
  kernel.tools.add("test.asks", {
    description: { description: "Asks, and works on.", inputSchema: { type: "object" } },
    asksOwner: true,
    run: async (_input, _source, signal) => {
      const choices = [{ id: "once", label: "Once" }];
      const prompt = { subject: "app:board", title: "May it?", facts: [], choices, seconds: 600 };
      await consent.ask(prompt, signal);
      return new Promise(() => {});
    },
  });
  const board = connect("board");
  const notes = connect("notes");
  notes.app.expose({ work: { handler: () => 1 } });
  return { ...made, board, notes };
}
