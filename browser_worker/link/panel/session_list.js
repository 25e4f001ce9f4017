// @ts-check
/**
 * The sessions that use the page, most recently used first: what each has asked, and whether something
 * of it runs. Knows no DOM. Rows are replaced, never changed.
 *
 * There is nothing to release one by: its next call would only open it again. Pause or detach instead.
 */

import { UNSHOWN } from "./call_list.js";

/** @import { SessionEvent } from "../../dispatcher/agent_endpoint.js" */

/**
 * @typedef {object} SessionRow
 * @property {string} key The session's name.
 * @property {number} calls As the list of calls counts: who waits for a task asks for it every second.
 * @property {number} running
 * @property {string} last The action, tool or method of the latest call.
 * @property {number | null} lastWallMs When the latest request of any kind came, Unix milliseconds.
 */

export class SessionList {
  /** @type {Map<string, SessionRow>} least recently used first */
  #rows = new Map();
  /** @type {Map<number, string>} the session of each request that runs */
  #running = new Map();
  #clock;

  /** @param {() => { wallMs: number }} clock */
  constructor(clock) {
    this.#clock = clock;
  }

  /** @returns {SessionRow[]} most recently used first */
  get rows() {
    return [...this.#rows.values()].reverse();
  }

  get size() {
    return this.#rows.size;
  }

  /** @param {SessionEvent} event */
  take(event) {
    const { phase, session, request } = event;
    if (phase === "open") {
      this.#rows.set(session, { key: session, calls: 0, running: 0, last: "", lastWallMs: null });
    } else if (phase === "close") this.#close(session);
    else if (request !== undefined) {
      if (phase === "begin") this.#begin(request, event);
      else this.#end(request);
    }
  }

  /** The page was detached: all sessions are gone. */
  clear() {
    this.#rows.clear();
    this.#running.clear();
  }

  /**
   * @param {number} request
   * @param {SessionEvent} event
   */
  #begin(request, { session, action, tool, method = "" }) {
    const row = this.#rows.get(session);
    if (row === undefined) return;
    this.#running.set(request, session);
    const isCall = !UNSHOWN.has(tool ?? method);
    this.#rows.delete(session);
    this.#rows.set(session, {
      key: session,
      calls: row.calls + (isCall ? 1 : 0),
      running: row.running + 1,
      last: isCall ? (action ?? tool ?? method) : row.last,
      lastWallMs: this.#clock().wallMs,
    });
  }

  /** @param {number} request */
  #end(request) {
    const row = this.#rows.get(this.#running.get(request) ?? "");
    // What a session that was closed had begun ends without it, though a new one has its name.
    if (!this.#running.delete(request) || row === undefined) return;
    this.#rows.set(row.key, { ...row, running: row.running - 1 });
  }

  /** @param {string} session */
  #close(session) {
    this.#rows.delete(session);
    for (const [request, owner] of this.#running) {
      if (owner === session) this.#running.delete(request);
    }
  }
}
