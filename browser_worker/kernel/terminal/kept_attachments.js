// @ts-check
/**
 * Attachments that tools gave to terminals: the newest, in memory, until they are read in parts. What
 * the bus carries as one buffer does not fit into a line of JSON. Contract: bus, the terminal.
 */

/** @import { Resource } from "../../dispatcher/host.js" */

/**
 * @typedef {object} Kept
 * @property {string} uri
 * @property {string} name The action that gave it.
 * @property {string} mimeType
 * @property {number} size Bytes.
 */

/** How many are kept, and how large they are together; the newest is kept whatever its size. */
const MAX_KEPT = 32;
const MAX_KEPT_BYTES = 64 * 1024 * 1024;

export class KeptAttachments {
  /** @param {() => string} newId Names that nobody can guess. */
  constructor(newId) {
    this._newId = newId;
    this._bytes = 0;
    /** Oldest first. @type {Map<string, Kept & { data: Uint8Array }>} */
    this._kept = new Map();
  }

  /**
   * Keeps a buffer, and lets the oldest go where there is no room for all.
   *
   * @param {string} name
   * @param {string} mimeType
   * @param {ArrayBuffer} buffer Not the caller's any more.
   * @returns {string} Its name, which no other ever has.
   */
  keep(name, mimeType, buffer) {
    const uri = `bascule:attachment/${this._newId()}`;
    const data = new Uint8Array(buffer);
    this._kept.set(uri, { uri, name, mimeType, size: data.length, data });
    this._bytes += data.length;
    for (const [old, { size }] of this._kept) {
      if (old === uri || (this._kept.size <= MAX_KEPT && this._bytes <= MAX_KEPT_BYTES)) break;
      this._kept.delete(old);
      this._bytes -= size;
    }
    return uri;
  }

  /** Newest first. @returns {Kept[]} */
  list() {
    return [...this._kept.values()]
      .reverse()
      .map(({ uri, name, mimeType, size }) => ({ uri, name, mimeType, size }));
  }

  /**
   * @param {string} uri
   * @param {number} offset Bytes.
   * @param {number} limit Bytes.
   * @returns {Resource | null}
   */
  read(uri, offset, limit) {
    const kept = this._kept.get(uri);
    if (kept === undefined) return null;
    const { mimeType, size, data } = kept;
    return { mimeType, size, data: data.subarray(offset, offset + limit) };
  }

  /**
   * @param {string} uri
   * @returns {ArrayBuffer | undefined} A copy, which can be sent on.
   */
  copy(uri) {
    return this._kept.get(uri)?.data.slice().buffer;
  }

  clear() {
    this._kept.clear();
    this._bytes = 0;
  }
}
