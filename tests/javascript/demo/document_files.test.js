// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import { EXPORT_FORMATS, exported } from "../../../browser_worker/demo/document/document_format.js";
import { MAX_EXPORTS } from "../../../browser_worker/demo/document/export_task.js";
import { refuses, setUp } from "./support/word_processor.js";

/** @import { Dispatcher } from "../../../browser_worker/dispatcher/dispatcher.js" */

/**
 * @param {Dispatcher} dispatcher
 * @param {string} uri
 * @param {number} [limit]
 */
function readWhole(dispatcher, uri, limit = 65_536) {
  /** @type {number[]} */
  const bytes = [];
  for (;;) {
    const part = /** @type {any} */ (dispatcher.readResource(uri, bytes.length, limit));
    bytes.push(...part.data);
    if (bytes.length >= part.size) return new TextDecoder().decode(Uint8Array.from(bytes));
  }
}

test("an export is a task in slices that tells how far it is, and then a file in parts", () => {
  const { text, dispatcher, pauses, remote } = setUp();
  remote("document.import", { format: "text", text: "Zeile äöü 😀\n".repeat(10_000) });
  const task = remote("document.export.file", { format: "markdown" });
  assert.equal(task.state, "running");
  assert.deepEqual([task.progress.done, task.progress.total], [0, 10_000]);
  pauses.endOne();
  const { done } = task.progress;
  assert.ok(done > 0 && done < 10_000);
  assert.ok(pauses.endAll() > 3);
  assert.equal(task.state, "completed");
  assert.equal(task.progress.done, 10_000);
  const whole = readWhole(dispatcher, task.output.resource, 1_001);
  assert.equal(whole, exported(text, "markdown"));
  assert.equal(task.output.size, new TextEncoder().encode(whole).length);
  assert.equal(task.output.revision, text.revision);
});

test("every format that is exported as a file is the whole document in that format", () => {
  const { text, dispatcher, pauses, remote } = setUp("# T\n\n## Part\n\n- a\n- b\n\nend");
  for (const format of EXPORT_FORMATS.keys()) {
    const task = remote("document.export.file", { format });
    pauses.endAll();
    assert.equal(readWhole(dispatcher, task.output.resource), exported(text, format));
  }
});

test("an export that is cancelled stops at its next slice and keeps no file", () => {
  const { dispatcher, pauses, remote } = setUp();
  remote("document.import", { format: "text", text: "line\n".repeat(10_000) });
  const task = remote("document.export.file", { format: "text" });
  pauses.endOne();
  task.cancel();
  assert.equal(task.state, "cancelling");
  assert.equal(pauses.endAll(), 1);
  assert.equal(task.state, "cancelled");
  refuses(() => dispatcher.readResource("write:export/1.txt", 0, 1), "UNKNOWN_RESOURCE");
});

test("an export whose document changes on the way fails as stale and keeps no file", () => {
  const { text, dispatcher, pauses, local, remote } = setUp("one");
  const { revision } = text;
  const task = remote("document.export.file", { format: "text" });
  local("document.text.insert", { text: "x" });
  pauses.endAll();
  assert.equal(task.state, "failed");
  assert.equal(task.error.code, "STALE_REVISION");
  assert.deepEqual(task.error.data, { expected: revision, actual: text.revision });
  refuses(() => dispatcher.readResource("write:export/1.txt", 0, 1), "UNKNOWN_RESOURCE");
  // What is undone is another revision, though the text is the same; a new export is of that one.
  local("document.undo");
  const again = remote("document.export.file", { format: "text" });
  pauses.endAll();
  assert.equal(readWhole(dispatcher, again.output.resource), "one\n");
});

test("so many exports run at once and no more", () => {
  const { pauses, remote } = setUp("one");
  for (let n = 0; n < MAX_EXPORTS; n++) remote("document.export.file", { format: "text" });
  refuses(() => remote("document.export.file", { format: "text" }), "LIMIT_EXCEEDED");
  pauses.endAll();
  assert.equal(remote("document.export.file", { format: "text" }).state, "running");
});

test("a picture is a file, and says where the next one begins", () => {
  const { dispatcher, remote } = setUp("# Title\n\n" + "paragraph\n\n".repeat(300));
  const { resource, mimeType, width, height, nextParagraph } = remote("ui.render");
  assert.equal(mimeType, "image/svg+xml");
  assert.deepEqual([width, height <= 4_096], [816, true]);
  const svg = readWhole(dispatcher, resource);
  assert.match(svg, /^<svg [^>]*width="816"/);
  assert.ok(svg.includes(">Title</text>"));
  const second = remote("ui.render", { paragraph: nextParagraph, width: 400 });
  assert.ok(second.nextParagraph > nextParagraph);
  assert.ok(!readWhole(dispatcher, second.resource).includes(">Title</text>"));
  const png = remote("ui.render", { format: "png", width: 320 });
  assert.equal(png.mimeType, "image/png");
  assert.match(readWhole(dispatcher, png.resource), /^PNG 320 \d+$/);
  refuses(() => remote("ui.render", { paragraph: 300 }), "INVALID_INPUT", "/paragraph");
  refuses(() => remote("ui.render", { width: 319 }), "INVALID_INPUT", "/width");
});

test("the document itself is listed before the files, and read as it is now", () => {
  const { text, dispatcher, pauses, remote } = setUp("Eins äöü\n");
  const listed = () => /** @type {any} */ (dispatcher.reading.resources({})).value;
  const { uri } = listed()[0];
  assert.deepEqual(listed(), [
    {
      uri,
      name: "document.md",
      description: "The document as it is now.",
      mimeType: "text/markdown",
    },
  ]);
  assert.equal(readWhole(dispatcher, uri, 3), exported(text, "markdown"));
  remote("document.title.set", { title: " Plan " });
  assert.equal(listed()[0].title, "Plan");
  remote("document.text.insert", { text: "Zwei ", at: 0 });
  assert.match(readWhole(dispatcher, uri), /Zwei Eins/);
  const task = remote("document.export.file", { format: "text" });
  pauses.endAll();
  assert.equal(listed()[1].uri, task.output.resource);
});
