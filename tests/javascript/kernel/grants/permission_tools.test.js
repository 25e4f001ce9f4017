// @ts-check
/** Leave that is asked for ahead of its use, from the messages on the ports. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { makeOwnedKernel, shown } from "../../support/owned_kernel.js";
import { turnRoot } from "../../support/roots.js";

const NOTES = "app:notes:background";

async function workspace() {
  const made = makeOwnedKernel();
  const notes = made.connect("notes");
  const board = made.connect("board");
  notes.app.expose({
    notes_search: { handler: () => ({ found: 1 }) },
    notes_add: { handler: () => ({ added: 1 }) },
    work: { handler: () => undefined },
  });
  await made.ports.settle();
  /** Asks as the board, and settles. @param {any} given @param {any} [more] */
  const request = async (given, more = {}) => {
    const id = board.app.call("kernel", "permissions.request", given, more);
    await made.ports.settle();
    return () => board.app.response(id);
  };
  /** Calls as the board, and settles. @param {string} name */
  const call = async (name) => {
    const id = board.app.call(NOTES, name);
    await made.ports.settle();
    return board.app.response(id);
  };
  return { ...made, notes, board, request, call };
}

describe("permissions.request", () => {
  test("asks once for all the tools, and after a yes they are called without a question", async () => {
    const { request, call, consent, allow, ports, grants } = await workspace();
    const tools = ["notes_search", "notes_add"];
    const answer = await request({ target: "notes", tools, reason: "To draw\u202e them." });
    const { prompt } = shown(consent);
    assert.equal(prompt.title, "Let the app board use the app notes from now on?");
    assert.equal(prompt.quote, "To draw\ufffd them.");
    assert.deepEqual(prompt.choices, [
      { id: "session", label: "Until the workspace is locked or reloaded" },
    ]);
    assert.deepEqual(prompt.facts.at(-1), {
      label: "Tools",
      value: "notes_search\nnotes_add",
      code: true,
    });
    assert.equal(answer(), undefined);
    allow("session");
    await ports.settle();
    assert.deepEqual(answer().ok, { granted: true, tools });
    assert.deepEqual(
      grants.all().map(({ tool, scope }) => [tool, scope]),
      [
        ["notes_search", "session"],
        ["notes_add", "session"],
      ],
    );
    assert.deepEqual((await call("notes_add")).ok, { added: 1 });
    assert.equal(consent.current, null);
    assert.equal(await call("work"), undefined);
    assert.notEqual(consent.current, null, "another tool is asked about");
  });

  test("without tools asks for lists of the app, and for no call", async () => {
    const { request, board, consent, allow, ports, call } = await workspace();
    const answer = await request({ target: NOTES });
    assert.equal(
      shown(consent).prompt.title,
      "Let the app board see the tools of the app notes from now on?",
    );
    allow("session");
    await ports.settle();
    assert.deepEqual(answer().ok, { granted: true, tools: [] });
    const listed = board.app.ask("tools.list", { target: NOTES });
    await ports.settle();
    assert.equal(board.app.response(listed).ok.tools.length, 3);
    assert.equal(await call("notes_search"), undefined);
    assert.notEqual(consent.current, null);
  });

  test("asks nothing for what is allowed already, and only for what is missing", async () => {
    const { request, consent, allow, ports } = await workspace();
    await request({ target: "notes", tools: ["notes_search"] });
    allow("session");
    await ports.settle();
    const same = await request({ target: "notes", tools: ["notes_search"] });
    assert.deepEqual(same().ok, { granted: true, tools: ["notes_search"] });
    const own = await request({ target: "board", tools: ["anything"] });
    assert.deepEqual(own().ok, { granted: true, tools: ["anything"] });
    assert.equal(consent.current, null);
    await request({ target: "notes", tools: ["notes_search", "notes_add"] });
    assert.equal(shown(consent).prompt.facts.at(-1)?.value, "notes_add");
  });

  for (const [
    what,
    end,
    told,
  ] of /** @type {[string, (made: Awaited<ReturnType<typeof workspace>>) => void, any][]} */ ([
    ["a no", ({ deny }) => void deny(), { reason: "denied", retryAfterMs: 10_000 }],
    [
      "no answer in 60 s",
      ({ time }) => time.pass(60_000),
      { reason: "timeout", retryAfterMs: 10_000 },
    ],
    [
      "a yes after its target has changed",
      ({ grants, allow }) => {
        grants.forgetApp("notes");
        allow("session");
      },
      { reason: "gone" },
    ],
  ])) {
    test(`with ${what} is not granted, and says why`, async () => {
      const made = await workspace();
      const answer = await made.request({ target: "notes", tools: ["notes_search"] });
      assert.notEqual(made.consent.current, null);
      end(made);
      await made.ports.settle();
      assert.deepEqual(answer().ok, { granted: false, tools: [], ...told });
      assert.deepEqual(made.grants.all(), []);
    });
  }

  test("has time of its own for the owner: a short time-out is for what comes after", async () => {
    const { request, time, ports, allow } = await workspace();
    const answer = await request({ target: "notes" }, { timeout: 1 });
    time.pass(50_000);
    await ports.settle();
    assert.equal(answer(), undefined);
    allow("session");
    await ports.settle();
    assert.equal(answer().ok.granted, true);
  });

  test("that is cancelled takes its question away, and so does a caller that goes", async () => {
    const { request, board, kernel, consent, ports } = await workspace();
    await request({ target: "notes" });
    assert.notEqual(consent.current, null);
    board.app.send({ type: "cancel", id: 1, payload: { reason: "r" } });
    await ports.settle();
    assert.equal(consent.current, null);
    await request({ target: "notes" });
    assert.notEqual(consent.current, null);
    kernel.disconnect(board.endpoint);
    await ports.settle();
    assert.equal(consent.current, null);
  });

  for (const [what, given] of /** @type {[string, any][]} */ ([
    ["an app that is not installed", { target: "nothing" }],
    ["a tool of the kernel", { target: "notes", tools: ["audit.list"] }],
    ["no tool in a list", { target: "notes", tools: [] }],
    ["17 tools", { target: "notes", tools: Array.from({ length: 17 }, (_, n) => `t${n}`) }],
    ["a reason of 501 characters", { target: "notes", reason: "x".repeat(501) }],
    ["every tool at once", { target: "notes", tools: ["*"] }],
  ])) {
    test(`for ${what} is refused without a question`, async () => {
      const { request, consent } = await workspace();
      const answer = await request(given);
      assert.equal(answer().error.code, "INVALID_INPUT");
      assert.equal(consent.current, null);
    });
  }

  test("takes 16 tools and a reason of 500 characters", async () => {
    const { request, consent } = await workspace();
    const tools = Array.from({ length: 16 }, (_, n) => `t${n}`);
    await request({ target: "notes", tools, reason: "x".repeat(500) });
    assert.equal(shown(consent).prompt.quote?.length, 500);
  });

  test("is not for an agent's turn, nor for the page itself; a terminal may ask", async () => {
    const { kernel, consent, allow, ports } = await workspace();
    const signal = new AbortController().signal;
    const ask = (/** @type {any} */ source) =>
      kernel.tools.run("permissions.request", { target: "notes" }, source, signal);
    const nobody = { id: "kernel", app: null, endpoint: null, invocation: null };
    const agent = { ...nobody, id: "app:board:background", app: "board", root: turnRoot("turn1") };
    await assert.rejects(ask(agent), { code: "OWNER_REQUIRED" });
    await assert.rejects(ask({ ...nobody, root: null }), { code: "INVALID_INPUT" });
    assert.equal(consent.current, null);
    const asked = kernel.call({
      caller: "external:bridge:s",
      target: "kernel",
      name: "permissions.request",
      arguments: { target: "notes", tools: ["notes_add"] },
    });
    await ports.settle();
    assert.equal(shown(consent).prompt.choices[0]?.label, "Until the terminal is detached");
    allow("session");
    await ports.settle();
    assert.deepEqual((await asked).result, { granted: true, tools: ["notes_add"] });
  });

  test("of an app that runs a call of another's goes by that call alone, and is for both", async () => {
    const { kernel, notes, board, consent, grants, allow, ports, call } = await workspace();
    assert.equal(await call("work"), undefined);
    allow("once");
    await ports.settle();
    const invoked = notes.app.received.filter((m) => m.payload?.action === "tools.invoke").at(-1);
    const request = {
      target: "kernel",
      name: "permissions.request",
      arguments: { target: "writer" },
    };
    const own = notes.app.ask("tools.call", request);
    await ports.settle();
    assert.equal(notes.app.response(own).error.code, "SCOPED_CONTEXT_REQUIRED");
    assert.equal(consent.current, null);
    const scoped = notes.app.askUnder(invoked.payload.invocation, request);
    await ports.settle();
    assert.equal(
      shown(consent).prompt.title,
      "Let the app board, by way of notes, see the tools of the app writer from now on?",
    );
    allow("session");
    await ports.settle();
    assert.equal(notes.app.response(scoped).ok.granted, true);
    const given = grants.all().find(({ target }) => target === "writer");
    assert.deepEqual([given?.subject, given?.by], ["app:board", "notes"]);
    assert.ok(kernel.callsInFlight > 0 && board.endpoint.open);
  });
});
