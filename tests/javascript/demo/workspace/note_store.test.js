// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  NOTE_LIMITS,
  NoteStore,
} from "../../../../browser_worker/demo/workspace/apps/notes/note_store.js";

function makeStore() {
  let now = 1_000;
  const store = new NoteStore(() => now);
  return { store, at: (/** @type {number} */ time) => (now = time) };
}

/** @param {NoteStore} store @param {string} query */
const titles = (store, query) => store.search(query, 100).matches.map(({ title }) => title);

test("a search finds the notes with every word, in title or text, the last changed first", () => {
  const { store } = makeStore();
  store.add([{ title: "Roadmap", text: "ship the BUS" }]);
  store.add([{ title: "Bus times", text: "ship leaves at 9" }]);
  store.add([{ title: "Other", text: "" }]);
  assert.deepEqual(titles(store, " bus  SHIP "), ["Bus times", "Roadmap"]);
  store.update("1", { text: "ship the bus soon" });
  assert.deepEqual(titles(store, "bus ship"), ["Roadmap", "Bus times"]);
  assert.deepEqual(titles(store, ""), ["Roadmap", "Other", "Bus times"]);
  assert.deepEqual(titles(store, "train"), []);
});

test("a search gives as many as were asked for, and says how many there are", () => {
  const { store } = makeStore();
  store.add(Array.from({ length: 5 }, (_, at) => ({ title: `${at}`, text: "" })));
  const { matches, total } = store.search("", 2);
  assert.deepEqual(
    matches.map(({ title }) => title),
    ["4", "3"],
  );
  assert.equal(total, 5);
});

test("an excerpt is around the first word that was found, and cuts no character in two", () => {
  const { store } = makeStore();
  store.add([{ title: "", text: `${"😀".repeat(200)} needle ${"😀".repeat(200)}` }]);
  const [match] = store.search("needle", 1).matches;
  assert.match(match?.excerpt ?? "", /needle/);
  assert.doesNotThrow(() => encodeURIComponent(match?.excerpt ?? ""));
  assert.ok([...(match?.excerpt ?? "")].length <= 122);
});

test("half a character is kept as a mark, which no backend refuses", () => {
  const { store } = makeStore();
  store.add([{ title: "a\ud83d", text: "\ude00b" }]);
  assert.deepEqual([store.read("1").title, store.read("1").text], ["a\ufffd", "\ufffdb"]);
  store.update("1", { title: "\ud83d\ude00", text: "\ud83d" });
  assert.deepEqual([store.read("1").title, store.read("1").text], ["\u{1f600}", "\ufffd"]);
});

test("each change raises the revision, and a store that begins later begins higher", () => {
  const { store, at } = makeStore();
  const seen = [store.revision];
  const [note] = store.add([{ title: "a", text: "" }]);
  seen.push(store.revision);
  store.update(String(note?.id), { title: "b" });
  seen.push(store.revision);
  store.delete(String(note?.id));
  seen.push(store.revision);
  assert.deepEqual(seen, [1_000, 1_001, 1_002, 1_003]);
  at(5_000);
  store.add([{ title: "c", text: "" }]);
  assert.equal(store.revision, 5_000);
});

test("a change by an older revision is refused and changes nothing", () => {
  const { store } = makeStore();
  const [note] = store.add([{ title: "a", text: "one" }]);
  const id = String(note?.id);
  const changed = store.update(id, { text: "two" }, note?.revision);
  assert.throws(() => store.update(id, { text: "three" }, note?.revision), {
    code: "INVALID_INPUT",
    data: { revision: changed.revision },
  });
  assert.equal(store.read(id).text, "two");
});

test("a note that is not there cannot be read, changed or deleted", () => {
  const { store } = makeStore();
  assert.throws(() => store.read("1"), { code: "INVALID_INPUT" });
  assert.throws(() => store.update("1", {}), { code: "INVALID_INPUT" });
  assert.throws(() => store.delete("1"), { code: "INVALID_INPUT" });
});

test("notes are added all or none where there is no room for all", () => {
  const { store } = makeStore();
  const { maxNotes, maxTextChars, maxChars } = NOTE_LIMITS;
  store.add(Array.from({ length: maxNotes - 1 }, () => ({ title: "", text: "" })));
  const { revision } = store;
  const two = [1, 2].map(() => ({ title: "", text: "" }));
  assert.throws(() => store.add(two), { code: "TOO_LARGE" });
  assert.equal(store.size, maxNotes - 1);
  assert.equal(store.revision, revision);
  store.add(two.slice(1));
  assert.throws(() => store.add(two.slice(1)), { code: "TOO_LARGE" });

  const full = makeStore().store;
  const text = "x".repeat(maxTextChars);
  full.add(Array.from({ length: maxChars / maxTextChars }, () => ({ title: "", text })));
  assert.throws(() => full.update("1", { title: "y" }), { code: "TOO_LARGE" });
  full.update("1", { title: "y", text: text.slice(1) });
  full.delete("2");
  full.add([{ title: "", text }]);
});

test("what is given out is a copy", () => {
  const { store } = makeStore();
  const [note] = store.add([{ title: "a", text: "" }]);
  /** @type {any} */ (note).title = "changed";
  store.read("1").title = "changed";
  assert.equal(store.read("1").title, "a");
});
