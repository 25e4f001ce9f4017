// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { DocumentSelection } from "../../../browser_worker/demo/document/document_selection.js";
import { Paragraph } from "../../../browser_worker/demo/document/paragraph.js";
import { TextDocument } from "../../../browser_worker/demo/document/text_document.js";
import { anyEdit, anyState, apply, snapshot } from "./support/documents.js";

/** @param {string} text */
function of(text) {
  return new TextDocument({ title: "", paragraphs: [Paragraph.plain("body", text)] });
}

/**
 * All that a transaction puts back.
 *
 * @param {TextDocument} text
 * @param {DocumentSelection} selection
 */
function whole(text, selection) {
  return JSON.stringify([
    snapshot(text),
    text.length,
    text.revision,
    text._history.state(),
    selection.anchor,
    selection.focus,
  ]);
}

/**
 * @param {import("../../../browser_worker/demo/document/text_document.js").DocumentState} state
 * @param {readonly any[]} before Edits, the last of which is undone.
 * @param {number} caret
 */
function withPast(state, before, caret) {
  const text = new TextDocument(state);
  const selection = new DocumentSelection(text);
  for (const edit of before) apply(text, edit);
  text.undo();
  selection.set(caret % (text.length + 1));
  return { text, selection };
}

const someEdits = fc.array(anyEdit, { maxLength: 6 });

test("rolling back restores text, revision, steps of undo and selection, and tells nobody", () => {
  fc.assert(
    fc.property(anyState, someEdits, someEdits, fc.nat(), (state, before, edits, caret) => {
      const { text, selection } = withPast(state, before, caret);
      const there = whole(text, selection);
      let told = 0;
      text.onChange(() => told++);
      selection.onSet(() => told++);
      text.begin();
      selection.begin();
      for (const edit of edits) {
        apply(text, edit);
        selection.set("from" in edit ? Math.round(edit.from * text.length) : 0);
      }
      text.rollback();
      selection.rollback();
      assert.equal(whole(text, selection), there);
      assert.equal(told, 0);
    }),
  );
});

test("what a transaction did is one step of undo, and is told of once", () => {
  fc.assert(
    fc.property(anyState, someEdits, someEdits, fc.nat(), (state, before, edits, caret) => {
      const { text, selection } = withPast(state, before, caret);
      const [there, revision] = [snapshot(text), text.revision];
      const steps = text._history.state().undo.length;
      let told = 0;
      text.onChange(() => told++);
      text.begin();
      for (const edit of edits) apply(text, edit);
      text.commit();
      const after = snapshot(text);
      assert.ok(told <= 1);
      assert.equal(text.revision !== revision, after !== there);
      assert.equal(text._history.state().undo.length, steps + (after === there ? 0 : 1));
      if (after === there) return;
      assert.equal(told, 1);
      selection.set(text.length);
      text.undo();
      assert.equal(snapshot(text), there);
      assert.ok(selection.focus <= text.length);
      text.redo();
      assert.equal(snapshot(text), after);
    }),
  );
});

test("a selection follows all edits of a transaction, and all of its undoing", () => {
  const text = of("one two");
  const selection = new DocumentSelection(text);
  selection.set(4, 7);
  text.begin();
  text.replace(0, 0, "zero ");
  text.replace(0, 0, "minus one ");
  text.setTitle("Numbers");
  text.commit();
  assert.equal(text.text.slice(selection.start, selection.end), "two");
  text.undo();
  assert.equal(text.title, "");
  assert.equal(text.text.slice(selection.start, selection.end), "two");
});

test("a transaction that a listener breaks is put back, and the others hear of it", () => {
  const text = of("one");
  /** @type {string[]} */
  const heard = [];
  text.onChange(() => heard.push(text.text));
  const stop = text.onChange(() => {
    throw new Error("broken");
  });
  text.begin();
  text.replace(0, 0, "zero ");
  assert.throws(() => text.commit(), /broken/);
  stop();
  text.rollback();
  assert.deepEqual(heard, ["zero one", "one"]);
  assert.equal(text.revision, 1);
  assert.equal(text.canUndo, false);
});

test("transactions do not nest, and none ends that has not begun", () => {
  const text = of("one");
  assert.throws(() => text.commit(), /no transaction/);
  assert.throws(() => text.rollback(), /no transaction/);
  text.begin();
  assert.throws(() => text.begin(), /begun already/);
  text.rollback();
  text.begin();
  text.commit();
  assert.equal(text.revision, 1);
});
