// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  DOCUMENT_ACTIONS,
  MAX_READ,
} from "../../../browser_worker/demo/document/document_actions.js";
import { refuses, setUp } from "./support/word_processor.js";

test("every action has a handler and an answer that fits its schema", () => {
  const { text, remote } = setUp("# T\n\none two\n\n## Head\n\n- item");
  const end = text.length;
  /** @type {Record<string, unknown>} */
  const inputs = {
    "document.text.insert": { text: "x", at: 0 },
    "document.text.replace": { start: 0, end: 1, text: "y" },
    "document.text.delete": { start: 0, end: 1 },
    "document.text.format": { mark: "bold", start: 0, end: 2 },
    "document.paragraph.style": { style: "quote", paragraph: 0 },
    "document.paragraph.insert": { text: "new", style: "list" },
    "document.find": { query: "o" },
    "document.replaceAll": { query: "o", replacement: "0" },
    "document.select": { start: 0, end },
    "document.title.set": { title: "New" },
    "document.export": { format: "html" },
    "document.import": { format: "markdown", text: "# N\n\nbody" },
    "document.export.file": { format: "text" },
  };
  for (const { name } of DOCUMENT_ACTIONS) {
    assert.equal(typeof remote(name, inputs[name] ?? {}), "object", name);
  }
});

test("text without a place goes to the caret, and a person's caret goes behind it", () => {
  const { text, selection, local, remote } = setUp("one two");
  selection.set(3);
  assert.deepEqual(local("document.text.insert", { text: " and" }), {
    start: 3,
    end: 7,
    length: 11,
  });
  assert.equal(text.text, "one and two");
  assert.equal(selection.focus, 7);
  remote("document.text.insert", { text: "zero ", at: 0 });
  assert.equal(selection.focus, 12);
});

test("a terminal's edit leaves the caret at its letter", () => {
  const { text, selection, remote } = setUp("one two");
  selection.set(4);
  remote("document.text.replace", { start: 0, end: 3, text: "three" });
  assert.equal(text.text.slice(selection.focus), "two");
  remote("document.undo");
  assert.equal(text.text.slice(selection.focus), "two");
});

test("offsets that do not fit the text are refused by name", () => {
  const { text, remote } = setUp("a😀b");
  refuses(() => remote("document.text.insert", { text: "x", at: 2 }), "INVALID_INPUT", "/at");
  refuses(() => remote("document.text.insert", { text: "x", at: 9 }), "INVALID_INPUT", "/at");
  refuses(() => remote("document.text.delete", { start: 3, end: 9 }), "INVALID_INPUT", "/end");
  refuses(() => remote("document.select", { start: 2 }), "INVALID_INPUT", "/start");
  refuses(
    () => remote("document.text.format", { mark: "bold", end: 1 }),
    "INVALID_INPUT",
    "/start",
  );
  refuses(
    () => remote("document.paragraph.style", { style: "list", paragraph: 1 }),
    "INVALID_INPUT",
    "/paragraph",
  );
  refuses(
    () => remote("document.paragraph.style", { style: "list", paragraph: 0, start: 0 }),
    "INVALID_INPUT",
    "/paragraph",
  );
  refuses(
    () => remote("document.paragraph.insert", { text: "x", before: 4 }),
    "INVALID_INPUT",
    "/before",
  );
  refuses(() => remote("document.paragraph.style", { style: "poem" }), "INVALID_INPUT");
  assert.equal(text.revision, 1);
});

test("a document that would be too large is refused with its limit", () => {
  const { text, remote } = setUp();
  const half = "x".repeat(200_000);
  remote("document.text.insert", { text: half });
  remote("document.text.insert", { text: half });
  refuses(() => remote("document.text.insert", { text: half }), "LIMIT_EXCEEDED");
  assert.equal(text.length, 400_000);
  refuses(() => remote("document.text.insert", { text: "\n".repeat(10_001) }), "LIMIT_EXCEEDED");
});

test("undo and redo say when there is nothing to do", () => {
  const { remote, local } = setUp();
  refuses(() => remote("document.undo"), "UNAVAILABLE");
  refuses(() => local("document.redo"), "UNAVAILABLE");
  remote("document.text.insert", { text: "x" });
  assert.deepEqual(remote("document.undo"), { start: 0, end: 0, length: 0 });
  assert.deepEqual(remote("document.redo"), { start: 0, end: 1, length: 1 });
});

test("a long text is read in pieces that split no character", () => {
  const { text, remote } = setUp();
  remote("document.text.insert", { text: `x${"😀".repeat(40_000)}` });
  let read = "";
  while (read.length < text.length) {
    const piece = remote("document.read", { start: read.length });
    assert.ok(piece.text.length > 0 && piece.text.length <= MAX_READ);
    assert.ok(piece.text.isWellFormed());
    read += piece.text;
  }
  assert.equal(read, text.text);
});

test("an export is read in pieces, too", () => {
  const { remote } = setUp();
  remote("document.text.insert", { text: "*".repeat(100_000) });
  const first = remote("document.export", { format: "markdown" });
  assert.equal(first.end, MAX_READ);
  const second = remote("document.export", { format: "markdown", from: first.end });
  assert.equal(first.length, 200_001);
  assert.equal(second.start, first.end);
});

test("paragraphs are listed with where they stand", () => {
  const { text, remote } = setUp("one\n\n## Head\n\n- item");
  const { paragraphs, total } = remote("document.paragraphs", { first: 1, count: 1 });
  assert.equal(total, 3);
  assert.deepEqual(paragraphs, [
    { paragraph: 1, start: 4, end: 8, style: "heading-1", text: "Head" },
  ]);
  assert.equal(text.text.slice(4, 8), "Head");
  assert.deepEqual(remote("document.paragraphs", { first: 99 }), { paragraphs: [], total: 3 });
  assert.equal(remote("document.outline").headings[0].start, 4);
});

test("matches are told with paragraph and snippet, and how many there are beyond", () => {
  const { remote } = setUp();
  remote("document.text.insert", { text: "first\n" + "Needle ".repeat(150) });
  const { matches, total, complete } = remote("document.find", { query: "needle" });
  assert.equal(matches.length, 100);
  assert.equal(total, 150);
  assert.equal(complete, false);
  assert.equal(matches[0].paragraph, 1);
  assert.match(matches[0].snippet, /first Needle/);
  const rest = remote("document.find", { query: "needle", from: matches[99].end });
  assert.equal(rest.matches.length, 50);
  assert.equal(rest.complete, true);
  assert.equal(remote("document.find", { query: "needle", matchCase: true }).total, 0);
});

test("replacing all takes one undo to take back", () => {
  const { text, remote } = setUp("a cat and a Cat");
  assert.deepEqual(remote("document.replaceAll", { query: "cat", replacement: "dog" }), {
    replaced: 2,
    length: 15,
  });
  assert.equal(text.text, "a dog and a dog");
  remote("document.undo");
  assert.equal(text.text, "a cat and a Cat");
});

test("selecting moves no revision and is seen in the state", () => {
  const { text, dispatcher, remote } = setUp("one **two**");
  remote("document.select", { start: 4, end: 7 });
  assert.equal(text.revision, 1);
  const state = /** @type {any} */ (dispatcher.host.inspect?.({}));
  assert.deepEqual(state.selection, { start: 4, end: 7 });
  assert.deepEqual(state.marks, ["bold"]);
  assert.equal(state.words, 2);
  remote("document.text.format", { mark: "bold", on: false });
  assert.equal(text.marksBetween(4, 7), 0);
});

test("a whole document comes in as Markdown and can be taken back", () => {
  const { text, remote } = setUp("old");
  remote("document.import", { format: "markdown", text: "# Title\n\n## Part\n\n- item" });
  assert.equal(text.title, "Title");
  assert.deepEqual(
    text.paragraphs.map(({ style }) => style),
    ["heading-1", "list"],
  );
  remote("document.undo");
  assert.equal(text.text, "old");
  assert.equal(text.title, "");
});

test("paragraphs are inserted before one, or at the end, or into an empty document", () => {
  const { text, remote } = setUp();
  assert.deepEqual(remote("document.paragraph.insert", { text: "one" }), {
    start: 0,
    end: 3,
    length: 3,
  });
  assert.deepEqual(remote("document.paragraph.insert", { text: "two\nthree", style: "list" }), {
    start: 4,
    end: 13,
    length: 13,
  });
  remote("document.paragraph.insert", { text: "zero", style: "heading-1", before: 0 });
  assert.equal(text.text, "zero\none\ntwo\nthree");
  assert.deepEqual(
    text.paragraphs.map(({ style }) => style),
    ["heading-1", "body", "list", "list"],
  );
});

test("all edits are of one transaction domain, and each can be undone", () => {
  const writes = DOCUMENT_ACTIONS.filter(
    ({ kind, name }) => kind === "write" && !/\.(undo|redo|select)$/.test(name),
  );
  assert.ok(writes.length > 8);
  for (const { name, transaction, undo } of writes) {
    assert.equal(transaction, "document", name);
    assert.equal(undo, true, name);
  }
});
