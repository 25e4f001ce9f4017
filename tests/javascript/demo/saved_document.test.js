// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Paragraph } from "../../../browser_worker/demo/document/paragraph.js";
import {
  DAMAGED_KEY,
  STORAGE_KEY,
  SavedDocument,
} from "../../../browser_worker/demo/document/saved_document.js";
import { anyState } from "./support/documents.js";

class FakeStorage {
  /** @type {Map<string, string>} */
  items = new Map();
  room = Infinity;

  /** @param {string} key */
  getItem(key) {
    return this.items.get(key) ?? null;
  }

  /** @param {string} key @param {string} value */
  setItem(key, value) {
    if (value.length > this.room) throw new Error("QuotaExceededError");
    this.items.set(key, value);
  }
}

function setUp() {
  const storage = new FakeStorage();
  let stamps = 0;
  const tab = () =>
    new SavedDocument(
      () => storage,
      () => String(++stamps),
    );
  return { storage, tab };
}

/** @param {string} text */
const one = (text) => ({ title: "T", paragraphs: [Paragraph.plain("body", text)] });

test("what was saved is loaded again", () => {
  fc.assert(
    fc.property(anyState, (state) => {
      const { tab } = setUp();
      assert.equal(tab().save(state), "saved");
      const found = tab().load();
      assert.equal(found.kind, "found");
      assert.deepEqual(found.kind === "found" && found.document, { ...state });
    }),
  );
});

test("with nothing saved there is nothing", () => {
  assert.deepEqual(setUp().tab().load(), { kind: "none" });
});

test("damaged data is put aside and never trusted", () => {
  const paragraph = (/** @type {unknown} */ value) =>
    JSON.stringify({ version: 1, stamp: "s", title: "t", paragraphs: [value] });
  for (const raw of [
    "{",
    "null",
    "[]",
    '{"version":1}',
    '{"version":1,"stamp":"s","title":"t","paragraphs":7}',
    paragraph(["no-style", []]),
    paragraph(["body", [["text", 8]]]),
    paragraph(["body", [["two\nlines", 0]]]),
    paragraph(["body", [["\ud800", 0]]]),
    paragraph(["body", "text"]),
    paragraph(null),
  ]) {
    const { storage, tab } = setUp();
    storage.items.set(STORAGE_KEY, raw);
    const saved = tab();
    assert.deepEqual(saved.load(), { kind: "damaged" }, raw);
    assert.equal(storage.items.get(DAMAGED_KEY), raw);
    assert.equal(saved.save(one("new")), "saved");
  }
  const { storage, tab } = setUp();
  storage.items.set(STORAGE_KEY, paragraph(["body", [["fine", 0]]]));
  assert.equal(tab().load().kind, "found");
});

test("a newer version's document is left alone", () => {
  const { storage, tab } = setUp();
  storage.items.set(STORAGE_KEY, '{"version":2,"anything":true}');
  const saved = tab();
  assert.deepEqual(saved.load(), { kind: "newer" });
  assert.equal(saved.save(one("mine"), { force: true }), "newer");
  assert.equal(storage.items.get(STORAGE_KEY), '{"version":2,"anything":true}');
});

test("what another tab saved meanwhile is replaced only when that is asked for", () => {
  const { storage, tab } = setUp();
  const [here, there] = [tab(), tab()];
  assert.equal(here.save(one("first")), "saved");
  there.load();
  assert.equal(there.save(one("theirs")), "saved");
  assert.equal(here.save(one("mine")), "conflict");
  assert.match(storage.getItem(STORAGE_KEY) ?? "", /theirs/);
  assert.equal(here.save(one("mine"), { force: true }), "saved");
  assert.match(storage.getItem(STORAGE_KEY) ?? "", /mine/);
  assert.equal(here.save(one("mine too")), "saved");
});

test("a tab knows what is another's", () => {
  const { storage, tab } = setUp();
  const [here, there] = [tab(), tab()];
  here.save(one("mine"));
  assert.equal(here.isForeign(storage.getItem(STORAGE_KEY)), false);
  assert.equal(there.isForeign(storage.getItem(STORAGE_KEY)), true);
  assert.equal(there.isForeign(null), false);
});

test("a storage that is full or forbidden is said, and nothing breaks", () => {
  const { storage, tab } = setUp();
  storage.room = 3;
  assert.equal(tab().save(one("too much")), "failed");
  storage.items.set(STORAGE_KEY, "{");
  storage.room = 0;
  assert.equal(tab().load().kind, "damaged");
  const forbidden = new SavedDocument(
    () => {
      throw new Error("SecurityError");
    },
    () => "1",
  );
  assert.deepEqual(forbidden.load(), { kind: "unavailable" });
  assert.equal(forbidden.save(one("x")), "failed");
});
