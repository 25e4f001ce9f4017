// @ts-check
/** The notes as the app's own tiles and its tray reach them: by the tools of the background. */

/** @import { AppRuntime } from "../../../../app/app_runtime.js" */
/** @import { Draft, Match, Note } from "./note_store.js" */

/** @typedef {(ms: number) => Promise<void>} Wait */

const TARGET = "app:notes:background";
/** A background may start after a tile. */
const AGAIN_MS = 300;
const MOST_TRIES = 50;
const NOT_THERE = new Set(["UNKNOWN_ENDPOINT", "UNKNOWN_TOOL"]);

export class NotesClient {
  /**
   * @param {AppRuntime["callTool"]} callTool
   * @param {Wait} wait
   */
  constructor(callTool, wait) {
    this._callTool = callTool;
    this._wait = wait;
  }

  /**
   * @param {string} query
   * @param {number} [limit]
   * @returns {Promise<{ matches: Match[], total: number, revision: number, notKept?: true }>}
   */
  search(query, limit = 100) {
    return this._call("notes_search", { query, limit });
  }

  /** @param {string} id @returns {Promise<Note>} */
  async read(id) {
    return (await this._call("notes_read", { id })).note;
  }

  /** @param {Draft} draft @returns {Promise<Note>} */
  async add(draft) {
    return (await this._call("notes_add", { ...draft })).note;
  }

  /**
   * @param {string} id
   * @param {Draft} draft
   * @param {number} [revision]
   * @returns {Promise<Note>}
   */
  async update(id, draft, revision = undefined) {
    const expected = revision === undefined ? {} : { revision };
    return (await this._call("notes_update", { id, ...draft, ...expected })).note;
  }

  /** @param {string} id */
  async delete(id) {
    await this._call("notes_delete", { id });
  }

  /**
   * @param {string} name
   * @param {Record<string, unknown>} given
   * @returns {Promise<any>}
   */
  async _call(name, given) {
    for (let tries = 1; ; tries += 1) {
      try {
        return await this._callTool({ target: TARGET, name, arguments: given });
      } catch (error) {
        // Nothing was run: it may be asked again.
        const { code } = /** @type {{ code?: string }} */ (error);
        if (!NOT_THERE.has(code ?? "") || tries === MOST_TRIES) throw error;
        await this._wait(AGAIN_MS);
      }
    }
  }
}
