// @ts-check
/**
 * The last revision of each topic that an app has published. Knows neither the state nor who listens.
 * Contract: bus, state invalidation.
 */

import { BusError } from "../contract/bus_error.js";
import { isTopic } from "../contract/bus_names.js";
import { BUS_LIMITS } from "../contract/limits.js";

export class StateTopics {
  constructor() {
    /** @type {Map<string, Map<string, number>>} */
    this._ofApps = new Map();
  }

  /**
   * @param {string} app
   * @param {string} topic
   * @returns {number | null} Null before the first.
   */
  revision(app, topic) {
    return this._ofApps.get(app)?.get(topic) ?? null;
  }

  /**
   * Notes a revision.
   *
   * @param {string} app
   * @param {unknown} topic
   * @param {unknown} revision
   * @returns {boolean} Whether it is news: the same again is none.
   * @throws {BusError} `INVALID_INPUT`
   */
  publish(app, topic, revision) {
    if (!isTopic(topic)) {
      throw invalid("A topic is 1 to 64 of a-z, 0-9 and . _ -, and begins with a letter or digit.");
    }
    if (!Number.isSafeInteger(revision) || Number(revision) < 0) {
      throw invalid("A revision is an integer from 0 that JavaScript holds exactly.");
    }
    const name = /** @type {string} */ (topic);
    const next = /** @type {number} */ (revision);
    const topics = this._ofApps.get(app) ?? new Map();
    const last = topics.get(name);
    if (last !== undefined && next < last) {
      throw invalid(`Revisions only rise: ${name} was at ${last} already.`);
    }
    if (last === undefined && topics.size >= BUS_LIMITS.maxTopicsOfApp) {
      throw invalid(`An app has at most ${BUS_LIMITS.maxTopicsOfApp} topics.`);
    }
    topics.set(name, next);
    this._ofApps.set(app, topics);
    return next !== last;
  }

  /** Forgets an app that was removed. @param {string} app */
  forget(app) {
    this._ofApps.delete(app);
  }
}

/** @param {string} message */
function invalid(message) {
  return new BusError("INVALID_INPUT", message);
}
