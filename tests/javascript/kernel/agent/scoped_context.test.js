// @ts-check
/** While an app runs a tool for somebody else, none of its endpoints reaches further in the app's own name. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { HELPER, NOTES, makeAgentKernel } from "./agent_kernel.js";

describe("an app in an agent's turn", () => {
  test("is refused app-wide what it asks in its own name, and no question is asked", async () => {
    /** @type {unknown[]} */
    const questions = [];
    const policy = {
      decide: (/** @type {any} */ question) => {
        questions.push(question);
        return /** @type {const} */ ({ allow: true });
      },
    };
    const { connect, consent, kernel, outcome, ports, scoped, workspace } = makeAgentKernel({
      policy,
    });
    const { helper, tile, notes, begin } = await workspace();
    const tray = connect("helper", "tray");
    const second = connect("helper", "tile", "2");
    // Before the turn nothing is in the way.
    for (const { app } of [helper, tile, tray, second]) {
      assert.equal(await outcome(app, app.call(NOTES, "find")), "ok");
    }
    const { token, message } = await begin();
    const before = questions.length;
    const runs = notes.app.received.length;
    for (const { app } of [helper, tile, tray, second]) {
      assert.equal(await outcome(app, app.call(NOTES, "find")), "SCOPED_CONTEXT_REQUIRED");
      const list = app.ask("tools.list", { target: NOTES });
      assert.equal(await outcome(app, list), "SCOPED_CONTEXT_REQUIRED");
      const delegate = app.call("kernel", "attachments.delegate", { target: NOTES, name: "find" });
      assert.equal(await outcome(app, delegate), "SCOPED_CONTEXT_REQUIRED");
    }
    assert.deepEqual([questions.length, consent.current], [before, null]);
    assert.equal(notes.app.received.length, runs);
    // What only looks, and what stays in the app, is not in the way; nor is the turn itself.
    assert.equal(await outcome(tile.app, tile.app.call("kernel", "endpoints.list")), "ok");
    tile.app.expose({ draw: { handler: () => 1 } });
    const inApp = helper.app.call(tile.endpoint.id, "draw");
    assert.equal(await outcome(helper.app, inApp), "ok");
    const own = scoped(helper.app, token, { target: NOTES, name: "find" });
    assert.equal(await outcome(helper.app, own), "ok");
    assert.equal(questions.length, before + 1);
    helper.app.send({ type: "response", id: message.id, ok: { result: 1 } });
    await ports.settle();
    for (const { app } of [helper, tile, tray, second]) {
      assert.equal(await outcome(app, app.call(NOTES, "find")), "ok");
    }
    assert.equal(kernel.invocations.size, 0);
  });

  test("asks for the agent and through whom, however deep it is", async () => {
    /** @type {any[]} */
    const questions = [];
    const policy = {
      decide: (/** @type {any} */ question) => {
        questions.push(question);
        return /** @type {const} */ ({ allow: true });
      },
    };
    const { connect, ports, scoped, workspace } = makeAgentKernel({ policy });
    const { helper, notes, begin } = await workspace();
    const board = connect("board");
    board.app.expose({ draw: { handler: () => undefined } });
    const { token } = await begin();
    scoped(helper.app, token, { target: NOTES, name: "wait" });
    await ports.settle();
    const ran = notes.app.received.filter((each) => each.payload?.action === "tools.invoke").at(-1);
    scoped(notes.app, ran.payload.invocation, { target: board.endpoint.id, name: "draw" });
    await ports.settle();
    const told = questions.map(({ root, caller, via }) => [root.subject, caller, via]);
    assert.deepEqual(told, [
      ["agent:helper:run", HELPER, [HELPER]],
      ["agent:helper:run", NOTES, [HELPER, NOTES]],
    ]);
  });

  test("reaches no tray, of its own app neither", async () => {
    const { connect, outcome, scoped, workspace } = makeAgentKernel();
    const { helper, tile, begin } = await workspace();
    const own = connect("helper", "tray");
    const other = connect("notes", "tray");
    for (const { app } of [own, other, tile]) app.expose({ work: { handler: () => 1 } });
    // Without a turn the app's own tray is reached.
    const plain = helper.app.call(own.endpoint.id, "work");
    assert.equal(await outcome(helper.app, plain), "ok");
    const { token } = await begin();
    for (const { endpoint } of [own, other]) {
      const call = scoped(helper.app, token, { target: endpoint.id, name: "work" });
      assert.equal(await outcome(helper.app, call), "OWNER_REQUIRED");
      const given = { target: endpoint.id, name: "work" };
      const delegate = { target: "kernel", name: "attachments.delegate", arguments: given };
      const asked = scoped(helper.app, token, delegate);
      assert.equal(await outcome(helper.app, asked), "OWNER_REQUIRED");
    }
    const control = scoped(helper.app, token, { target: tile.endpoint.id, name: "work" });
    assert.equal(await outcome(helper.app, control), "ok");
  });
});

test("an app that a terminal or another app has called is refused likewise", async () => {
  const { kernel, outcome, ports, workspace } = makeAgentKernel();
  const { helper, tile, notes } = await workspace();
  helper.app.expose({ other: { handler: () => undefined } });
  const begun = [
    () => {
      const stop = new AbortController();
      const call = { caller: "external:bridge:1", target: HELPER, name: "other" };
      kernel.call({ ...call, signal: stop.signal }).catch(() => {});
      return () => stop.abort();
    },
    () => {
      const id = notes.app.call(HELPER, "other");
      return () => notes.app.send({ type: "cancel", id, payload: { reason: "" } });
    },
  ];
  for (const begin of begun) {
    const end = begin();
    await ports.settle();
    const code = await outcome(tile.app, tile.app.call(NOTES, "find"));
    assert.equal(code, "SCOPED_CONTEXT_REQUIRED");
    end();
    await ports.settle();
    assert.equal(await outcome(tile.app, tile.app.call(NOTES, "find")), "ok");
  }
});

describe("a call that an app made of itself", () => {
  /** A terminal's call waits in the helper, whose tile and background have called each other before and since. */
  const laundry = async () => {
    const made = makeAgentKernel();
    const { kernel, ports } = made;
    const { helper, tile, notes } = await made.workspace();
    const stop = new AbortController();
    /** @type {string[]} */
    const tokens = [];
    const hop = {
      handler: (/** @type {any} */ _given, /** @type {any} */ message) =>
        void tokens.push(message.payload.invocation),
    };
    helper.app.expose({ hop, other: { handler: () => undefined } });
    tile.app.expose({ hop });
    helper.app.call(tile.endpoint.id, "hop");
    await ports.settle();
    const before = String(tokens.at(-1));
    /** @param {string} token */
    const reach = (token) => made.scoped(tile.app, token, { target: NOTES, name: "find" });
    const delegate = { target: NOTES, name: "find" };
    const asked = made.scoped(tile.app, before, {
      ...{ target: "kernel", name: "attachments.delegate" },
      arguments: delegate,
    });
    const { delegation } = (await made.response(tile.app, asked)).ok;
    // As long as the helper answers to nobody else, all of these are let through.
    assert.equal(await made.outcome(tile.app, reach(before)), "ok");
    const call = { caller: "external:bridge:1", target: HELPER, name: "other" };
    kernel.call({ ...call, signal: stop.signal }).catch(() => {});
    await ports.settle();
    helper.app.call(tile.endpoint.id, "hop");
    await ports.settle();
    const since = String(tokens.at(-1));
    assert.notEqual(since, before);
    return { ...made, helper, tile, notes, stop, before, since, delegation, delegate, reach };
  };

  test("is no way round that: not to another app, nor to a tool of the page", async () => {
    const { before, since, outcome, ports, reach, scoped, stop, tile } = await laundry();
    for (const token of [before, since]) {
      assert.equal(await outcome(tile.app, reach(token)), "SCOPED_CONTEXT_REQUIRED");
      const list = scoped(tile.app, token, { target: NOTES }, "tools.list");
      assert.equal(await outcome(tile.app, list), "SCOPED_CONTEXT_REQUIRED");
      const page = { target: "kernel", name: "attachments.delegate" };
      const given = { arguments: { target: NOTES, name: "find" } };
      const asked = scoped(tile.app, token, { ...page, ...given });
      assert.equal(await outcome(tile.app, asked), "SCOPED_CONTEXT_REQUIRED");
      const looks = { target: "kernel", name: "endpoints.list" };
      assert.equal(await outcome(tile.app, scoped(tile.app, token, looks)), "ok");
    }
    stop.abort();
    await ports.settle();
    for (const token of [before, since]) {
      assert.equal(await outcome(tile.app, reach(token)), "ok");
    }
  });

  test("is none by what was delegated before, either", async () => {
    const { delegate, delegation, outcome, tile } = await laundry();
    const call = tile.app.ask("tools.call", { ...delegate, delegation });
    assert.equal(await outcome(tile.app, call), "SCOPED_CONTEXT_REQUIRED");
  });

  test("still calls for its app, by whichever of its frames, through another app and back", async () => {
    const { connect, outcome, ports, scoped, workspace } = makeAgentKernel();
    const { helper, tile, notes } = await workspace();
    const board = connect("board");
    board.app.expose({ draw: { handler: () => 1 } });
    /** @type {string[]} */
    const tokens = [];
    const keep = {
      handler: (/** @type {any} */ _given, /** @type {any} */ message) =>
        void tokens.push(message.payload.invocation),
    };
    for (const { app } of [helper, tile, notes]) app.expose({ keep });
    tile.app.call(NOTES, "keep");
    await ports.settle();
    scoped(notes.app, String(tokens.at(-1)), { target: HELPER, name: "keep" });
    await ports.settle();
    const draw = { target: board.endpoint.id, name: "draw" };
    const call = scoped(helper.app, String(tokens.at(-1)), draw);
    assert.equal(await outcome(helper.app, call), "ok");
  });
});
