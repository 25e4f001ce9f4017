// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { DocumentSelection } from "../../../browser_worker/demo/document/document_selection.js";
import { DocumentLimitError } from "../../../browser_worker/demo/document/document_limits.js";
import { Paragraph } from "../../../browser_worker/demo/document/paragraph.js";
import { TextDocument } from "../../../browser_worker/demo/document/text_document.js";
import {
  OffsetError,
  difference,
  splitsCharacter,
} from "../../../browser_worker/demo/document/text_offsets.js";
import { anyEdit, anyState, anyText, apply, snapshot } from "./support/documents.js";

/**
 * @param {string} text
 * @param {import("../../../browser_worker/demo/document/paragraph_styles.js").ParagraphStyle} [style]
 */
function of(text, style = "body") {
  return new TextDocument({
    title: "",
    paragraphs: text.split("\n").map((line) => Paragraph.plain(style, line)),
  });
}

/** @param {TextDocument} text */
const styles = (text) => text.paragraphs.map(({ style }) => style);

test("undoing everything gives the first document back, and redoing everything the last", () => {
  fc.assert(
    fc.property(anyState, fc.array(anyEdit, { maxLength: 12 }), (state, edits) => {
      const text = new TextDocument(state);
      const first = snapshot(text);
      for (const edit of edits) apply(text, edit);
      const last = snapshot(text);
      while (text.canUndo) text.undo();
      assert.equal(snapshot(text), first);
      while (text.canRedo) text.redo();
      assert.equal(snapshot(text), last);
    }),
  );
});

test("each step of undo is the inverse of what it undoes", () => {
  fc.assert(
    fc.property(anyState, anyEdit, anyEdit, (state, before, edit) => {
      const text = new TextDocument(state);
      apply(text, before);
      text.endTyping();
      const there = snapshot(text);
      const { revision } = text;
      apply(text, edit);
      if (text.revision === revision) return;
      text.undo();
      assert.equal(snapshot(text), there);
    }),
  );
});

test("the revision moves with every change and never without one", () => {
  fc.assert(
    fc.property(anyState, fc.array(anyEdit, { maxLength: 8 }), (state, edits) => {
      const text = new TextDocument(state);
      for (const edit of edits) {
        const [there, revision] = [snapshot(text), text.revision];
        apply(text, edit);
        assert.equal(text.revision !== revision, snapshot(text) !== there);
      }
    }),
  );
});

test("replacing text is what replacing it in a string is", () => {
  fc.assert(
    fc.property(anyState, anyText, fc.nat(), fc.nat(), (state, inserted, a, b) => {
      const text = new TextDocument(state);
      const before = text.text;
      const [start = 0, end = 0] = [a, b].map((n) => n % (text.length + 1)).sort((x, y) => x - y);
      if (splitsCharacter(before, start) || splitsCharacter(before, end)) {
        assert.throws(() => text.replace(start, end, inserted), OffsetError);
        assert.equal(text.text, before);
        return;
      }
      text.replace(start, end, inserted);
      assert.equal(text.text, before.slice(0, start) + inserted + before.slice(end));
      assert.equal(text.length, text.text.length);
    }),
  );
});

test("no text of a document ever holds half a character", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.array(anyEdit), (raw, edits) => {
      const text = of("");
      text.replace(0, 0, raw);
      text.replace(0, 0, "\ud800 alone");
      for (const edit of edits) apply(text, edit);
      assert.doesNotMatch(
        text.title + text.text,
        /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/,
      );
    }),
  );
});

test("an offset inside a character or past the end is refused by its name", () => {
  const text = of("a😀b");
  for (const [start, end, name] of [
    [2, 4, "start"],
    [1, 2, "end"],
    [0, 5, "end"],
    [3, 1, "end"],
    [-1, 0, "start"],
  ]) {
    assert.throws(
      () => text.replace(Number(start), Number(end), "x"),
      (error) => error instanceof OffsetError && error.offset === name,
    );
  }
  assert.equal(text.revision, 1);
});

test("typed letters are undone word by word", () => {
  const text = of("");
  for (const [index, letter] of [..."ab cd"].entries()) {
    text.replace(index, index, letter, { typed: true });
  }
  assert.equal(text.revision, 6);
  text.undo();
  assert.equal(text.text, "ab ");
  text.undo();
  assert.equal(text.text, "");
  assert.equal(text.canUndo, false);
});

test("erasing letter by letter is one step of undo", () => {
  const text = of("abcd");
  for (const at of [3, 2, 1]) text.replace(at, at + 1, "", { typed: true });
  assert.equal(text.text, "a");
  text.undo();
  assert.equal(text.text, "abcd");
});

test("what a terminal writes between two letters is a step of its own", () => {
  const text = of("");
  text.replace(0, 0, "a", { typed: true });
  text.replace(0, 0, "Terminal. ");
  text.replace(11, 11, "b", { typed: true });
  text.undo();
  assert.equal(text.text, "Terminal. a");
  text.undo();
  assert.equal(text.text, "a");
});

test("a letter typed elsewhere begins a step of its own", () => {
  const text = of("xyz");
  text.replace(0, 0, "a", { typed: true });
  text.replace(3, 3, "b", { typed: true });
  text.undo();
  assert.equal(text.text, "axyz");
});

test("a new edit forgets what was undone", () => {
  const text = of("");
  text.replace(0, 0, "one");
  text.undo();
  text.replace(0, 0, "two");
  assert.equal(text.canRedo, false);
});

test("no more than a thousand steps can be undone", () => {
  const text = of("");
  for (let n = 0; n < 1_001; n++) text.replace(0, 0, "x");
  let steps = 0;
  while (text.undo() !== undefined) steps++;
  assert.equal(steps, 1_000);
  assert.equal(text.text, "x");
});

test("a paragraph that is begun behind a heading is body text", () => {
  const text = of("Title", "heading-1");
  text.replace(5, 5, "\n");
  assert.deepEqual(styles(text), ["heading-1", "body"]);
});

test("a paragraph that is begun before a heading is body text and leaves the heading", () => {
  const text = of("Title", "heading-1");
  text.replace(0, 0, "Before\n");
  assert.deepEqual(styles(text), ["body", "heading-1"]);
  assert.equal(text.text, "Before\nTitle");
});

test("a list goes on in the next line", () => {
  const text = of("one", "list");
  text.replace(3, 3, "\ntwo\nthree");
  assert.deepEqual(styles(text), ["list", "list", "list"]);
});

test("a paragraph deleted whole leaves the next one's style", () => {
  const text = of("Title\nbody");
  text.setStyle(0, 0, "heading-2");
  text.replace(0, 6, "");
  assert.deepEqual(styles(text), ["body"]);
});

test("several paragraphs deleted whole leave body text", () => {
  const text = of("one\ntwo", "code");
  text.replace(0, 7, "");
  assert.deepEqual(styles(text), ["body"]);
});

test("joining a paragraph to the one before takes that one's style", () => {
  const text = of("Title\nbody");
  text.setStyle(0, 0, "heading-2");
  text.replace(5, 6, "");
  assert.deepEqual(styles(text), ["heading-2"]);
  assert.equal(text.text, "Titlebody");
});

test("new text has the marks of what it stands behind, or of what it replaces", () => {
  const text = of("plain bold");
  text.setMark(6, 10, "bold", true);
  text.replace(10, 10, "er");
  assert.equal(text.marksBetween(6, 12), 1);
  text.replace(6, 12, "new");
  assert.equal(text.marksBetween(6, 9), 1);
  text.replace(0, 0, "x");
  assert.equal(text.marksBetween(0, 1), 0);
  text.replace(0, 0, "y", { marks: 2 });
  assert.equal(text.marksBetween(0, 1), 2);
});

test("marks of a stretch are those that all of it has", () => {
  const text = of("ab\ncd");
  text.setMark(0, 5, "bold", true);
  text.setMark(1, 4, "italic", true);
  assert.equal(text.marksBetween(0, 5), 1);
  assert.equal(text.marksBetween(1, 4), 3);
  text.setMark(0, 5, "bold", false);
  assert.equal(text.marksBetween(0, 5), 0);
});

test("replacing all is one step of undo and keeps styles and marks", () => {
  const text = of("one two one\none");
  text.setStyle(1, 1, "quote");
  text.setMark(0, 3, "bold", true);
  const before = snapshot(text);
  text.replaceAll(
    [
      { start: 0, end: 3 },
      { start: 8, end: 11 },
      { start: 12, end: 15 },
    ],
    "1",
  );
  assert.equal(text.text, "1 two 1\n1");
  assert.equal(text.marksBetween(0, 1), 1);
  assert.deepEqual(styles(text), ["body", "quote"]);
  text.undo();
  assert.equal(snapshot(text), before);
});

test("replacing all is what doing it to a string is, line feeds included", () => {
  const query = fc.constantFrom("a", "\n", "a\n", "\na", "b ", "😀");
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom("a", "b", "\n", " ", "😀"), maxLength: 30 }),
      query,
      fc.constantFrom("", "x", "\n", "x\ny", "😀"),
      (raw, needle, replacement) => {
        const text = of(raw);
        const spans = [...raw.matchAll(new RegExp(needle, "gu"))].map(({ index }) => ({
          start: index,
          end: index + needle.length,
        }));
        text.replaceAll(spans, replacement);
        assert.equal(text.text, raw.replaceAll(needle, replacement));
        text.undo();
        assert.equal(text.text, raw);
      },
    ),
  );
});

test("a document over a limit is refused and stays as it was", () => {
  const limits = { maxCodeUnits: 10, maxParagraphs: 3, maxTitleCodeUnits: 4 };
  const text = new TextDocument(undefined, limits);
  text.replace(0, 0, "0123456789");
  assert.throws(() => text.replace(0, 0, "x"), DocumentLimitError);
  text.replace(0, 10, "a\nb\nc");
  assert.throws(() => text.replace(0, 0, "\n"), DocumentLimitError);
  text.setTitle("four");
  assert.throws(() => text.setTitle("fives"), DocumentLimitError);
  assert.equal(text.text, "a\nb\nc");
  assert.equal(text.title, "four");
});

test("a selection follows the text and never stands inside a character", () => {
  fc.assert(
    fc.property(
      anyState,
      fc.nat(),
      fc.nat(),
      fc.array(anyEdit, { maxLength: 8 }),
      (state, a, b, edits) => {
        const text = new TextDocument(state);
        const selection = new DocumentSelection(text);
        selection.set(a % (text.length + 2), b % (text.length + 2));
        for (const edit of edits) {
          apply(text, edit);
          if (text.canUndo && edit.kind === "load") text.undo();
          for (const offset of [selection.anchor, selection.focus]) {
            assert.ok(offset >= 0 && offset <= text.length);
            assert.ok(!splitsCharacter(text.text, offset));
          }
        }
      },
    ),
  );
});

test("a caret stays with its character when text comes or goes before it", () => {
  const text = of("one two");
  const selection = new DocumentSelection(text);
  selection.set(4, 7);
  text.replace(0, 0, "zero ");
  assert.equal(text.text.slice(selection.start, selection.end), "two");
  text.undo();
  assert.equal(text.text.slice(selection.start, selection.end), "two");
});

test("the difference of two texts makes the one of the other", () => {
  fc.assert(
    fc.property(anyText, anyText, fc.nat(), (before, after, n) => {
      const caret = n % (after.length + 1);
      const { start, end, inserted } = difference(before, after, caret);
      assert.equal(before.slice(0, start) + inserted + before.slice(end), after);
      assert.ok(!splitsCharacter(before, start) && !splitsCharacter(before, end));
    }),
  );
});

test("of equal letters the one before the caret is the new one", () => {
  assert.deepEqual(difference("aaa", "aaaa", 2), { start: 1, end: 1, inserted: "a" });
  assert.deepEqual(difference("aaa", "aaaa"), { start: 3, end: 3, inserted: "a" });
});
