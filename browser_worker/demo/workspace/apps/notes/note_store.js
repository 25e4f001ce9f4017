// @ts-check
/** The notes, in memory: found, read, added, changed, deleted. Knows no bus, no page and no backend. */

import { BusError } from "../../../../contract/bus_error.js";
import { whole } from "../../../page/whole_text.js";

/**
 * @typedef {object} Note
 * @property {string} id
 * @property {string} title
 * @property {string} text
 * @property {number} revision Of the store, when the note was last changed.
 * @property {number} changedAt Unix milliseconds.
 */

/**
 * @typedef {object} Match
 * @property {string} id
 * @property {string} title
 * @property {string} excerpt
 * @property {number} revision
 * @property {number} changedAt
 */

/** @typedef {{ title: string, text: string }} Draft */

export const NOTE_LIMITS = Object.freeze({
  maxNotes: 5_000,
  maxTitleChars: 200,
  maxTextChars: 20_000,
  maxChars: 4_000_000,
  maxImport: 2_000,
  maxMatches: 100,
});

const EXCERPT_CHARS = 120;
const BEFORE_CHARS = 30;

export class NoteStore {
  /**
   * @param {() => number} now Unix milliseconds.
   * @param {{ notes?: readonly Note[], lastId?: number }} [before] What there was, and the id after which
   *   new ones begin.
   */
  constructor(now, { notes = [], lastId = 0 } = {}) {
    this._now = now;
    /** @type {Map<string, Note>} */
    this._notes = new Map(notes.map((note) => [note.id, { ...note }]));
    this._count = notes.reduce((most, { id }) => Math.max(most, Number(id)), lastId);
    this._chars = notes.reduce((sum, note) => sum + charsOf(note), 0);
    // Notes may be lost when the app starts anew, and its revisions go on all the same.
    this._revision = notes.reduce((most, { revision }) => Math.max(most, revision), now());
    /** @type {Set<() => void>} */
    this._observers = new Set();
  }

  /** Rises with each change. */
  get revision() {
    return this._revision;
  }

  get size() {
    return this._notes.size;
  }

  /**
   * @param {() => void} observer Told after each change.
   * @returns {() => void} Ends the watching.
   */
  onChange(observer) {
    this._observers.add(observer);
    return () => void this._observers.delete(observer);
  }

  /** @returns {Note[]} Copies of all of them. */
  all() {
    return [...this._notes.values()].map((note) => ({ ...note }));
  }

  /**
   * The notes that have every word of a query, the last changed first.
   *
   * @param {string} query Without words: all of them.
   * @param {number} limit
   * @returns {{ matches: Match[], total: number, revision: number }}
   */
  search(query, limit) {
    const words = query.toLowerCase().split(/\s+/u).filter(Boolean);
    const found = [...this._notes.values()].filter(({ title, text }) => {
      const all = `${title}\n${text}`.toLowerCase();
      return words.every((word) => all.includes(word));
    });
    found.sort((one, other) => other.revision - one.revision || Number(other.id) - Number(one.id));
    return {
      matches: found.slice(0, limit).map(({ text, ...note }) => ({
        ...note,
        excerpt: excerptOf(text, words),
      })),
      total: found.length,
      revision: this._revision,
    };
  }

  /**
   * @param {string} id
   * @returns {Note}
   * @throws {BusError} `INVALID_INPUT` where there is none.
   */
  read(id) {
    const note = this._notes.get(id);
    if (note === undefined) throw new BusError("INVALID_INPUT", "There is no such note.");
    return { ...note };
  }

  /**
   * @param {readonly Draft[]} drafts All of them, or where they do not fit none.
   * @returns {Note[]}
   * @throws {BusError} `TOO_LARGE`
   */
  add(drafts) {
    const chars = drafts.reduce((sum, draft) => sum + charsOf(draft), 0);
    this._requireRoom(drafts.length, chars);
    this._chars += chars;
    const revision = this._next();
    const notes = drafts.map(({ title, text }) => {
      const note = {
        id: `${++this._count}`,
        ...kept({ title, text }),
        revision,
        changedAt: this._now(),
      };
      this._notes.set(note.id, note);
      return { ...note };
    });
    this._tell();
    return notes;
  }

  /**
   * @param {string} id
   * @param {Partial<Draft>} change
   * @param {number} [expected] The revision that the note has, as far as whoever changes it knows.
   * @returns {Note}
   * @throws {BusError} `INVALID_INPUT` where there is none, or it has another revision; `TOO_LARGE`.
   */
  update(id, { title, text }, expected = undefined) {
    const note = this.read(id);
    if (expected !== undefined && expected !== note.revision) {
      throw new BusError("INVALID_INPUT", "The note has changed meanwhile: read it again.", {
        data: { revision: note.revision },
      });
    }
    const changed = {
      ...note,
      ...kept({ title: title ?? note.title, text: text ?? note.text }),
    };
    const more = charsOf(changed) - charsOf(note);
    this._requireRoom(0, more);
    this._chars += more;
    changed.revision = this._next();
    changed.changedAt = this._now();
    this._notes.set(id, changed);
    this._tell();
    return { ...changed };
  }

  /**
   * @param {string} id
   * @throws {BusError} `INVALID_INPUT` where there is none.
   */
  delete(id) {
    this._chars -= charsOf(this.read(id));
    this._notes.delete(id);
    this._next();
    this._tell();
  }

  /**
   * @param {number} notes
   * @param {number} chars
   */
  _requireRoom(notes, chars) {
    const { maxNotes, maxChars } = NOTE_LIMITS;
    if (this._notes.size + notes <= maxNotes && (chars <= 0 || this._chars + chars <= maxChars))
      return;
    const most = `${maxNotes} notes of ${maxChars} characters in all`;
    throw new BusError("TOO_LARGE", `There is room for ${most}; nothing was changed.`);
  }

  _next() {
    this._revision = Math.max(this._revision + 1, this._now());
    return this._revision;
  }

  _tell() {
    for (const observer of [...this._observers]) observer();
  }
}

/** @param {Draft} draft */
function charsOf({ title, text }) {
  return title.length + text.length;
}

/**
 * @param {string} text
 * @param {readonly string[]} words
 */
function excerptOf(text, words) {
  const plain = text.replace(/\s+/gu, " ").trim();
  const lower = plain.toLowerCase();
  const at = Math.min(...words.map((word) => lower.indexOf(word)).filter((found) => found >= 0));
  const from = Number.isFinite(at) && at > BEFORE_CHARS ? at - BEFORE_CHARS : 0;
  // By characters: half of one is not to be sent.
  const part = Array.from(plain.slice(from, from + 2 * EXCERPT_CHARS)).slice(0, EXCERPT_CHARS);
  const cut = part.join("").replace(/^[\uDC00-\uDFFF]/u, "");
  return `${from > 0 ? "…" : ""}${cut}${from + cut.length < plain.length ? "…" : ""}`;
}

/** One note that cannot be kept would keep all of them from it. @param {Draft} draft @returns {Draft} */
function kept({ title, text }) {
  return { title: whole(title), text: whole(text) };
}
