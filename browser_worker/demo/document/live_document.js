// @ts-check
/** The document as it is now, for a terminal to read as a file. It is written anew after each edit only. */

import { exportFormat, exported } from "./document_format.js";

/** @import { ListedResource, Resource } from "../../dispatcher/host.js" */
/** @import { TextDocument } from "./text_document.js" */

const URI = "write:document.md";

/** One document as a resource. */
export class LiveDocument {
  /** @param {TextDocument} document */
  constructor(document) {
    this._document = document;
    /** @type {{ revision: number, data: Uint8Array } | undefined} */
    this._written = undefined;
  }

  /** @returns {ListedResource} Without its size: nobody may want it. */
  listed() {
    const title = this._document.title.trim();
    return {
      uri: URI,
      name: "document.md",
      ...(title === "" ? {} : { title }),
      description: "The document as it is now.",
      mimeType: exportFormat("markdown").mimeType,
    };
  }

  /**
   * @param {string} uri
   * @param {number} offset Bytes.
   * @param {number} limit Bytes.
   * @returns {Resource | null} Of the revision of now.
   */
  read(uri, offset, limit) {
    if (uri !== URI) return null;
    const { revision } = this._document;
    if (this._written?.revision !== revision) {
      const data = new TextEncoder().encode(exported(this._document, "markdown"));
      this._written = { revision, data };
    }
    const { data } = this._written;
    const { mimeType } = exportFormat("markdown");
    return { mimeType, size: data.length, data: data.subarray(offset, offset + limit) };
  }
}
