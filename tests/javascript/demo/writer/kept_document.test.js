// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  SavedDocument,
  STORAGE_KEY,
} from "../../../../browser_worker/demo/document/saved_document.js";
import { fromMarkdown } from "../../../../browser_worker/demo/document/markdown_reader.js";
import {
  KEEP,
  KEPT,
  WRITER_BACKGROUND,
  exposeKeptDocument,
} from "../../../../browser_worker/demo/workspace/apps/writer/kept_document.js";
import { openKeptStorage } from "../../../../browser_worker/demo/workspace/apps/writer/kept_storage.js";
import { createMemoryKernel } from "../../../../browser_worker/testing/memory_kernel.js";

/** @param {import("node:test").TestContext} t */
function open(t) {
  const workspace = createMemoryKernel({ policy: { decide: () => ({ allow: true }) } });
  t.after(() => workspace.close());
  const background = workspace.connect("writer");
  exposeKeptDocument(background.runtime);
  const tile = () => workspace.connect("writer", "tile").runtime;
  return { workspace, background, tile };
}

test("what one tile saves is what the next one finds", async (t) => {
  const { tile } = open(t);
  const first = await openKeptStorage(tile());
  let stamps = 0;
  const saved = new SavedDocument(
    () => first,
    () => `${++stamps}`,
  );
  assert.deepEqual(saved.load(), { kind: "none" });
  const document = fromMarkdown("# T\n\nkept 😀");
  assert.equal(saved.save(document), "saved");
  assert.equal(saved.save(document), "saved");
  const again = tile();
  const found = new SavedDocument(
    () => storage,
    () => "x",
  );
  let storage = await openKeptStorage(again);
  for (let tries = 0; tries < 100; tries++) {
    if (storage.getItem(STORAGE_KEY) === first.getItem(STORAGE_KEY)) break;
    storage = await openKeptStorage(again);
  }
  const loaded = found.load();
  assert.equal(loaded.kind, "found");
  assert.equal(loaded.kind === "found" && loaded.document.paragraphs[0]?.text, "kept 😀");
});

test("of texts that wait only the newest is sent", async (t) => {
  /** @type {string[]} */
  const sent = [];
  /** @type {(() => void)[]} */
  const answers = [];
  const storage = await openKeptStorage({
    callToolWithAttachment: ({ name, attachment }) => {
      if (name === KEPT) return Promise.resolve({ result: {}, attachment: undefined });
      sent.push(new TextDecoder().decode(attachment));
      return new Promise((resolve) => {
        answers.push(() => resolve({ result: {}, attachment: undefined }));
      });
    },
  });
  t.after(() => answers.forEach((answer) => answer()));
  for (const text of ["a", "b", "c"]) storage.setItem(STORAGE_KEY, text);
  assert.deepEqual(sent, ["a"]);
  assert.equal(storage.getItem(STORAGE_KEY), "c");
  answers.shift()?.();
  await new Promise((resolve) => void setImmediate(resolve));
  assert.deepEqual(sent, ["a", "c"]);
});

test("a text that did not arrive is told of at the next save, which is tried all the same", async (t) => {
  const { background, tile } = open(t);
  const storage = await openKeptStorage(tile());
  storage.setItem(STORAGE_KEY, "arrives");
  background.disconnect();
  const saved = new SavedDocument(
    () => storage,
    () => "x",
  );
  /** @type {string} */
  let outcome = "saved";
  for (let tries = 0; tries < 1_000 && outcome === "saved"; tries++) {
    outcome = saved.save(fromMarkdown("lost"), { force: true });
    await new Promise((resolve) => void setImmediate(resolve));
  }
  assert.equal(outcome, "failed");
});

test("the document's own form is nobody's but the writer's", async (t) => {
  const { workspace, tile } = open(t);
  const other = workspace.connect("notes").runtime;
  const attachment = new TextEncoder().encode("forged").slice().buffer;
  const call = { target: WRITER_BACKGROUND, name: KEEP, attachment };
  await assert.rejects(other.callTool(call), (/** @type {any} */ error) => {
    return error.code === "TOOL_FAILED";
  });
  await assert.rejects(other.callTool({ target: WRITER_BACKGROUND, name: KEPT }));
  const own = tile();
  assert.deepEqual(await own.callTool({ target: WRITER_BACKGROUND, name: KEPT }), { found: false });
  await own.callTool({ ...call, attachment: new TextEncoder().encode("own").slice().buffer });
  assert.deepEqual(await own.callTool({ target: WRITER_BACKGROUND, name: KEPT }), { found: true });
});
