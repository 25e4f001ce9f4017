// @ts-check
/** The notes' backend as the app reaches it: by the kernel, through its interface. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { privateActions } from "../../../../../browser_worker/app/private_actions.js";
import { BusError } from "../../../../../browser_worker/contract/bus_error.js";
import {
  keepNotes,
  loadNotes,
} from "../../../../../browser_worker/demo/workspace/apps/notes/kept_notes.js";
import {
  NOTE_LIMITS,
  NoteStore,
} from "../../../../../browser_worker/demo/workspace/apps/notes/note_store.js";
import { notesBackend } from "../../../../../browser_worker/demo/workspace/backends/notes_backend.js";
import { prepare } from "../../../../../browser_worker/kernel/canister/canister_run.js";
import { InstalledCanisters } from "../../../../../browser_worker/kernel/canister/installed_canisters.js";

/** A browser's storage, of so many characters. @param {number} [room] */
function storageOf(room = Infinity) {
  /** @type {Map<string, string>} */
  const kept = new Map();
  return {
    kept,
    get length() {
      return kept.size;
    },
    key: (/** @type {number} */ at) => [...kept.keys()][at] ?? null,
    getItem: (/** @type {string} */ key) => kept.get(key) ?? null,
    setItem: (/** @type {string} */ key, /** @type {string} */ value) => {
      const used = [...kept].reduce((sum, [each, text]) => sum + each.length + text.length, 0);
      if (used + key.length + value.length > room) throw new Error("QuotaExceededError");
      kept.set(key, value);
    },
    removeItem: (/** @type {string} */ key) => void kept.delete(key),
  };
}

/**
 * What the app's background does, over a backend that checks what goes in and comes out.
 *
 * @param {ReturnType<typeof storageOf>} storage
 */
function appOver(storage) {
  const installed = new InstalledCanisters(() => "1");
  installed.install(
    "notes",
    notesBackend(() => storage),
  );
  /** @type {{ action: string, bytes: number }[]} */
  const asked = [];
  const { canister } = privateActions(async (action, /** @type {any} */ payload) => {
    asked.push({ action, bytes: Buffer.byteLength(JSON.stringify(payload)) });
    const found = await installed.method("notes", payload.method);
    const answer = await prepare(found, payload.arguments, undefined).run([]);
    return { ok: answer.result, attachment: undefined };
  });
  return { canister, asked };
}

/** @param {ReturnType<typeof storageOf>} storage @param {number} [at] When it starts. */
async function start(storage, at = 1_000) {
  const { canister, asked } = appOver(storage);
  const { fresh, notes } = await loadNotes(canister);
  const store = new NoteStore(() => at, { notes, lastId: at });
  /** @type {unknown[]} */
  const failures = [];
  const { saved } = keepNotes(canister, store, notes, (error) => failures.push(error));
  return { store, fresh, saved, failures, asked };
}

test("notes that were added, changed and deleted are there again after a new start", async () => {
  const storage = storageOf();
  const first = await start(storage);
  assert.equal(first.fresh, true);
  const [kept, gone] = first.store.add([
    { title: "Kept", text: "with \u2028 and 😀" },
    { title: "Gone", text: "" },
  ]);
  await first.saved();
  first.store.update(String(kept?.id), { title: "Kept on" });
  first.store.delete(String(gone?.id));
  await first.saved();
  const second = await start(storage, 2_000);
  assert.equal(second.fresh, false);
  assert.deepEqual(second.store.all(), first.store.all());
  assert.deepEqual(
    second.store.all().map(({ title }) => title),
    ["Kept on"],
  );
  assert.ok(second.store.revision > first.store.revision);
});

test("when the last note was deleted, the next start has none: it is not as new", async () => {
  const storage = storageOf();
  const first = await start(storage);
  const [note] = first.store.add([{ title: "Only", text: "" }]);
  await first.saved();
  first.store.delete(String(note?.id));
  await first.saved();
  const second = await start(storage, 2_000);
  assert.equal(second.fresh, false);
  assert.deepEqual(second.store.all(), []);
});

test("a start that changes nothing saves nothing", async () => {
  const storage = storageOf();
  const first = await start(storage);
  first.store.add([{ title: "One", text: "" }]);
  await first.saved();
  const second = await start(storage, 2_000);
  await second.saved();
  assert.deepEqual(
    second.asked.map(({ action }) => action),
    ["canister.query_self"],
  );
});

test("two workspaces of one browser give their notes ids of their own", async () => {
  const storage = storageOf();
  const one = await start(storage, 1_000);
  const other = await start(storage, 5_000);
  one.store.add([{ title: "One", text: "" }]);
  other.store.add([{ title: "Other", text: "" }]);
  await Promise.all([one.saved(), other.saved()]);
  const third = await start(storage, 9_000);
  assert.deepEqual(
    third.store
      .all()
      .map(({ title }) => title)
      .sort(),
    ["One", "Other"],
  );
});

test("as many characters as there may be are loaded and saved in parts that fit a message", async () => {
  const storage = storageOf();
  const first = await start(storage);
  const text = "\u0001".repeat(NOTE_LIMITS.maxTextChars);
  first.store.add(Array.from({ length: 30 }, (_, at) => ({ title: `${at}`, text })));
  first.store.add(Array.from({ length: 1_200 }, () => ({ title: "", text: "" })));
  await first.saved();
  assert.deepEqual(first.failures, []);
  const second = await start(storage, 2_000);
  assert.deepEqual(second.store.all(), first.store.all());
  for (const { bytes } of [...first.asked, ...second.asked]) assert.ok(bytes < 1_048_576);
  assert.ok(second.asked.length > 5);
});

test("a full browser is told, and what fits later is saved by the next change", async () => {
  const storage = storageOf(2_000);
  const { store, saved, failures } = await start(storage);
  const [large] = store.add([{ title: "Large", text: "x".repeat(3_000) }]);
  await saved();
  assert.equal(failures.length, 1);
  store.update(String(large?.id), { text: "small" });
  await saved();
  assert.equal(failures.length, 1);
  assert.deepEqual((await start(storage, 2_000)).store.all(), store.all());
});

test("what another has written among the notes is passed over", async () => {
  const storage = storageOf();
  const first = await start(storage);
  first.store.add([{ title: "Sound", text: "" }]);
  await first.saved();
  const note = { title: "Other", text: "", revision: "1", changedAt: "1" };
  for (const [id, wrong] of [
    ["1", { revision: "-1" }],
    ["2", { revision: "9".repeat(30) }],
    ["3", { changedAt: "0x1" }],
    ["4", { title: "half a character \ud83d" }],
    ["5", { text: "x".repeat(2_000_000) }],
  ]) {
    storage.kept.set(`bascule-workspace.note.${id}`, JSON.stringify({ ...note, ...Object(wrong) }));
  }
  for (const [key, value] of [
    ["bascule-workspace.note.7", "{"],
    ["bascule-workspace.note.8", '{"title": 1}'],
    ["bascule-workspace.note.x", "{}"],
    ["bascule-workspace.tiles", "[]"],
  ]) {
    storage.kept.set(String(key), String(value));
  }
  assert.deepEqual((await start(storage, 2_000)).store.all(), first.store.all());
});

test("without a backend notes are in memory; with one that fails nobody goes on without it", async () => {
  /** @param {any} code */
  const failing = (code) =>
    privateActions(async () => {
      throw new BusError(code, "no");
    }).canister;
  for (const code of ["UNKNOWN_ACTION", "UNKNOWN_ENDPOINT"]) {
    assert.deepEqual(await loadNotes(failing(code)), { kept: false, fresh: true, notes: [] });
  }
  await assert.rejects(loadNotes(failing("TIMEOUT")), { code: "TIMEOUT" });
});
