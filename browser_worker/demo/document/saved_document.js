// @ts-check
/**
 * Keeps a document in a storage of strings, over reloads and beside other tabs. It loses nothing:
 * damaged data is put aside, newer data is left alone, and what another tab saved meanwhile is
 * only replaced when a person says so.
 */

import { Paragraph } from "./paragraph.js";
import { ALL_MARKS, PARAGRAPH_STYLES } from "./paragraph_styles.js";
import { cleanText } from "./text_offsets.js";

/** @import { DocumentState } from "./text_document.js" */

/** @typedef {Pick<Storage, "getItem" | "setItem">} StringStorage */

/**
 * What was found: a document, nothing, or why there is none.
 *
 * @typedef {{ kind: "found", document: DocumentState } | { kind: "none" | "damaged" | "newer" | "unavailable" }} Loaded
 */

/** @typedef {"saved" | "conflict" | "newer" | "failed"} SaveOutcome */

const VERSION = 1;

export const STORAGE_KEY = "bascule-write.document";
export const DAMAGED_KEY = "bascule-write.damaged";

/** One document's place in a storage. */
export class SavedDocument {
  /**
   * @param {() => StringStorage} storage May throw: a browser can forbid it.
   * @param {() => string} newStamp Makes a text that no other tab makes.
   */
  constructor(storage, newStamp) {
    this._storage = storage;
    this._newStamp = newStamp;
    /** What this tab saved or loaded last. @type {string | null} */
    this._stamp = null;
  }

  /** @returns {Loaded} */
  load() {
    try {
      return this.take(this._storage().getItem(STORAGE_KEY));
    } catch {
      return { kind: "unavailable" };
    }
  }

  /**
   * Loads what is known to be stored by now: an event can be ahead of what the storage itself shows.
   *
   * @param {string | null} raw
   * @returns {Loaded}
   */
  take(raw) {
    const read = readSaved(raw);
    if (read.kind === "damaged" && raw !== null) this._putAside(raw);
    if (read.kind !== "found") {
      this._stamp = read.kind === "newer" ? this._stamp : null;
      return { kind: read.kind };
    }
    this._stamp = read.stamp;
    return { kind: "found", document: read.document };
  }

  /**
   * @param {DocumentState} document
   * @param {{ force?: boolean }} [how] Replaces what another tab saved.
   * @returns {SaveOutcome}
   */
  save(document, { force = false } = {}) {
    try {
      const storage = this._storage();
      const there = readSaved(storage.getItem(STORAGE_KEY));
      if (there.kind === "newer") return "newer";
      if (!force && there.kind === "found" && there.stamp !== this._stamp) return "conflict";
      const stamp = this._newStamp();
      storage.setItem(STORAGE_KEY, written(document, stamp));
      this._stamp = stamp;
      return "saved";
    } catch {
      return "failed";
    }
  }

  /**
   * Whether a stored text is of another tab.
   *
   * @param {string | null} raw
   */
  isForeign(raw) {
    const read = readSaved(raw);
    return read.kind === "found" && read.stamp !== this._stamp;
  }

  /** @param {string} raw */
  _putAside(raw) {
    try {
      this._storage().setItem(DAMAGED_KEY, raw);
    } catch {
      // There is no room: what can be read of it is in its own place until the next save.
    }
  }
}

/**
 * @param {DocumentState} document
 * @param {string} stamp
 */
function written({ title, paragraphs }, stamp) {
  return JSON.stringify({
    version: VERSION,
    stamp,
    title,
    paragraphs: paragraphs.map(({ style, runs }) => [
      style,
      runs.map((run) => [run.text, run.marks]),
    ]),
  });
}

/**
 * @param {string | null} raw
 * @returns {{ kind: "found", document: DocumentState, stamp: string } | { kind: "none" | "damaged" | "newer" }}
 */
function readSaved(raw) {
  if (raw === null) return { kind: "none" };
  try {
    const { version, stamp, title, paragraphs } = JSON.parse(raw);
    if (Number.isInteger(version) && version > VERSION) return { kind: "newer" };
    if (version !== VERSION || typeof stamp !== "string" || typeof title !== "string") {
      return { kind: "damaged" };
    }
    return { kind: "found", stamp, document: { title, paragraphs: paragraphs.map(readParagraph) } };
  } catch {
    return { kind: "damaged" };
  }
}

/**
 * @param {unknown} saved
 * @returns {Paragraph}
 * @throws {TypeError}
 */
function readParagraph(saved) {
  if (!Array.isArray(saved) || !PARAGRAPH_STYLES.has(saved[0]) || !Array.isArray(saved[1])) {
    throw new TypeError("not a paragraph");
  }
  const runs = saved[1].map((run) => {
    const [text, marks] = Array.isArray(run) ? run : [];
    const fits =
      typeof text === "string" &&
      !text.includes("\n") &&
      cleanText(text) === text &&
      Number.isInteger(marks) &&
      marks >= 0 &&
      marks <= ALL_MARKS;
    if (!fits) throw new TypeError("not a run");
    return { text, marks };
  });
  return new Paragraph(saved[0], runs);
}
