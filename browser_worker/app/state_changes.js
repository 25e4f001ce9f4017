// @ts-check
/**
 * Which revision of a topic of this app is known, and who wants to know. An event carries no state and
 * no authority: who is told looks again. Contract: bus, state invalidation.
 */

import { reportFailure } from "./report_failure.js";

/** @typedef {{ topic: string, revision: number }} StateChange */

export class StateChanges {
  constructor() {
    /** @type {Map<string, Set<(change: StateChange) => void>>} */
    this._listeners = new Map();
    /** @type {Map<string, number>} */
    this._known = new Map();
  }

  /**
   * @param {string} topic
   * @param {(change: StateChange) => void} listener What it throws changes nothing for others.
   * @returns {() => void} Ends the listening.
   */
  on(topic, listener) {
    const listeners = this._listeners.get(topic) ?? new Set();
    listeners.add(listener);
    this._listeners.set(topic, listeners);
    return () => void listeners.delete(listener);
  }

  /**
   * Tells of a revision, unless that or a later one is known.
   *
   * @param {string} topic
   * @param {number} revision
   */
  tell(topic, revision) {
    const known = this._known.get(topic);
    if (known !== undefined && revision <= known) return;
    this._known.set(topic, revision);
    for (const listener of [...(this._listeners.get(topic) ?? [])]) {
      try {
        listener({ topic, revision });
      } catch (error) {
        reportFailure(error);
      }
    }
  }

  /** A new connection: whatever was known may be of another life of the app. */
  forget() {
    this._known.clear();
  }
}
