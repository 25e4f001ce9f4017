// @ts-check
/** What is kept of the last calls: enough to recognise them, and never more. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import fc from "fast-check";

import { AuditRing } from "../../../../browser_worker/kernel/audit/audit_ring.js";
import { summaryOf } from "../../../../browser_worker/kernel/audit/value_summary.js";
import { makeKernel } from "../../support/test_kernel.js";

const NOTES = "app:notes:background";

function ring() {
  const clock = { at: 0, now: () => clock.at, wallNow: () => 1_000_000 + clock.at };
  return { clock, audit: new AuditRing(clock) };
}

describe("the audit ring", () => {
  test("says of a call who, whom, what, when, for how long and how it ended", () => {
    const { clock, audit } = ring();
    const end = audit.begin({ caller: "a", target: "b", tool: "c", arguments: { query: "x" } });
    const entry = {
      number: 1,
      caller: "a",
      target: "b",
      tool: "c",
      startedAt: 1_000_000,
      status: "running",
      durationMs: null,
      arguments: '{"query":"x"}',
      outcome: null,
      root: null,
      private: false,
    };
    assert.deepEqual(audit.entries(), [entry]);
    clock.at = 250.04321;
    end("completed", { matches: 2 });
    end("failed", "a second end");
    assert.deepEqual(audit.entries(), [
      { ...entry, status: "completed", durationMs: 250, outcome: '{"matches":2}' },
    ]);
  });

  test("says which calls wait for the owner, until they are let through or end", () => {
    const { audit } = ring();
    let told = 0;
    audit.onChange(() => void (told += 1));
    const call = { caller: "a", target: "b", tool: "c", arguments: {} };
    const [yes, no] = [audit.begin(call), audit.begin(call)];
    assert.deepEqual([...audit.waiting()], []);
    yes.waits();
    no.waits();
    assert.deepEqual([...audit.waiting()], [1, 2]);
    assert.equal(told, 4, "who watches hears of it");
    yes.letThrough();
    assert.deepEqual([...audit.waiting()], [2]);
    assert.equal(told, 5);
    no("refused", "no");
    assert.deepEqual([...audit.waiting()], []);
    no.waits();
    assert.deepEqual([...audit.waiting()], [], "what has ended waits for nobody");
  });

  test("keeps the last 50 private actions beside them: they push out no call", () => {
    const { audit } = ring();
    const call = { caller: "a", target: "b", tool: "first", arguments: {} };
    audit.begin(call)("completed", {});
    for (let n = 1; n <= 300; n++) {
      audit.begin({ ...call, tool: `p${n}`, private: true })("completed", {});
    }
    const tools = audit.entries().map(({ tool }) => tool);
    assert.deepEqual(
      [tools.length, tools[0], tools[1], tools.at(-1)],
      [51, "first", "p251", "p300"],
    );
  });

  test("keeps the last 200, and an end that comes after its entry is gone is harmless", () => {
    const { audit } = ring();
    const ends = Array.from({ length: 201 }, (_, n) =>
      audit.begin({ caller: "a", target: "b", tool: `t${n}`, arguments: {} }),
    );
    const entries = audit.entries();
    assert.equal(entries.length, 200);
    assert.deepEqual([entries[0]?.tool, entries.at(-1)?.tool], ["t1", "t200"]);
    ends[0]?.("completed", 1);
    assert.deepEqual(
      audit.entries(({ tool }) => tool === "t7").map(({ number }) => number),
      [8],
    );
  });

  test("gives copies, and an observer that throws decides nothing", () => {
    const { audit } = ring();
    let told = 0;
    audit.onChange(() => {
      throw new Error("an observer's own");
    });
    const stop = audit.onChange(() => void (told += 1));
    const end = audit.begin({ caller: "a", target: "b", tool: "c", arguments: {} });
    const [copy] = audit.entries();
    if (copy !== undefined) copy.caller = "changed";
    assert.equal(audit.entries()[0]?.caller, "a");
    end("failed", "CODE: message");
    stop();
    audit.begin({ caller: "a", target: "b", tool: "c", arguments: {} });
    assert.equal(told, 2);
  });

  test("bounds whatever it is told", () => {
    const { audit } = ring();
    const long = "x".repeat(10_000);
    const end = audit.begin({ caller: "a", target: long, tool: long, arguments: { long, b: [1] } });
    end("failed", long);
    const [entry] = audit.entries();
    for (const text of [entry?.target, entry?.tool, entry?.arguments, entry?.outcome]) {
      assert.ok(text !== undefined && text !== null && text.length <= 200, text ?? "");
    }
  });
});

describe("a summary", () => {
  test("is the JSON of what is short, and the beginning of what is long", () => {
    assert.equal(
      summaryOf({ a: [1, null, true], b: { c: "d" } }),
      '{"a":[1,null,true],"b":{"c":"d"}}',
    );
    assert.equal(summaryOf("x".repeat(100)), `"${"x".repeat(60)}…"`);
    assert.match(summaryOf(Array.from({ length: 1000 }, (_, n) => n)), /^\[0,1,2,.*…$/);
  });

  test("never has more than 200 characters", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
        assert.ok(summaryOf(value).length <= 200);
      }),
    );
  });
});

describe("every routed call is in it", () => {
  test("with the status that it ended with", async () => {
    const { kernel, connect, ports, time } = makeKernel();
    const background = connect("notes");
    const tile = connect("notes", "tile");
    const board = connect("board");
    background.app.expose({
      good: { handler: () => ({ a: 1 }) },
      bad: { outputSchema: { type: "string" }, handler: () => 1 },
      silent: {},
    });
    tile.app.call(NOTES, "good", { secret: "y".repeat(500) });
    tile.app.call(NOTES, "bad");
    board.app.call(NOTES, "good");
    const cancelled = tile.app.call(NOTES, "silent");
    tile.app.call(NOTES, "silent", {}, { timeout: 1 });
    tile.app.call("kernel", "endpoints.list");
    await ports.settle();
    assert.deepEqual(
      kernel.audit.entries().map(({ status }) => status),
      ["completed", "failed", "refused", "running", "running", "completed"],
    );
    tile.app.send({ type: "cancel", id: cancelled, payload: { reason: "r" } });
    await ports.settle();
    time.pass(1000);
    await ports.settle();
    const entries = kernel.audit.entries();
    assert.deepEqual(
      entries.map(({ status, caller, tool }) => [status, caller, tool]),
      [
        ["completed", tile.endpoint.id, "good"],
        ["failed", tile.endpoint.id, "bad"],
        ["refused", board.endpoint.id, "good"],
        ["cancelled", tile.endpoint.id, "silent"],
        ["timed out", tile.endpoint.id, "silent"],
        ["completed", tile.endpoint.id, "endpoints.list"],
      ],
    );
    assert.equal(entries[4]?.durationMs, 1000);
    assert.equal(entries[4]?.startedAt, 1_000_000);
    assert.ok(String(entries[0]?.arguments).length <= 200);
    assert.match(String(entries[2]?.outcome), /^OWNER_REQUIRED: /);
  });
});
