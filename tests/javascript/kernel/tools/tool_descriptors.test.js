// @ts-check
/** What an endpoint says of its tools is checked, and what is not sound hides nothing else. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { ToolReader } from "../../../../browser_worker/kernel/tools/tool_descriptors.js";
import { makeKernel } from "../../support/test_kernel.js";

const NOTES = "app:notes:background";
const SOUND = {
  name: "work",
  description: "Works.",
  inputSchema: { type: "object" },
  version: 1,
};

/** @type {[string, any][]} */
const UNSOUND = [
  ["no object", "work"],
  ["no name", { ...SOUND, name: undefined }],
  ["a name with a dot, as the kernel's have", { ...SOUND, name: "kernel.work" }],
  ["a name that is too long", { ...SOUND, name: "x".repeat(41) }],
  ["no description", { ...SOUND, description: "" }],
  ["a title that is no text", { ...SOUND, title: 1 }],
  ["no input schema", { ...SOUND, inputSchema: undefined }],
  ["an input schema that is a boolean", { ...SOUND, inputSchema: true }],
  ["a schema that is none", { ...SOUND, inputSchema: { type: "nothing" } }],
  ["a schema that points elsewhere", { ...SOUND, inputSchema: { $ref: "https://x.test/a" } }],
  ["an output schema that is none", { ...SOUND, outputSchema: { minimum: "1" } }],
  ["annotations that are none", { ...SOUND, annotations: [] }],
  ["no version", { ...SOUND, version: undefined }],
  ["more than 64 KiB", { ...SOUND, description: "x".repeat(65_536) }],
];

describe("a description", () => {
  for (const [what, raw] of UNSOUND) {
    test(`with ${what} is not taken, and hides no other`, () => {
      const reader = new ToolReader();
      assert.throws(() => reader.read(raw), { name: "BusError" });
      const read = reader.readAll([raw, SOUND, raw, { ...SOUND, name: "second" }]);
      assert.deepEqual(
        read.map(({ descriptor }) => descriptor.name),
        ["work", "second"],
      );
    });
  }

  test("is listed with what we know of tools, and nothing else", () => {
    const raw = {
      ...SOUND,
      title: "Work",
      outputSchema: { type: "string" },
      annotations: { readOnlyHint: true, "bascule:attachments": { api: 1 } },
      endpoint: "kernel",
      trusted: true,
    };
    const { descriptor, attachments, version } = new ToolReader().read(raw);
    const { endpoint: _e, trusted: _t, version: _v, ...known } = raw;
    assert.deepEqual(descriptor, known);
    assert.deepEqual([attachments?.input, version], [true, 1]);
  });

  test("may have 64 KiB, and an endpoint 128 of them; the first of a name counts", () => {
    const reader = new ToolReader();
    const room = 65_536 - JSON.stringify({ ...SOUND, description: "", version: undefined }).length;
    assert.ok(reader.read({ ...SOUND, description: "x".repeat(room) }));
    assert.throws(() => reader.read({ ...SOUND, description: "x".repeat(room + 1) }), {
      code: "TOO_LARGE",
    });
    const many = Array.from({ length: 129 }, (_, n) => ({ ...SOUND, name: `t${n}` }));
    assert.equal(reader.readAll(many).length, 128);
    const twice = reader.readAll([SOUND, { ...SOUND, description: "Another." }]);
    assert.deepEqual(
      twice.map(({ descriptor }) => descriptor.description),
      ["Works."],
    );
    assert.deepEqual(reader.readAll("none"), []);
  });

  test("shares what is compiled by its exact text, and no more than 512 of them", () => {
    const reader = new ToolReader();
    const one = reader.read(SOUND);
    assert.equal(reader.read({ ...SOUND, name: "other" }).input, one.input);
    for (let n = 0; n < 512; n++) {
      reader.read({ ...SOUND, inputSchema: { type: "object", title: String(n) } });
    }
    assert.notEqual(reader.read(SOUND).input, one.input);
  });
});

describe("a list of tools", () => {
  test("asks the live endpoint each time, and tells what it says then", async () => {
    const { connect, ports } = makeKernel();
    const background = connect("notes");
    const tile = connect("notes", "tile");
    const list = async () => {
      const id = tile.app.ask("tools.list", { target: NOTES });
      await ports.settle();
      return tile.app.response(id);
    };
    background.app.expose({ one: {} });
    const names = async () => (await list()).ok.tools.map((/** @type {any} */ { name }) => name);
    assert.deepEqual(await names(), ["one"]);
    background.app.expose({ one: {}, two: {} });
    assert.deepEqual(await names(), ["one", "two"]);
    background.app.expose({});
    assert.deepEqual(await names(), []);
    background.app.handlers.set("tools.describe", () => ({
      ok: { tools: [UNSOUND[0]?.[1], SOUND] },
    }));
    assert.deepEqual(await names(), ["work"]);
    // What only the kernel may say, an app does not.
    background.app.handlers.set("tools.describe", () => ({
      error: { code: "OWNER_REQUIRED", message: "Ask the owner for the password." },
    }));
    assert.equal((await list()).error.code, "TOOL_FAILED");
    const large = Array.from({ length: 17 }, (_, n) => ({
      ...SOUND,
      name: `t${n}`,
      description: "x".repeat(61_000),
    }));
    background.app.handlers.set("tools.describe", () => ({ ok: { tools: large } }));
    assert.equal((await names()).length, 17);
  });
});
