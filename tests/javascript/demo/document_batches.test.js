// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import { refuses, setUp } from "./support/word_processor.js";

/** @param {string} action @param {unknown} input @param {number} expectedRevision */
const write = (action, input, expectedRevision) => ({ action, input, expectedRevision });

test("an atomic batch of edits is one step of undo", () => {
  const { text, dispatcher, local } = setUp("# T\n\none two");
  const done = /** @type {any} */ (
    dispatcher.batch({
      atomic: true,
      session: "terminal",
      calls: [
        write("document.text.insert", { text: "zero ", at: 0 }, 1),
        { action: "document.find", input: { query: "two" } },
        write("document.paragraph.insert", { text: "last", style: "list" }, 1),
        write("document.title.set", { title: "New" }, 1),
        write("document.select", { start: 0, end: 4 }, 1),
      ],
    })
  );
  assert.equal(done.committed, true);
  assert.deepEqual(done.results[1].output.matches[0].start, 9);
  assert.ok(
    done.results.every((/** @type {any} */ item) => item.ok && item.revision === text.revision),
  );
  assert.equal(text.text, "zero one two\nlast");
  local("document.undo");
  assert.deepEqual([text.title, text.text, text.canUndo], ["T", "one two", false]);
});

test("an atomic batch that fails leaves document, revision, undo and selection as they were", () => {
  const { text, selection, dispatcher, remote, local } = setUp("one two");
  remote("document.text.insert", { text: "x" });
  local("document.undo");
  selection.set(4, 7);
  const { revision } = text;
  let told = 0;
  text.onChange(() => told++);
  selection.onSet(() => told++);
  const batch = (/** @type {number} */ at) =>
    dispatcher.batch({
      atomic: true,
      session: "terminal",
      calls: [
        write("document.text.insert", { text: "zero ", at: 0 }, revision),
        write("document.select", { start: 1 }, revision),
        write("document.text.insert", { text: "!", at }, revision),
      ],
    });
  assert.throws(
    () => batch(99),
    (/** @type {any} */ error) => {
      assert.equal(error.code, "ROLLED_BACK");
      assert.equal(error.data.index, 2);
      assert.equal(error.data.cause.data.errors[0].path, "/at");
      return true;
    },
  );
  assert.deepEqual([text.text, text.revision, told], ["one two", revision, 0]);
  assert.deepEqual([selection.anchor, selection.focus, text.canRedo], [4, 7, true]);
  assert.equal(dispatcher.enabled, true);
  // The same batch without the mistake is done: nothing was left over.
  assert.equal(/** @type {any} */ (batch(12)).committed, true);
  assert.equal(text.text, "zero one two!");
});

test("undo, redo and an export have no place in an atomic batch", () => {
  const { text, dispatcher, pauses } = setUp("one");
  const batch = (/** @type {any[]} */ ...calls) => dispatcher.batch({ atomic: true, calls });
  const insert = write("document.text.insert", { text: "x" }, 1);
  refuses(() => batch(insert, write("document.redo", {}, 1)), "UNAVAILABLE");
  text.replace(0, 0, "y");
  const now = { ...insert, expectedRevision: 2 };
  refuses(() => batch(now, write("document.undo", {}, 2)), "TRANSACTION_UNSUPPORTED");
  const exporting = { action: "document.export.file", input: { format: "text" } };
  assert.throws(
    () => batch(now, exporting),
    (/** @type {any} */ error) => error.data.cause.data.code === "DEFERRED_IN_TRANSACTION",
  );
  assert.equal(text.text, "yone");
  pauses.endAll();
  assert.equal(dispatcher.tasks.get("task-1").state, "cancelled");
});
