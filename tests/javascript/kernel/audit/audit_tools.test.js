// @ts-check
/** What an app sees of the audit: what is its own, and nothing of what was kept from it. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { AuditRing } from "../../../../browser_worker/kernel/audit/audit_ring.js";
import { addAuditTools } from "../../../../browser_worker/kernel/audit/audit_tools.js";
import { KernelTools } from "../../../../browser_worker/kernel/tools/kernel_tools.js";
import { makeOwnedKernel } from "../../support/owned_kernel.js";
import { appRoot, turnRoot } from "../../support/roots.js";

/** @import { AuditStatus } from "../../../../browser_worker/kernel/audit/audit_ring.js" */
/** @import { Root } from "../../../../browser_worker/kernel/calls/invocations.js" */

const NOTES = "app:notes:background";
const BOARD = "app:board:background";
const WRITER = "app:writer:background";

function ring() {
  const audit = new AuditRing({ now: () => 0, wallNow: () => 1_000 });
  const tools = new KernelTools();
  addAuditTools(tools, audit);
  /**
   * @param {string} caller
   * @param {string} target
   * @param {{ root?: string, private?: boolean, status?: AuditStatus }} [more]
   */
  const note = (caller, target, { status = "completed", ...more } = {}) => {
    const end = audit.begin({ caller, target, tool: "t", arguments: { said: "words" }, ...more });
    if (status !== "refused") end.letThrough();
    if (status !== "running") end(status, "told");
  };
  /**
   * @param {string | null} app
   * @param {{ root?: Root | null, limit?: number }} [more]
   * @returns {Promise<any[]>}
   */
  const list = async (app, { root = appRoot(), ...input } = {}) => {
    const source = { id: BOARD, app, endpoint: null, invocation: null, root };
    const signal = new AbortController().signal;
    const answer = await tools.run("audit.list", input, source, signal);
    return /** @type {{ entries: any[] }} */ (answer).entries;
  };
  return { audit, note, list };
}

describe("audit.list", () => {
  test("gives an app the calls that it made and those that it was given, oldest first, and no others", async () => {
    const { note, list } = ring();
    note(BOARD, NOTES);
    note("app:board:tile:main:instance:1", BOARD);
    note(BOARD, "kernel");
    note("external:bridge:s", BOARD);
    note("kernel", BOARD);
    note(WRITER, NOTES);
    note("external:bridge:s", NOTES);
    note("app:boards:background", "app:board2:background");
    assert.deepEqual(
      (await list("board")).map(({ caller, target }) => [caller, target]),
      [
        [BOARD, NOTES],
        ["app:board:tile:main:instance:1", BOARD],
        [BOARD, "kernel"],
        ["external:bridge:s", BOARD],
        ["kernel", BOARD],
      ],
    );
    assert.equal((await list("notes")).length, 3);
  });

  test("tells who, whom, what, when and how it ended, in summaries, and not how many others there were", async () => {
    const { note, list } = ring();
    note(WRITER, NOTES);
    note(BOARD, NOTES, { root: "app:board" });
    assert.deepEqual(await list("board"), [
      {
        caller: BOARD,
        target: NOTES,
        tool: "t",
        startedAt: 1_000,
        status: "completed",
        durationMs: 0,
        arguments: '{"said":"words"}',
        outcome: "told",
      },
    ]);
  });

  for (const [status, mine, theirs] of /** @type {[AuditStatus, string, string][]} */ ([
    ["completed", "whole", "whole"],
    ["failed", "whole", "bare"],
    ["cancelled", "whole", "bare"],
    ["timed out", "whole", "bare"],
    ["running", "whole", "bare"],
    ["refused", "whole", "hidden"],
  ])) {
    test(`shows a call that is ${status} to its caller ${mine}, and to its target ${theirs}`, async () => {
      const { note, list } = ring();
      note(BOARD, NOTES, { status });
      const how = (/** @type {any[]} */ [entry]) => {
        if (entry === undefined) return "hidden";
        return JSON.stringify(entry).includes("words") ? "whole" : "bare";
      };
      assert.equal(how(await list("board")), mine);
      assert.equal(how(await list("notes")), theirs);
    });
  }

  test("shows no private action, which the owner does see", async () => {
    const { audit, note, list } = ring();
    note(BOARD, "kernel", { private: true });
    note(BOARD, "kernel");
    assert.equal((await list("board")).length, 1);
    assert.equal(audit.entries().length, 2);
  });

  test("shows under an agent's turn what was done for that agent alone", async () => {
    const { note, list } = ring();
    note(BOARD, NOTES, { root: "app:board" });
    note(BOARD, NOTES, { root: "agent:board:agent_run" });
    note(BOARD, NOTES, { root: "agent:notes:agent_run" });
    assert.equal((await list("board", { root: turnRoot("turn1") })).length, 1);
    assert.equal((await list("board")).length, 3);
  });

  test("gives as many of the last as were asked for", async () => {
    const { note, list } = ring();
    for (const target of [NOTES, WRITER, "kernel"]) note(BOARD, target);
    const last = await list("board", { limit: 2 });
    assert.deepEqual(
      last.map(({ target }) => target),
      [WRITER, "kernel"],
    );
    for (const limit of [0, 201, 1.5]) {
      await assert.rejects(list("board", { limit }), { code: "INVALID_INPUT" });
    }
    assert.equal((await list("board", { limit: 200 })).length, 3);
  });

  test("is for apps: who is none has no entries of its own", async () => {
    const { list } = ring();
    await assert.rejects(list(null), { code: "INVALID_INPUT" });
  });

  test("from an app's port shows its calls, but not the arguments that the owner kept from it", async () => {
    const { connect, consent, deny, allow, ports, time } = makeOwnedKernel();
    const notes = connect("notes");
    const board = connect("board");
    notes.app.expose({ work: { handler: () => ({}) } });
    const list = async (/** @type {typeof notes} */ { app }) => {
      const id = app.call("kernel", "audit.list");
      await ports.settle();
      return JSON.stringify(app.response(id).ok.entries);
    };
    board.app.call(NOTES, "work", { text: "kept from it" });
    await ports.settle();
    assert.notEqual(consent.current, null);
    assert.ok(!(await list(notes)).includes("kept from it"), "while the owner is asked");
    deny();
    await ports.settle();
    assert.ok(!(await list(notes)).includes("kept from it"));
    assert.ok((await list(board)).includes("kept from it"));
    time.pass(10_000);
    board.app.call(NOTES, "work", { text: "let through" });
    await ports.settle();
    allow("once");
    await ports.settle();
    assert.ok((await list(notes)).includes("let through"));
  });

  for (const [how, end] of /** @type {[string, (made: any, id: number) => void][]} */ ([
    ["is asked", () => {}],
    [
      "was asked, and the caller gave up",
      ({ board }, id) => board.app.send({ type: "cancel", id, payload: { reason: "r" } }),
    ],
    ["was asked, and the caller went", ({ kernel, board }) => kernel.disconnect(board.endpoint)],
  ])) {
    test(`tells an app nothing of a call about which the owner ${how}`, async () => {
      const made = makeOwnedKernel();
      const notes = made.connect("notes");
      const board = made.connect("board");
      const id = board.app.call(NOTES, "a_word_to_notes");
      await made.ports.settle();
      assert.notEqual(made.consent.current, null);
      end({ ...made, board }, id);
      await made.ports.settle();
      const asked = notes.app.call("kernel", "audit.list");
      await made.ports.settle();
      assert.ok(!JSON.stringify(notes.app.response(asked)).includes("a_word_to_notes"));
      // The owner does see it.
      assert.ok(made.kernel.audit.entries().some(({ tool }) => tool === "a_word_to_notes"));
    });
  }
});
