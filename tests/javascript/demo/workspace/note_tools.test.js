// @ts-check
import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { NoteStore } from "../../../../browser_worker/demo/workspace/apps/notes/note_store.js";
import { exposeNotes } from "../../../../browser_worker/demo/workspace/apps/notes/note_tools.js";
import { NotesClient } from "../../../../browser_worker/demo/workspace/apps/notes/notes_client.js";
import { createMemoryKernel } from "../../../../browser_worker/testing/memory_kernel.js";

const TARGET = "app:notes:background";

/** @type {(() => void)[]} */
const cleanUp = [];
afterEach(() => {
  for (const clean of cleanUp.splice(0)) clean();
});

/** @param {{ pause?: () => Promise<void> }} [options] */
function makeNotes({ pause = async () => {} } = {}) {
  const memory = createMemoryKernel();
  cleanUp.push(() => memory.close());
  const store = new NoteStore(() => 1_000);
  const { runtime } = memory.connect("notes");
  exposeNotes(runtime, store, pause);
  const call = async (/** @type {string} */ name, /** @type {any} */ given, options = {}) =>
    (await memory.kernel.call({ target: TARGET, name, arguments: given, ...options })).result;
  return { ...memory, memory, kernel: memory.kernel, store, call };
}

test("a note is added, found, read, changed and deleted by the tools", async () => {
  const { call } = makeNotes();
  const { note } = /** @type {any} */ (await call("notes_add", { title: "Roadmap", text: "ship" }));
  const found = /** @type {any} */ (await call("notes_search", { query: "roadmap" }));
  assert.deepEqual(
    found.matches.map((/** @type {any} */ match) => match.id),
    [note.id],
  );
  assert.deepEqual(await call("notes_read", { id: note.id }), { note });
  const changed = /** @type {any} */ (
    await call("notes_update", { id: note.id, text: "sail", revision: note.revision })
  );
  assert.equal(changed.note.text, "sail");
  await assert.rejects(
    call("notes_update", { id: note.id, text: "sink", revision: note.revision }),
    { code: "INVALID_INPUT" },
  );
  assert.deepEqual(await call("notes_delete", { id: note.id }), { deleted: note.id });
  await assert.rejects(call("notes_read", { id: note.id }), { code: "INVALID_INPUT" });
});

test("tools that change nothing say so, and those that delete do not", async () => {
  const { kernel } = makeNotes();
  const tools = await kernel.listTools(TARGET);
  const reading = tools.filter(({ annotations }) => annotations?.["readOnlyHint"] === true);
  assert.deepEqual(
    reading.map(({ name }) => name),
    ["notes_search", "notes_read"],
  );
  assert.equal(tools.length, 6);
  const destructive = tools.filter(({ annotations }) => annotations?.["destructiveHint"] === true);
  assert.deepEqual(
    destructive.map(({ name }) => name),
    ["notes_update", "notes_delete"],
  );
});

test("an import tells how far it is and ends with one change", async () => {
  const { call, kernel, store } = makeNotes();
  const notes = Array.from({ length: 120 }, (_, at) => ({ title: `Note ${at}` }));
  /** @type {any[]} */
  const progress = [];
  const result = await call(
    "notes_import",
    { notes },
    { onProgress: (/** @type {any} */ value) => progress.push(value) },
  );
  assert.deepEqual(result, { imported: 120 });
  assert.deepEqual(
    progress.map(({ completed }) => completed),
    [50, 100, 120],
  );
  assert.equal(store.size, 120);
  assert.equal(store.revision, 1_001);
  assert.equal(kernel.revision("notes", "state"), 1_001);
});

test("a cancelled import adds nothing", async () => {
  /** @type {() => void} */
  let resume = () => {};
  const { call, store } = makeNotes({
    pause: () => new Promise((resolve) => (resume = resolve)),
  });
  const stop = new AbortController();
  const begun = new Promise((resolve) => {
    const notes = Array.from({ length: 60 }, () => ({ title: "x" }));
    const options = { signal: stop.signal, onProgress: () => resolve(undefined) };
    assert.rejects(call("notes_import", { notes }, options), { code: "CANCELLED" });
  });
  await begun;
  stop.abort();
  // Its word to the app goes by the same port as this, and comes before it.
  await call("notes_search", { query: "" });
  resume();
  await call("notes_search", { query: "" });
  assert.equal(store.size, 0);
});

test("every change is published under both topics, and the first state too", async () => {
  const { memory, kernel, call } = makeNotes();
  const { runtime: tile } = memory.connect("notes", "tile");
  /** @type {number[]} */
  const heard = [];
  tile.onAppStateChange("notes", ({ revision }) => heard.push(revision));
  await call("notes_add", { title: "a" });
  const topics = () => ["notes", "state"].map((topic) => kernel.revision("notes", topic));
  await call("notes_search", { query: "" });
  assert.deepEqual(topics(), [1_001, 1_001]);
  await tile.listEndpoints();
  assert.ok(heard.includes(1_001));
});

test("a tile that starts before its background waits for it", async () => {
  const memory = createMemoryKernel();
  cleanUp.push(() => memory.close());
  const { runtime: tile } = memory.connect("notes", "tile");
  let waited = 0;
  const client = new NotesClient(
    (call, options) => tile.callTool(call, options),
    async () => {
      waited += 1;
      if (waited === 1) {
        exposeNotes(memory.connect("notes").runtime, new NoteStore(() => 1), async () => {});
      }
    },
  );
  assert.deepEqual(await client.search(""), { matches: [], total: 0, revision: 1 });
  assert.ok(waited >= 1);
});

test("a call that may have been run is not made twice", async () => {
  let calls = 0;
  const client = new NotesClient(
    async () => {
      calls += 1;
      throw Object.assign(new Error("gone"), { code: "ENDPOINT_GONE" });
    },
    async () => {},
  );
  await assert.rejects(client.add({ title: "a", text: "" }), { code: "ENDPOINT_GONE" });
  assert.equal(calls, 1);
});
