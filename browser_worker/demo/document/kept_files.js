// @ts-check
/** What the word processor has written for a terminal to read: the newest files, in memory only. */

/** @import { ListedResource, Resource } from "../../dispatcher/host.js" */

/** How many are kept, and how large they are together; the newest is kept whatever its size. */
export const MAX_FILES = 8;
export const MAX_KEPT_BYTES = 64 * 1024 * 1024;

/** Files by names of our own; none is ever a path. */
export class KeptFiles {
  constructor() {
    /** Oldest first. @type {Map<string, { mimeType: string, data: Uint8Array }>} */
    this._files = new Map();
    this._count = 0;
  }

  /**
   * Keeps a file, and lets the oldest go where there is no room for all.
   *
   * @param {"export" | "picture"} kind
   * @param {string} extension
   * @param {string} mimeType
   * @param {Uint8Array} data
   * @returns {string} Its name, which no other file ever has.
   */
  keep(kind, extension, mimeType, data) {
    const uri = `write:${kind}/${++this._count}.${extension}`;
    this._files.set(uri, { mimeType, data });
    let bytes = [...this._files.values()].reduce((sum, file) => sum + file.data.length, 0);
    for (const [old, file] of this._files) {
      if (old === uri || (this._files.size <= MAX_FILES && bytes <= MAX_KEPT_BYTES)) break;
      this._files.delete(old);
      bytes -= file.data.length;
    }
    return uri;
  }

  /** @returns {ListedResource[]} Newest first. */
  list() {
    return [...this._files].reverse().map(([uri, { mimeType, data }]) => ({
      uri,
      name: uri.slice(uri.lastIndexOf("/") + 1),
      title: uri.startsWith("write:export/") ? "Export" : "Picture",
      mimeType,
      size: data.length,
    }));
  }

  /**
   * @param {string} uri
   * @param {number} offset Bytes.
   * @param {number} limit Bytes.
   * @returns {Resource | null}
   */
  read(uri, offset, limit) {
    const file = this._files.get(uri);
    if (file === undefined) return null;
    const { mimeType, data } = file;
    return { mimeType, size: data.length, data: data.subarray(offset, offset + limit) };
  }
}
