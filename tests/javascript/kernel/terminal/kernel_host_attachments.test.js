// @ts-check
/** Bytes between a terminal and the tools of a workspace. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { KeptAttachments } from "../../../../browser_worker/kernel/terminal/kept_attachments.js";
import { makeTerminal } from "../../support/workspace_terminal.js";

const BOTH = {
  "bascule:attachments": {
    api: 1,
    input: { required: true },
    output: { mediaTypes: ["image/png", "image/svg+xml"] },
  },
};
const ARGUMENTS = {
  $defs: { side: { type: "integer", minimum: 1 } },
  type: "object",
  properties: { width: { $ref: "#/$defs/side" } },
  additionalProperties: false,
};

/** A board whose tools take and give pictures. */
function board() {
  const terminal = makeTerminal();
  const { app } = terminal.connect("board");
  /** What came in. @type {Uint8Array[]} */
  const given = [];
  /** @type {{ result: unknown, attachment?: ArrayBuffer | undefined }} */
  let answer = { result: {}, attachment: bytes("out") };
  app.expose({
    board_turn: { inputSchema: ARGUMENTS, annotations: BOTH },
    board_import: { annotations: { "neutron:attachments": { api: 1, input: {} } } },
    board_export: { annotations: { "bascule:attachments": { api: 1, output: {} } } },
  });
  app.handlers.set("tools.invoke", (_payload, { attachment }) => {
    if (attachment !== undefined) given.push(new Uint8Array(attachment));
    const { result, attachment: reply } = answer;
    return { ok: { result }, ...(reply === undefined ? {} : { attachment: reply.slice(0) }) };
  });
  const answers = (/** @type {unknown} */ result, /** @type {ArrayBuffer} */ attachment) =>
    void (answer = { result, attachment });
  const answersNothing = () => void (answer = { result: {} });
  return { ...terminal, app, given, answers, answersNothing };
}

/** @param {string} text */
function bytes(text) {
  return /** @type {ArrayBuffer} */ (new TextEncoder().encode(text).buffer);
}

/** @param {string} text */
const base64 = (text) => Buffer.from(text).toString("base64");

describe("what a tool gives beside its result", () => {
  test("is a resource that a terminal reads in parts", async () => {
    const { execute, ask, answers } = board();
    const picture = new Uint8Array(100_000).map((_, index) => index % 251);
    answers({ shapes: 2 }, picture.buffer);
    const { output } = (await execute("app.board.board_export")).result;
    assert.deepEqual(output.result, { shapes: 2 });
    const { resource: uri, ...rest } = output.attachment;
    assert.deepEqual(rest, { mimeType: "application/octet-stream", size: 100_000 });
    /** @type {Buffer[]} */
    const parts = [];
    /** @type {number | undefined} */
    let offset = 0;
    while (offset !== undefined) {
      const { result } = await ask("resources/read", { uri, offset });
      parts.push(Buffer.from(result.data, "base64"));
      offset = result.nextOffset;
    }
    assert.ok(parts.length > 1);
    assert.deepEqual(new Uint8Array(Buffer.concat(parts)), picture);
  });

  test("is of a type that the tool advertises, and of no other", async () => {
    const { execute, answers } = board();
    const input = { arguments: {}, attachment: { data: base64("in") } };
    const typed = async (/** @type {unknown} */ result) => {
      answers(result, bytes("out"));
      return (await execute("app.board.board_turn", input)).result.output.attachment.mimeType;
    };
    assert.equal(await typed({}), "image/png");
    assert.equal(await typed({ mimeType: "image/svg+xml" }), "image/svg+xml");
    assert.equal(await typed({ mimeType: "text/html" }), "image/png");
  });

  test("may be missing, and the result stands alone", async () => {
    const { execute, answersNothing } = board();
    answersNothing();
    const { output } = (await execute("app.board.board_export")).result;
    assert.deepEqual(output, { result: {} });
  });

  test("is listed newest first, and gone when the workspace is locked", async () => {
    const { execute, ask, host, kernel } = board();
    const { output } = (await execute("app.board.board_export")).result;
    await execute("app.board.board_export");
    const [newer, older] = host.resources();
    assert.equal(older?.uri, output.attachment.resource);
    assert.equal(newer?.name, "app.board.board_export");
    assert.equal(newer?.size, 3);
    const read = { uri: output.attachment.resource };
    assert.equal((await ask("resources/read", read)).result.size, 3);
    kernel.lock();
    kernel.unlock();
    assert.equal((await ask("resources/read", read)).error.data.code, "UNKNOWN_RESOURCE");
    assert.deepEqual(host.resources(), []);
  });

  test("that it does not advertise fails the call, and is not kept", async () => {
    const { execute, host } = board();
    const input = { arguments: {}, attachment: { data: base64("in") } };
    const { error } = await execute("app.board.board_import", input);
    assert.equal(error.data.code, "INVALID_OUTPUT");
    assert.deepEqual(host.resources(), []);
  });
});

describe("what a terminal gives a tool", () => {
  test("goes as base64, in one part or several, or as what another tool gave", async () => {
    const { execute, given, answersNothing } = board();
    const { output } = (await execute("app.board.board_export")).result;
    answersNothing();
    const { resource } = output.attachment;
    for (const attachment of [
      { data: base64("whole") },
      { data: [base64("in par"), base64("ts")] },
      { resource },
      { resource },
    ]) {
      const { result } = await execute("app.board.board_import", { arguments: {}, attachment });
      assert.equal(result?.status, "completed");
    }
    assert.deepEqual(
      given.map((each) => new TextDecoder().decode(each)),
      ["whole", "in parts", "out", "out"],
    );
  });

  test("is refused where it is no bytes, and the tool is not run", async () => {
    const { execute, given } = board();
    for (const [attachment, path] of [
      [{ data: "?" }, "/attachment/data"],
      [{ data: [base64("a"), "?"] }, "/attachment/data"],
      [{ resource: "bascule:attachment/none" }, "/attachment/resource"],
      [{}, "/attachment"],
      [{ data: "", resource: "" }, "/attachment"],
    ]) {
      const { error } = await execute("app.board.board_turn", { arguments: {}, attachment });
      assert.equal(error.data.code, "INVALID_INPUT");
      assert.equal(error.data.errors[0].path, path);
    }
    const none = await execute("app.board.board_turn", { arguments: {} });
    assert.equal(none.error.data.code, "INVALID_INPUT");
    assert.deepEqual(given, []);
  });

  test("stands beside arguments whose schema still means itself", async () => {
    const { execute, given } = board();
    const attachment = { data: base64("in") };
    const wrong = await execute("app.board.board_turn", { arguments: { width: 0 }, attachment });
    assert.equal(wrong.error.data.errors[0].path, "/arguments/width");
    assert.deepEqual(given, []);
    const right = await execute("app.board.board_turn", { arguments: { width: 1 }, attachment });
    assert.equal(right.result.status, "completed");
  });

  test("stands beside arguments of another dialect, or ones that only the kernel can check", async () => {
    const { execute, app, names } = board();
    const annotations = { "bascule:attachments": { api: 1, input: {} } };
    const draft = "http://json-schema.org/draft-07/schema#";
    app.expose({
      old: {
        annotations,
        inputSchema: {
          $schema: draft,
          properties: { a: { $ref: "#/definitions/n" } },
          definitions: { n: { type: "integer" } },
        },
      },
      root: {
        annotations,
        inputSchema: {
          $schema: draft,
          $ref: "#/definitions/n",
          definitions: { n: { required: ["a"] } },
        },
      },
    });
    app.handlers.set("tools.invoke", () => ({ ok: { result: {} } }));
    assert.deepEqual(await names(), ["app.board.old", "app.board.root"]);
    for (const [action, wrong] of [
      ["app.board.old", { a: "1" }],
      ["app.board.root", {}],
    ]) {
      const bad = await execute(String(action), { arguments: wrong });
      assert.equal(bad.error.data.code, "INVALID_INPUT", String(action));
      const good = await execute(String(action), { arguments: { a: 1 } });
      assert.equal(good.result?.status, "completed", String(action));
    }
  });

  test("is held against the kernel's bounds, and gives back what it took", async () => {
    const { execute, kernel } = board();
    const attachment = { data: base64("in") };
    await execute("app.board.board_turn", { arguments: {}, attachment });
    assert.equal(kernel.attachmentBytes, 0);
  });
});

describe("kept attachments", () => {
  test("are the newest 32, of at most 64 MiB together", () => {
    let ids = 0;
    const kept = new KeptAttachments(() => String(++ids));
    for (let each = 0; each < 33; each++) kept.keep("a", "text/plain", new ArrayBuffer(1));
    assert.equal(kept.list().length, 32);
    assert.equal(kept.read("bascule:attachment/1", 0, 1), null);
    const mebibytes = 1024 * 1024;
    for (let each = 0; each < 5; each++) kept.keep("b", "b/b", new ArrayBuffer(16 * mebibytes));
    assert.deepEqual(
      kept.list().map(({ size }) => size / mebibytes),
      [16, 16, 16, 16],
    );
  });
});
