// @ts-check
import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { makeKernel } from "../../support/test_kernel.js";

const ALLOW = { decide: () => ({ allow: /** @type {const} */ (true) }) };
const NOTES = "app:notes:background";
const BOARD = "app:board:background";

/** Three apps, of which notes runs what it is asked until a test answers. */
async function workspace() {
  /** @type {any[]} */
  const questions = [];
  const made = makeKernel({
    policy: {
      decide: (question) => {
        questions.push(question);
        return ALLOW.decide();
      },
    },
  });
  const notes = made.connect("notes");
  const notesTile = made.connect("notes", "tile");
  const board = made.connect("board");
  const other = made.connect("other");
  notes.app.expose({ work: { handler: () => undefined } });
  notesTile.app.expose({ show: { handler: () => ({}) } });
  board.app.expose({
    draw: { handler: () => ({ drawn: true }) },
    hold: { handler: () => undefined },
  });
  /** The last thing that an app was asked to run. @param {{ app: any }} endpoint */
  const asked = ({ app }) =>
    app.received.filter((/** @type {any} */ m) => m.payload?.action === "tools.invoke").at(-1);
  return { ...made, notes, notesTile, board, other, asked, questions };
}

/**
 * Calls under an invocation.
 *
 * @param {{ app: any }} endpoint
 * @param {string} invocation
 * @param {string} target
 * @param {string} name
 */
function scoped({ app }, invocation, target, name) {
  return app.askUnder(invocation, { target, name, arguments: {} });
}

describe("an invocation", () => {
  test("is told to the endpoint that runs the call, beside what it is asked, and to nobody else", async () => {
    const { kernel, notes, board, other, ports, asked } = await workspace();
    other.app.call(NOTES, "work", { text: "x" });
    await ports.settle();
    const { payload } = asked(notes);
    assert.match(payload.invocation, /^id\d+$/);
    assert.ok(!JSON.stringify(payload.payload).includes(payload.invocation));
    for (const { app } of [board, other]) {
      assert.ok(!JSON.stringify(app.received).includes(payload.invocation));
    }
    assert.ok(!JSON.stringify(kernel.audit.entries()).includes(payload.invocation));
  });

  test("lets what an app calls be called for who called it", async () => {
    const { notes, board, other, ports, asked, questions } = await workspace();
    other.app.call(NOTES, "work");
    await ports.settle();
    const id = scoped(notes, asked(notes).payload.invocation, BOARD, "draw");
    await ports.settle();
    assert.deepEqual(notes.app.response(id).ok, { drawn: true });
    const { root, via, caller } = questions.at(-1);
    assert.equal(root.subject, "app:other");
    assert.deepEqual(via, [NOTES]);
    assert.equal(caller, NOTES);
    assert.notEqual(asked(board).payload.invocation, asked(notes).payload.invocation);
  });

  test("is dead when its call has ended, in whatever way", async () => {
    const ways = {
      answered: (/** @type {any} */ w, /** @type {any} */ invoked) =>
        w.notes.app.send({ type: "response", id: invoked.id, ok: { result: {} } }),
      failed: (/** @type {any} */ w, /** @type {any} */ invoked) =>
        w.notes.app.send({
          type: "response",
          id: invoked.id,
          error: { code: "TOOL_FAILED", message: "no" },
        }),
      "timed out": (/** @type {any} */ w) => w.time.pass(30_000),
      cancelled: (/** @type {any} */ w, /** @type {any} */ _invoked, /** @type {number} */ id) =>
        w.other.app.send({ type: "cancel", id, payload: { reason: "enough" } }),
      "caller gone": (/** @type {any} */ w) => w.kernel.disconnect(w.other.endpoint),
    };
    for (const [how, end] of Object.entries(ways)) {
      const w = await workspace();
      const id = w.other.app.call(NOTES, "work");
      await w.ports.settle();
      const invoked = w.asked(w.notes);
      const control = scoped(w.notes, invoked.payload.invocation, BOARD, "draw");
      await w.ports.settle();
      assert.deepEqual(w.notes.app.response(control).ok, { drawn: true }, how);
      end(w, invoked, id);
      await w.ports.settle();
      const late = scoped(w.notes, invoked.payload.invocation, BOARD, "draw");
      await w.ports.settle();
      assert.equal(w.notes.app.response(late).error.code, "INVOCATION_INVALID", how);
      assert.equal(w.kernel.invocations.size, 0, how);
    }
  });

  test("is of no use to another endpoint, of the same app as well, nor to a later session of its own", async () => {
    const w = await workspace();
    w.other.app.call(NOTES, "work");
    await w.ports.settle();
    const { invocation } = w.asked(w.notes).payload;
    for (const thief of [w.notesTile, w.board, w.other]) {
      const id = scoped(thief, invocation, BOARD, "draw");
      await w.ports.settle();
      assert.equal(thief.app.response(id).error.code, "INVOCATION_INVALID");
    }
    w.kernel.disconnect(w.notes.endpoint);
    const again = w.connect("notes");
    const id = scoped(again, invocation, BOARD, "draw");
    await w.ports.settle();
    assert.equal(again.app.response(id).error.code, "INVOCATION_INVALID");
  });

  test("ends what was called by it: nobody waits for that any more", async () => {
    const w = await workspace();
    const id = w.other.app.call(NOTES, "work");
    await w.ports.settle();
    const child = scoped(w.notes, w.asked(w.notes).payload.invocation, BOARD, "hold");
    await w.ports.settle();
    w.other.app.send({ type: "cancel", id, payload: { reason: "enough" } });
    await w.ports.settle();
    assert.equal(w.notes.app.response(child).error.code, "INVOCATION_INVALID");
    const cancels = w.board.app.received.filter((/** @type {any} */ m) => m.type === "cancel");
    assert.equal(cancels.length, 1);
    assert.equal(w.kernel.callsInFlight, 0);
  });

  test("nests eight deep", async () => {
    const made = makeKernel({ policy: ALLOW });
    const places = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"].map((app) =>
      made.connect(app),
    );
    for (const { app } of places) app.expose({ next: { handler: () => undefined } });
    void places[0]?.app.call("app:b:background", "next");
    await made.ports.settle();
    for (let index = 1; index <= 8; index++) {
      const here = places[index];
      const next = places[index + 1];
      assert.ok(here);
      const invoked = here.app.received.find((m) => m.payload?.action === "tools.invoke");
      const id = scoped(here, invoked.payload.invocation, next?.endpoint.id ?? "", "next");
      await made.ports.settle();
      const answer = here.app.response(id);
      if (index < 8) assert.equal(answer, undefined, String(index));
      else assert.equal(answer.error.code, "TOO_MANY_CALLS");
    }
  });
});

describe("an app that runs a call for another", () => {
  test("reaches no other app in its own name, from any of its endpoints", async () => {
    const w = await workspace();
    const before = w.notesTile.app.call(BOARD, "draw");
    await w.ports.settle();
    assert.deepEqual(w.notesTile.app.response(before).ok, { drawn: true });
    w.other.app.call(NOTES, "work");
    await w.ports.settle();
    const asked = w.questions.length;
    for (const endpoint of [w.notes, w.notesTile]) {
      const call = endpoint.app.call(BOARD, "draw");
      const list = endpoint.app.ask("tools.list", { target: BOARD });
      await w.ports.settle();
      assert.equal(endpoint.app.response(call).error.code, "SCOPED_CONTEXT_REQUIRED");
      assert.equal(endpoint.app.response(list).error.code, "SCOPED_CONTEXT_REQUIRED");
    }
    assert.equal(w.questions.length, asked, "the owner was asked");
    // Its own endpoints it reaches, and what only looks.
    const own = w.notes.app.call(w.notesTile.endpoint.id, "show");
    const look = w.notes.app.call("kernel", "endpoints.list");
    await w.ports.settle();
    assert.deepEqual(w.notes.app.response(own).ok, {});
    assert.ok(w.notes.app.response(look).ok);
    w.notes.app.send({ type: "response", id: w.asked(w.notes).id, ok: { result: {} } });
    await w.ports.settle();
    const after = w.notesTile.app.call(BOARD, "draw");
    await w.ports.settle();
    assert.deepEqual(w.notesTile.app.response(after).ok, { drawn: true });
  });

  test("uses no tool of the page that does something, but for who called it", async () => {
    const w = await workspace();
    /** @type {(string | undefined)[]} */
    const roots = [];
    w.kernel.tools.add("test.do", {
      description: { description: "Does something", inputSchema: { type: "object" } },
      run: (_input, { root }) => {
        roots.push(root?.subject);
        return {};
      },
    });
    w.other.app.call(NOTES, "work");
    await w.ports.settle();
    const own = w.notes.app.call("kernel", "test.do");
    const forIt = scoped(w.notes, w.asked(w.notes).payload.invocation, "kernel", "test.do");
    await w.ports.settle();
    assert.equal(w.notes.app.response(own).error.code, "SCOPED_CONTEXT_REQUIRED");
    assert.deepEqual(w.notes.app.response(forIt).ok, {});
    assert.deepEqual(roots, ["app:other"]);
  });

  test("is refused as well where the owner had been asked before it ran anything", async () => {
    /** @type {((decision: any) => void)[]} */
    const decisions = [];
    const made = makeKernel({
      policy: {
        decide: ({ caller }) =>
          caller.startsWith("external")
            ? { allow: true }
            : new Promise((resolve) => void decisions.push(resolve)),
      },
    });
    const notes = made.connect("notes");
    const board = made.connect("board");
    notes.app.expose({ work: { handler: () => undefined } });
    board.app.expose({ draw: { handler: () => ({}) } });
    const id = notes.app.call(BOARD, "draw");
    await made.ports.settle();
    void made.kernel
      .call({ caller: "external:bridge:s", target: NOTES, name: "work" })
      .catch(() => {});
    await made.ports.settle();
    decisions[0]?.({ allow: true });
    await made.ports.settle();
    assert.equal(notes.app.response(id).error.code, "SCOPED_CONTEXT_REQUIRED");
  });
});

test("a leave that is taken back ends the call that runs by it, and its tool is told", async () => {
  const controller = new AbortController();
  const made = makeKernel({
    policy: { decide: () => ({ allow: true, signal: controller.signal }) },
  });
  const notes = made.connect("notes");
  const other = made.connect("other");
  notes.app.expose({ work: { handler: () => undefined } });
  const id = other.app.call(NOTES, "work");
  await made.ports.settle();
  controller.abort();
  await made.ports.settle();
  assert.equal(other.app.response(id).error.code, "CANCELLED");
  assert.equal(notes.app.received.filter((/** @type {any} */ m) => m.type === "cancel").length, 1);
});

test("a session that ends takes its calls with it, and its keepers are told", async () => {
  const made = makeKernel({ policy: ALLOW });
  const notes = made.connect("notes");
  notes.app.expose({ work: { handler: () => undefined } });
  /** @type {string[]} */
  const told = [];
  made.kernel.addKeeper({
    endSession: (caller) => void told.push(caller),
    forgetApp: (app) => void told.push(app),
    lock: () => void told.push("lock"),
    endpointGone: ({ id }) => void told.push(id),
  });
  const ended = made.kernel.call({ caller: "external:bridge:a", target: NOTES, name: "work" });
  const other = made.kernel.call({ caller: "external:bridge:b", target: NOTES, name: "work" });
  await made.ports.settle();
  made.kernel.endSession("external:bridge:a");
  await assert.rejects(ended, { code: "CANCELLED" });
  assert.equal(made.kernel.callsInFlight, 1);
  made.kernel.forgetApp("board");
  made.kernel.lock();
  await assert.rejects(other, { code: "LOCKED" });
  assert.deepEqual(told, ["external:bridge:a", "board", NOTES, "lock"]);
});
