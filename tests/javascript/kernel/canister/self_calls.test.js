// @ts-check
/** An app's calls of its own backend: what was approved with it, with bytes beside, and nothing more. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { BUS_LIMITS } from "../../../../browser_worker/contract/limits.js";
import { ENTRY, backedKernel } from "./backed_kernel.js";

const GET = { method: "get", arguments: { key: "a" } };
const PUT = { method: "put", arguments: { arg0: ENTRY } };

describe("An app's own backend", () => {
  test("is called without a question, by a query and by an update", async () => {
    const { self, notes, consent } = backedKernel();
    assert.deepEqual((await self(notes, "update", PUT))().ok, { ok: "1" });
    assert.deepEqual((await self(notes, "query", GET))().ok, ENTRY);
    assert.deepEqual((await self(notes, "update", GET))().ok, ENTRY, "a query is no less approved");
    assert.equal(consent.current, null);
  });

  test("is called from a tile and a tray of the app, too", async () => {
    const { self, connect } = backedKernel();
    for (const kind of /** @type {const} */ (["tile", "tray"])) {
      assert.equal((await self(connect("notes", kind), "query", GET))().ok, null);
    }
  });

  test("is not changed by a query", async () => {
    const { self, notes, reached } = backedKernel();
    const { error } = (await self(notes, "query", PUT))();
    assert.equal(error.code, "OWNER_REQUIRED");
    assert.match(error.message, /canister\.update_self/);
    assert.deepEqual(reached, []);
  });

  test("is called by what was approved only, and says how to ask for the rest", async () => {
    const { self, notes, reached } = backedKernel({ preapproved: ["get"] });
    assert.equal((await self(notes, "query", GET))().ok, null);
    const { error } = (await self(notes, "update", PUT))();
    assert.equal(error.code, "OWNER_REQUIRED");
    assert.match(error.message, /canister\.call_dialog/);
    assert.deepEqual(
      reached.map(({ method }) => method),
      ["get"],
    );
  });

  test("is called by what the app's manifest declares now, and not by what another version did", async () => {
    const { self, notes, approve } = backedKernel({ preapproved: ["get"] });
    assert.equal((await self(notes, "query", GET))().ok, null);
    approve(["put"]);
    assert.equal((await self(notes, "query", GET))().error.code, "OWNER_REQUIRED");
    assert.deepEqual((await self(notes, "update", PUT))().ok, { ok: "1" });
  });

  test("is its own, whatever it says: another app's is out of reach", async () => {
    const { self, board, reached } = backedKernel();
    for (const more of [{}, { app: "notes" }, { target: "notes" }]) {
      const { error } = (await self(board, "query", { ...GET, ...more }))();
      assert.equal(error.code, "UNKNOWN_ENDPOINT");
    }
    assert.deepEqual(reached, []);
  });

  for (const [what, payload, code] of /** @type {[string, any, string][]} */ ([
    ["without a method", {}, "INVALID_MESSAGE"],
    ["with arguments that are no object", { method: "get", arguments: ["a"] }, "INVALID_MESSAGE"],
    ["of no method", { method: "constructor" }, "UNKNOWN_TOOL"],
    ["with other arguments", { method: "get", arguments: { key: 1 } }, "INVALID_INPUT"],
    ["that gives what it should not", { method: "wrong" }, "INVALID_OUTPUT"],
    ["that breaks", { method: "breaks" }, "TOOL_FAILED"],
  ])) {
    test(`${what} is answered with ${code}, and tells nothing of its inside`, async () => {
      const { self, notes } = backedKernel();
      const { error } = (await self(notes, "update", payload))();
      assert.equal(error.code, code);
      assert.doesNotMatch(error.message, /secret/);
    });
  }

  test("is in no discovery, is no tool, and an agent's model sees nothing of it", async () => {
    const { kernel, board, self, notes, ask, ports } = backedKernel();
    await self(notes, "query", GET);
    const listed = board.app.ask("tools.list", { target: "kernel" });
    await ports.settle();
    const names = board.app
      .response(listed)
      .ok.tools.map((/** @type {{ name: string }} */ { name }) => name);
    assert.ok(names.includes("canister.schema"), "other tools are listed");
    for (const name of ["canister.query_self", "canister.update_self", "canister.call"]) {
      assert.ok(!names.includes(name));
      assert.equal((await ask(notes, name, GET))().error.code, "UNKNOWN_TOOL");
    }
    const raw = notes.app.ask("canister.call", { app: "notes", ...PUT });
    await ports.settle();
    assert.equal(notes.app.response(raw).error.code, "UNKNOWN_ACTION");
    const entry = kernel.audit.entries(({ tool }) => tool === "canister.query_self")[0];
    assert.equal(entry?.private, true);
    assert.equal(entry.target, notes.endpoint.id, "it is within the app");
    assert.equal(entry.arguments, "");
    assert.equal(entry.outcome, null);
  });
});

describe("Bytes beside a call", () => {
  /** @param {number} bytes */
  const buffer = (bytes) => Uint8Array.from({ length: bytes }, (_, at) => at % 251).buffer;
  const PICTURE = { method: "picture", arguments: { key: "a" } };

  test("go to the backend and come back, and are counted until then", async () => {
    const { self, notes, kernel } = backedKernel();
    const { ok, attachment } = (await self(notes, "update", PICTURE, buffer(3)))();
    assert.equal(ok, 3);
    assert.deepEqual(new Uint8Array(attachment), Uint8Array.of(2, 1, 0));
    assert.equal(kernel.attachmentBytes, 0);
  });

  test("are needed where the method says so, and refused where it does not", async () => {
    const { self, notes, reached } = backedKernel();
    assert.equal((await self(notes, "update", PICTURE))().error.code, "INVALID_INPUT");
    const refused = await self(notes, "query", GET, buffer(1));
    assert.equal(refused().error.code, "ATTACHMENT_UNSUPPORTED");
    assert.deepEqual(reached, []);
  });

  test("are at most 16 MiB", async () => {
    const { self, notes, kernel } = backedKernel();
    const most = BUS_LIMITS.maxAttachmentBytes;
    assert.equal((await self(notes, "update", PICTURE, new ArrayBuffer(most)))().ok, most);
    const over = await self(notes, "update", PICTURE, new ArrayBuffer(most + 1));
    assert.equal(over().error.code, "ATTACHMENT_TOO_LARGE");
    assert.equal(kernel.attachmentBytes, 0);
  });

  test("are refused where too many are under way, and taken when those have ended", async () => {
    const { self, notes, kernel } = backedKernel();
    const release = kernel.ledger.take(
      notes.endpoint.id,
      BUS_LIMITS.maxAttachmentBytesOfEndpoint,
      "nothing was run",
    );
    const full = await self(notes, "update", PICTURE, buffer(1));
    assert.equal(full().error.code, "ATTACHMENT_LIMIT");
    release();
    assert.equal((await self(notes, "update", PICTURE, buffer(1)))().ok, 1);
  });
});

describe("A call that the backend does not answer", () => {
  const HANGS = { method: "hangs" };

  test("ends after its time, and late answers are nobody's", async () => {
    const { self, notes, time, ports, signals } = backedKernel();
    const response = await self(notes, "update", HANGS);
    time.pass(29_999);
    await ports.settle();
    assert.equal(response(), undefined);
    time.pass(1);
    await ports.settle();
    assert.equal(response().error.code, "TIMEOUT");
    assert.deepEqual(response().error.data, { outcome: "unknown" });
    assert.equal(signals[0]?.aborted, true);
  });

  test("ends with whoever asked", async () => {
    const { self, notes, kernel, ports, signals, time } = backedKernel();
    await self(notes, "update", HANGS);
    assert.equal(signals[0]?.aborted, false);
    kernel.disconnect(notes.endpoint);
    await ports.settle();
    assert.equal(signals[0]?.aborted, true);
    const timers = time.timers.size;
    time.pass(60_000);
    assert.ok(time.timers.size <= timers);
  });

  test("ends with a lock", async () => {
    const { self, notes, kernel, signals } = backedKernel();
    await self(notes, "update", HANGS);
    kernel.lock();
    assert.equal(signals[0]?.aborted, true);
  });

  test("can be cancelled", async () => {
    const { notes, ports, signals } = backedKernel();
    const id = notes.app.ask("canister.update_self", HANGS);
    await ports.settle();
    notes.app.send({ type: "cancel", id, payload: { reason: "enough" } });
    await ports.settle();
    const { code, message, data } = notes.app.response(id).error;
    assert.deepEqual([code, data], ["CANCELLED", { outcome: "unknown" }]);
    assert.match(message, /may have been done/);
    assert.equal(signals[0]?.aborted, true);
  });

  test("can be cancelled before the backend is asked, and says so", async () => {
    const { notes, ports, signals } = backedKernel();
    const id = notes.app.ask("canister.update_self", HANGS);
    notes.app.send({ type: "cancel", id, payload: { reason: "enough" } });
    await ports.settle();
    const { code, message, data } = notes.app.response(id).error;
    assert.deepEqual([code, data], ["CANCELLED", { outcome: "not_delivered" }]);
    assert.match(message, /nothing was run/);
    assert.deepEqual(signals, []);
  });

  test("is one of eight at most", async () => {
    const { self, notes, connect } = backedKernel();
    for (let count = 0; count < 8; count += 1) {
      assert.equal((await self(notes, "update", HANGS))(), undefined);
    }
    assert.equal((await self(notes, "query", GET))().error.code, "TOO_MANY_CALLS");
    assert.equal((await self(connect("notes", "tile"), "query", GET))().ok, null);
  });
});
