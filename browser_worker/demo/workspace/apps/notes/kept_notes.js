// @ts-check
/**
 * The notes in the app's backend: loaded when the app starts, and saved after each change, one call at a time.
 * Without a backend they are in memory only, as long as the workspace is open.
 */

import { NOTE_LIMITS } from "./note_store.js";

/** @import { PrivateActions } from "../../../../app/private_actions.js" */
/** @import { Note, NoteStore } from "./note_store.js" */

/** @typedef {PrivateActions["canister"]} Backend */

/**
 * @typedef {object} Loaded
 * @property {boolean} kept Whether there is a backend to save to.
 * @property {boolean} fresh Whether nothing was ever kept.
 * @property {Note[]} notes
 */

/** As a page of the backend: a call carries them whatever their characters are. */
const MAX_BATCH_CHARS = 150_000;
const MAX_BATCH_NOTES = 500;
/** Of a workspace without backends, and of one that has none for this app. */
const NO_BACKEND = new Set(["UNKNOWN_ACTION", "UNKNOWN_ENDPOINT"]);

/**
 * @param {Backend} backend
 * @returns {Promise<Loaded>} Rejects where there is a backend that fails: whoever went on without it would
 *   write notes that are not kept, beside ones that nobody sees.
 */
export async function loadNotes(backend) {
  /** @type {Note[]} */
  const notes = [];
  try {
    for (let after = null; ;) {
      const { result } = await backend.querySelf({ method: "list", arguments: { after } });
      const { page } = /** @type {any} */ (result);
      if (page === undefined) return { kept: true, fresh: true, notes: [] };
      notes.push(...page.notes.map(noteOf));
      after = page.next;
      if (after === null) return { kept: true, fresh: false, notes };
      if (notes.length > NOTE_LIMITS.maxNotes) throw new Error("there are too many notes");
    }
  } catch (error) {
    const { code } = /** @type {{ code?: string }} */ (error);
    if (NO_BACKEND.has(code ?? "")) return { kept: false, fresh: true, notes: [] };
    throw error;
  }
}

/**
 * Saves each change from now on.
 *
 * @param {Backend} backend
 * @param {NoteStore} store
 * @param {readonly Note[]} kept What the backend has.
 * @param {(error: unknown) => void} failed Told where something was not saved. The next change tries again.
 * @param {() => void} [succeeded] Told when all of it is.
 * @returns {{ saved: () => Promise<void> }} Resolves when nothing is left to save, or it failed.
 */
export function keepNotes(backend, store, kept, failed, succeeded = () => {}) {
  /** @type {Map<string, number>} */
  const revisions = new Map(kept.map(({ id, revision }) => [id, revision]));
  /** @type {Promise<void> | null} */
  let saving = null;
  let changed = false;
  const save = async () => {
    while (changed) {
      changed = false;
      const notes = store.all();
      for (const batch of batchesOf(
        notes.filter(({ id, revision }) => revisions.get(id) !== revision),
      )) {
        const { result } = await backend.updateSelf({
          method: "save",
          arguments: { notes: batch.map(keptOf) },
        });
        if ("full" in /** @type {any} */ (result)) throw new Error("the backend is full");
        for (const { id, revision } of batch) revisions.set(id, revision);
      }
      const left = new Set(notes.map(({ id }) => id));
      const gone = [...revisions.keys()].filter((id) => !left.has(id));
      if (gone.length > 0) {
        await backend.updateSelf({ method: "remove", arguments: { ids: gone } });
        for (const id of gone) revisions.delete(id);
      }
    }
  };
  const begin = () => {
    changed = true;
    saving ??= save()
      .then(succeeded, failed)
      .finally(() => {
        saving = null;
        // One more may have come when all that was known was saved.
        if (changed) begin();
      });
  };
  store.onChange(begin);
  begin();
  return {
    saved: async () => {
      while (saving !== null) await saving;
    },
  };
}

/** @param {readonly Note[]} notes */
function* batchesOf(notes) {
  /** @type {Note[]} */
  let batch = [];
  let chars = 0;
  for (const note of notes) {
    const more = note.title.length + note.text.length;
    if (batch.length > 0 && (chars + more > MAX_BATCH_CHARS || batch.length >= MAX_BATCH_NOTES)) {
      yield batch;
      batch = [];
      chars = 0;
    }
    batch.push(note);
    chars += more;
  }
  if (batch.length > 0) yield batch;
}

/** @param {any} kept @returns {Note} */
function noteOf({ id, title, text, revision, changed_at: changedAt }) {
  return { id, title, text, revision: Number(revision), changedAt: Number(changedAt) };
}

/** @param {Note} note */
function keptOf({ id, title, text, revision, changedAt }) {
  return { id, title, text, revision: `${revision}`, changed_at: `${changedAt}` };
}
