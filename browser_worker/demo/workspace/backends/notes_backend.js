// @ts-check
/**
 * The backend of the notes: keeps them in the page's own storage, which the app's frames do not have, so that
 * they outlive a lock and a reload. Two workspaces of one browser share it; who saves a note last, wins.
 */

import { isWellFormed } from "../../../contract/utf8.js";
import { LocalCanister } from "../../../kernel/canister/local_canister.js";
import { NOTES_DID } from "./notes_did.js";

/**
 * @typedef {object} KeptNote As its interface has it.
 * @property {bigint} id
 * @property {string} title
 * @property {string} text
 * @property {bigint} revision
 * @property {bigint} changed_at
 */

/** @typedef {Pick<Storage, "getItem" | "setItem" | "removeItem" | "key" | "length">} NoteStorage */

const PREFIX = "bascule-workspace.note.";
/** That there are notes, or have been. */
const BEGUN = "bascule-workspace.notes";
/** A character can be six bytes of JSON: this many fit one answer whatever they are. */
const MAX_PAGE_CHARS = 150_000;
const MAX_PAGE_NOTES = 500;
/** Numbers from here on are not safe to count on from. */
const NUMBER = /^\d{1,15}$/;

/**
 * @param {() => NoteStorage} storage Reading it may throw; then the backend fails.
 * @returns {LocalCanister}
 */
export function notesBackend(storage) {
  return new LocalCanister({
    candid: NOTES_DID,
    methods: {
      list: ([after]) => list(storage(), after[0] ?? -1n),
      save: ([notes]) => save(storage(), notes),
      remove: ([ids]) => {
        for (const id of ids) storage().removeItem(`${PREFIX}${id}`);
      },
    },
  });
}

/**
 * @param {NoteStorage} storage
 * @param {bigint} after
 */
function list(storage, after) {
  if (storage.getItem(BEGUN) === null) return { fresh: null };
  /** @type {KeptNote[]} */
  const notes = [];
  let chars = 0;
  for (const id of idsOf(storage)) {
    if (id <= after) continue;
    const note = read(storage, id);
    if (note === null) continue;
    chars += note.title.length + note.text.length;
    const last = notes.at(-1);
    if (last !== undefined && (chars > MAX_PAGE_CHARS || notes.length >= MAX_PAGE_NOTES)) {
      return { page: { notes, next: [last.id] } };
    }
    notes.push(note);
  }
  return { page: { notes, next: [] } };
}

/**
 * @param {NoteStorage} storage
 * @param {readonly KeptNote[]} notes
 */
function save(storage, notes) {
  try {
    storage.setItem(BEGUN, "1");
    for (const { id, title, text, revision, changed_at: changedAt } of notes) {
      const kept = { title, text, revision: `${revision}`, changedAt: `${changedAt}` };
      storage.setItem(`${PREFIX}${id}`, JSON.stringify(kept));
    }
    return { ok: null };
  } catch {
    return { full: null };
  }
}

/** @param {NoteStorage} storage */
function idsOf(storage) {
  /** @type {bigint[]} */
  const ids = [];
  for (let at = 0; at < storage.length; at += 1) {
    const digits = storage.key(at)?.startsWith(PREFIX)
      ? storage.key(at)?.slice(PREFIX.length)
      : undefined;
    if (digits !== undefined && NUMBER.test(digits)) ids.push(BigInt(digits));
  }
  return ids.sort((one, other) => (one < other ? -1 : 1));
}

/**
 * @param {NoteStorage} storage
 * @param {bigint} id
 * @returns {KeptNote | null} Null for one that another has written, or cut short: it would keep all the others
 *   from being read.
 */
function read(storage, id) {
  try {
    const { title, text, revision, changedAt } = JSON.parse(
      storage.getItem(`${PREFIX}${id}`) ?? "",
    );
    if (!isText(title) || !isText(text) || title.length + text.length > MAX_PAGE_CHARS) return null;
    if (!NUMBER.test(revision) || !NUMBER.test(changedAt)) return null;
    return { id, title, text, revision: BigInt(revision), changed_at: BigInt(changedAt) };
  } catch {
    return null;
  }
}

/** @param {unknown} value @returns {value is string} */
function isText(value) {
  return typeof value === "string" && isWellFormed(value);
}
