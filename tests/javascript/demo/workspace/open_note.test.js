// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import { NoteStore } from "../../../../browser_worker/demo/workspace/apps/notes/note_store.js";
import { OpenNote } from "../../../../browser_worker/demo/workspace/apps/notes/open_note.js";

function makeOpen() {
  const store = new NoteStore(() => 1_000);
  const [note] = store.add([{ title: "Title", text: "one" }]);
  /** What an update waits for before it is made. */
  let gate = Promise.resolve();
  let broken = false;
  /** @type {string[]} */
  const states = [];
  const open = new OpenNote(
    /** @type {any} */ (note),
    {
      read: async (id) => store.read(id),
      update: async (id, draft, revision) => {
        await gate;
        if (broken) throw Object.assign(new Error("no port"), { code: "ENDPOINT_GONE" });
        return store.update(id, draft, revision);
      },
    },
    () => states.push(open.state),
  );
  return {
    store,
    open,
    states,
    type: (/** @type {string} */ text) => open.edit({ title: "Title", text }),
    hold: () => {
      /** @type {() => void} */
      let release = () => {};
      gate = new Promise((resolve) => (release = () => resolve()));
      return () => release();
    },
    setBroken: (/** @type {boolean} */ value) => (broken = value),
  };
}

test("what is typed is saved", async () => {
  const { store, open, type, states } = makeOpen();
  type("two");
  await open.save();
  assert.equal(store.read("1").text, "two");
  assert.deepEqual(states, ["editing", "saving", "saved"]);
});

test("what is typed while it is saved is saved too", async () => {
  const { store, open, type, hold } = makeOpen();
  const release = hold();
  type("two");
  const saved = open.save();
  type("three");
  release();
  await saved;
  assert.equal(store.read("1").text, "three");
  assert.equal(open.state, "saved");
});

test("a change from elsewhere is shown where nothing was typed", async () => {
  const { store, open } = makeOpen();
  store.update("1", { text: "theirs" });
  await open.refresh();
  assert.equal(open.draft.text, "theirs");
  assert.equal(open.state, "saved");
});

test("a change from elsewhere never replaces what was typed, nor the other way round", async () => {
  const { store, open, type } = makeOpen();
  type("mine");
  store.update("1", { text: "theirs" });
  await open.refresh();
  assert.equal(open.state, "conflict");
  await open.save();
  assert.equal(store.read("1").text, "theirs");
  assert.equal(open.draft.text, "mine");
  await open.keepMine();
  assert.equal(store.read("1").text, "mine");
  assert.equal(open.state, "saved");
});

test("a conflict is found by saving, too, and theirs can be taken", async () => {
  const { store, open, type } = makeOpen();
  type("mine");
  store.update("1", { text: "theirs" });
  await open.save();
  assert.equal(open.state, "conflict");
  await open.takeTheirs();
  assert.equal(open.draft.text, "theirs");
  assert.equal(open.state, "saved");
});

test("its own saving is no change from elsewhere", async () => {
  const { open, type, states } = makeOpen();
  type("two");
  await open.save();
  await open.refresh();
  type("three");
  await open.refresh();
  assert.equal(open.state, "editing");
  assert.ok(!states.includes("conflict"));
});

test("a note that was deleted elsewhere says so and is not saved again", async () => {
  const { store, open, type } = makeOpen();
  type("mine");
  store.delete("1");
  await open.save();
  assert.equal(open.state, "deleted");
  await open.save();
  await open.refresh();
  assert.equal(store.size, 0);
});

test("what could not be saved is kept and saved at the next try", async () => {
  const { store, open, type, setBroken } = makeOpen();
  setBroken(true);
  type("two");
  await open.save();
  assert.equal(open.state, "failed");
  assert.equal(open.draft.text, "two");
  setBroken(false);
  await open.save();
  assert.equal(store.read("1").text, "two");
});
