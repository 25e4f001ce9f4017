// @ts-check
/** A workspace in memory, as an author of an app uses it in tests. */

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { describe, test } from "node:test";

import { createMemoryKernel } from "../../../browser_worker/testing/memory_kernel.js";
import { ManualRuntime } from "../support/manual_runtime.js";
import { MemoryPorts } from "../support/memory_ports.js";

/** Less than a deadline of 30 s that nobody waits for. */
const PATIENCE_MS = 20_000;
const ANY = { description: "Takes anything.", inputSchema: { type: "object" } };

describe("a workspace in memory", () => {
  test("runs an app's tools against the real kernel", async () => {
    const memory = createMemoryKernel();
    try {
      const { runtime, endpoint } = memory.connect("notes");
      runtime.exposeTool("count", ANY, ({ list }) => list.length);
      const call = { target: endpoint.id, name: "count" };
      const { result } = await memory.kernel.call({ ...call, arguments: { list: [1, 2] } });
      assert.equal(result, 2);
      const tile = memory.connect("notes", "tile");
      assert.equal(await tile.runtime.callTool({ ...call, arguments: { list: [] } }), 0);
      assert.equal(tile.endpoint.id, "app:notes:tile:main:instance:2");
      const other = memory.connect("notes", "tile", { tile: "editor" });
      assert.equal(other.endpoint.id, "app:notes:tile:editor:instance:3");
      tile.disconnect();
      assert.equal(memory.kernel.endpoints().length, 2);
    } finally {
      memory.close();
    }
  });

  test("takes the test's own policy, apps, clock and ports, and leaves nothing behind", async () => {
    const time = new ManualRuntime();
    const ports = new MemoryPorts();
    let ids = 0;
    const memory = createMemoryKernel({
      apps: [{ id: "notes", name: "Notes", version: "1" }],
      policy: { decide: ({ callerApp }) => ({ allow: true, by: callerApp }) },
      powers: {
        now: time.now,
        wallNow: time.now,
        setTimer: time.after,
        newId: () => `id${++ids}`,
      },
      makePorts: () => ports.pair(),
    });
    const notes = memory.connect("notes");
    const board = memory.connect("board", "tray");
    notes.runtime.exposeTool("hang", ANY, () => new Promise(() => {}));
    const target = notes.endpoint.id;
    const ended = assert.rejects(board.runtime.callTool({ target, name: "hang" }), {
      code: "TIMEOUT",
    });
    await ports.settle();
    time.pass(30_000);
    await ports.settle();
    await ended;
    const listed = board.runtime.listApps();
    await ports.settle();
    assert.deepEqual(await listed, [{ id: "notes", name: "Notes", version: "1" }]);
    const waiting = assert.rejects(board.runtime.callTool({ target, name: "hang" }), {
      code: "ENDPOINT_GONE",
    });
    await ports.settle();
    memory.close();
    await waiting;
    assert.deepEqual([time.timers.size, ports.open], [0, 0]);
  });

  test("lets a test be the person and the owner of an app that acts as an agent", async () => {
    const memory = createMemoryKernel({
      apps: [{ id: "helper", name: "Helper", version: "1", declares: { agent: ["run"] } }],
      policy: { decide: () => ({ allow: true }) },
    });
    try {
      const helper = memory.connect("helper");
      const tile = memory.connect("helper", "tile");
      const notes = memory.connect("notes");
      const target = notes.endpoint.id;
      notes.runtime.exposeTool("count", ANY, () => 3);
      helper.runtime.exposeTool("run", ANY, (_args, { kernel }) =>
        kernel.callTool({ target, name: "count" }),
      );
      const run = { target: helper.endpoint.id, name: "run" };
      await assert.rejects(tile.runtime.callTool(run), { code: "OWNER_REQUIRED" });
      assert.throws(() => memory.answer(true), /asked nothing/);
      memory.click(tile);
      const unwatch = memory.consent.onChange(() => {
        if (memory.consent.current !== null) memory.answer(true);
      });
      await tile.runtime.actions.agentMode.request({ entrypoint: "run" });
      unwatch();
      assert.equal(await tile.runtime.callTool(run), 3);
      memory.agent.mode.disable("helper");
      await assert.rejects(tile.runtime.callTool(run), { code: "AGENT_MODE_REVOKED" });
    } finally {
      memory.close();
    }
  });

  test("shows a test an app's number in the tray, and lets a tray close itself", async () => {
    const memory = createMemoryKernel({
      apps: [
        { id: "notes", name: "Notes", version: "1", declares: { tray: true } },
        { id: "board", name: "Board", version: "1" },
      ],
    });
    try {
      const notes = memory.connect("notes");
      await notes.runtime.actions.tray.setState({ badge: 3 });
      assert.deepEqual([...memory.badges], [["notes", 3]]);
      await notes.runtime.actions.tray.setState({ badge: null });
      assert.deepEqual([...memory.badges], []);
      await notes.runtime.actions.tray.setState({ badge: 4 });
      notes.disconnect();
      assert.deepEqual([...memory.badges], []);
      const board = memory.connect("board");
      await assert.rejects(board.runtime.actions.tray.setState({ badge: 1 }), {
        code: "OWNER_REQUIRED",
      });
      const tray = memory.connect("notes", "tray");
      await tray.runtime.actions.tray.dismiss();
      await tray.gone;
      assert.equal(tray.endpoint.open, false);
      assert.deepEqual(
        memory.kernel.endpoints().map(({ app }) => app),
        ["board"],
      );
    } finally {
      memory.close();
    }
  });

  test("shows a test what an app's tile copied, where the person clicked in it", async () => {
    const memory = createMemoryKernel({ apps: [{ id: "notes", name: "Notes", version: "1" }] });
    try {
      const tile = memory.connect("notes", "tile");
      const copy = () => tile.runtime.actions.clipboard.writeText("one\ntwo");
      await assert.rejects(copy(), { code: "OWNER_REQUIRED" });
      assert.deepEqual(memory.copied, []);
      memory.click(tile);
      await copy();
      assert.deepEqual(memory.copied, ["one\ntwo"]);
      memory.click(memory.connect("notes", "tile", { tile: "editor" }));
      await assert.rejects(copy(), { code: "OWNER_REQUIRED" });
      assert.deepEqual(memory.copied, ["one\ntwo"]);
    } finally {
      memory.close();
    }
  });

  test("that nobody closes keeps no process, and a call that has not ended does", async () => {
    const ended = await ran(`
      await board.runtime.callTool({ target, name: "echo", arguments: { a: 1 } });
      await memory.kernel.listTools(target);
      console.log("called");`);
    assert.deepEqual(ended, { status: 0, output: "called\n" });
    // Nothing but the call's own deadline ends this one.
    const waited = await ran(`
      try {
        await board.runtime.callTool({ target, name: "hang" }, { timeout: 1 });
      } catch (error) {
        console.log(error.code);
      }`);
    assert.deepEqual(waited, { status: 0, output: "TIMEOUT\n" });
  });
});

/**
 * Runs a process that makes a workspace and never closes it.
 *
 * @param {string} body
 * @returns {Promise<{ status: unknown, output: string }>} Status null where it did not end in time.
 */
async function ran(body) {
  const module = new URL("../../../browser_worker/testing/memory_kernel.js", import.meta.url);
  const program = `
    import { createMemoryKernel } from ${JSON.stringify(module.href)};
    const memory = createMemoryKernel({ policy: { decide: () => ({ allow: true }) } });
    const any = { description: "Any.", inputSchema: { type: "object" } };
    const notes = memory.connect("notes");
    const board = memory.connect("board");
    const target = notes.endpoint.id;
    notes.runtime.exposeTool("echo", any, (given) => given);
    notes.runtime.exposeTool("hang", any, () => new Promise(() => {}));
    ${body}`;
  const bound = { timeout: PATIENCE_MS };
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      ["--input-type=module", "-e", program],
      bound,
      (_, output) => resolve({ status: child.exitCode, output }),
    );
  });
}
