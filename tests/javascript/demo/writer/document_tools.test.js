// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import { isToolName } from "../../../../browser_worker/contract/bus_names.js";
import { DOCUMENT_ACTIONS } from "../../../../browser_worker/demo/document/document_actions.js";
import { announceChanges } from "../../../../browser_worker/demo/workspace/apps/writer/announcements.js";
import {
  exposeDocument,
  toolName,
} from "../../../../browser_worker/demo/workspace/apps/writer/document_tools.js";
import { createMemoryKernel } from "../../../../browser_worker/testing/memory_kernel.js";
import { setUp } from "../support/word_processor.js";

/** @param {import("node:test").TestContext} t @param {string} [markdown] */
function open(t, markdown = "") {
  const workspace = createMemoryKernel({ apps: [] });
  t.after(() => workspace.close());
  const write = setUp(markdown);
  const { runtime, endpoint } = workspace.connect("writer", "tile");
  // The document's pauses wait for a test; these do not.
  exposeDocument(runtime, write.dispatcher, (callback) => {
    if (write.pauses.count > 0) write.pauses.endOne();
    setImmediate(callback);
  });
  /** @param {string} name @param {Record<string, unknown>} [args] @param {ArrayBuffer} [attachment] */
  const call = (name, args = {}, attachment = undefined) =>
    workspace.kernel.call({
      target: endpoint.id,
      name,
      arguments: args,
      ...(attachment === undefined ? {} : { attachment }),
    });
  return { ...write, workspace, runtime, endpoint, call };
}

/** @param {string} text @returns {ArrayBuffer} */
const bytes = (text) => new TextEncoder().encode(text).slice().buffer;

/** @param {string} code @param {string} [inner] */
const fails = (code, inner) => (/** @type {any} */ error) => {
  assert.equal(error.code, code);
  if (inner !== undefined) assert.equal(error.data.code, inner);
  return true;
};

test("every action has a tool of its own, whose name says which", async (t) => {
  const { workspace, endpoint } = open(t);
  const tools = await workspace.kernel.listTools(endpoint.id);
  const names = DOCUMENT_ACTIONS.map(({ name }) => toolName(name));
  assert.deepEqual(tools.map(({ name }) => name).sort(), [...names].sort());
  assert.equal(new Set(names).size, DOCUMENT_ACTIONS.length);
  assert.ok(names.every((name) => isToolName(name)));
  assert.equal(toolName("document.replaceAll"), "document_replace_all");
  for (const { name, kind } of DOCUMENT_ACTIONS) {
    const tool = tools.find((each) => each.name === toolName(name));
    assert.equal(tool?.annotations?.["readOnlyHint"], kind === "read", name);
    assert.doesNotMatch(tool?.description ?? "", /resources\/read|a task/, name);
  }
});

test("a tool writes as a terminal does: the person's caret stays at its letter", async (t) => {
  const { call, text, selection } = open(t, "one two");
  selection.set(4);
  const { result } = await call("document_text_replace", { start: 0, end: 3, text: "three" });
  assert.deepEqual(result, { start: 0, end: 5, length: 9 });
  assert.equal(text.text, "three two");
  assert.equal(text.text.slice(selection.focus), "two");
});

test("what the document refuses is refused by name, and changes nothing", async (t) => {
  const { call, text } = open(t, "one");
  await assert.rejects(
    call("document_text_insert", { text: "x", at: 9 }),
    (/** @type {any} */ error) =>
      error.code === "INVALID_INPUT" && error.data.errors[0].path === "/at",
  );
  await assert.rejects(call("document_undo"), fails("TOOL_FAILED", "UNAVAILABLE"));
  assert.equal(text.text, "one");
});

test("a whole document comes back as an attachment, with progress on its way", async (t) => {
  const { workspace, endpoint } = open(t, "# T\n\none\n\ntwo");
  /** @type {any[]} */
  const told = [];
  const { result, attachment } = await workspace.kernel.call({
    target: endpoint.id,
    name: "document_export_file",
    arguments: { format: "markdown" },
    onProgress: (value) => told.push(value),
  });
  const written = new TextDecoder().decode(attachment);
  assert.equal(written, "# T\n\none\n\ntwo\n");
  assert.deepEqual(Object.keys(/** @type {object} */ (result)).sort(), [
    "format",
    "mimeType",
    "revision",
    "size",
  ]);
  assert.equal(told.at(0)?.reason, "export");
});

test("a cancelled export ends, and its task with it", async (t) => {
  const { workspace, endpoint, dispatcher } = open(t, "one\n\n".repeat(20_000));
  const controller = new AbortController();
  const call = workspace.kernel.call({
    target: endpoint.id,
    name: "document_export_file",
    arguments: { format: "html" },
    onProgress: () => controller.abort(),
    signal: controller.signal,
  });
  await assert.rejects(call, fails("CANCELLED"));
  const task = dispatcher.tasks.get("task-1");
  for (let turns = 0; turns < 1_000 && !task.ended; turns++) {
    await new Promise((resolve) => void setImmediate(resolve));
  }
  assert.equal(task.state, "cancelled");
});

test("a picture comes as an attachment and names no resource", async (t) => {
  const { call } = open(t, "one");
  const { result, attachment } = await call("ui_render", { format: "svg" });
  assert.match(new TextDecoder().decode(attachment), /^<svg/);
  assert.equal(/** @type {any} */ (result).mimeType, "image/svg+xml");
  assert.equal("resource" in /** @type {object} */ (result), false);
});

test("a document is imported from the arguments or from an attachment, and from one only", async (t) => {
  const { call, text } = open(t, "old");
  await call("document_import", { format: "markdown", text: "# A\n\nfrom arguments" });
  assert.equal(text.text, "from arguments");
  await call("document_import", { format: "markdown" }, bytes("# B\n\nfrom bytes"));
  assert.deepEqual([text.title, text.text], ["B", "from bytes"]);
  await assert.rejects(call("document_import", { format: "text" }), fails("INVALID_INPUT"));
  await assert.rejects(
    call("document_import", { format: "text", text: "one" }, bytes("two")),
    fails("INVALID_INPUT"),
  );
  await assert.rejects(
    call("document_import", { format: "text" }, new Uint8Array([0xff, 0xfe]).buffer),
    fails("INVALID_INPUT"),
  );
  assert.equal(text.text, "from bytes");
});

test("only a tool that takes an attachment takes one", async (t) => {
  const { call, text } = open(t, "one");
  await assert.rejects(
    call("document_text_insert", { text: "x" }, bytes("y")),
    fails("ATTACHMENT_UNSUPPORTED"),
  );
  assert.equal(text.text, "one");
});

test("each change has a higher revision on the bus by the time its call is answered", async (t) => {
  const { workspace, runtime, call, text } = open(t, "one");
  let now = 1_000;
  announceChanges(runtime, text, () => now);
  await call("document_read");
  const { kernel } = workspace;
  assert.equal(kernel.revision("writer", "state"), 1_000);
  await call("document_text_insert", { text: "x" });
  assert.equal(kernel.revision("writer", "state"), 1_001);
  // The clock went back.
  now = 10;
  await call("document_text_insert", { text: "y" });
  assert.equal(kernel.revision("writer", "state"), 1_002);
  assert.equal(kernel.revision("writer", "document"), 1_002);
  await call("document_read");
  assert.equal(kernel.revision("writer", "state"), 1_002);
});
