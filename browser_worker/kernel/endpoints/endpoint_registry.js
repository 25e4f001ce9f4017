// @ts-check
/**
 * Which endpoints are live, by the names that the kernel gave them. Knows no tools and no calls.
 * Contract: bus, endpoints.
 */

import { Observers } from "../../dispatcher/observers.js";

/** @import { Endpoint } from "./endpoint.js" */
/** @import { EndpointKind } from "../../contract/bus_names.js" */

/**
 * @typedef {object} EndpointSummary
 * @property {string} endpoint
 * @property {string} app
 * @property {EndpointKind} kind
 * @property {string} [tile]
 * @property {string} [instance]
 * @property {"live" | "not-responding"} state
 */

export class EndpointRegistry {
  constructor() {
    /** @type {Map<string, Endpoint>} */
    this._endpoints = new Map();
    /** @type {Set<string>} */
    this._silent = new Set();
    /** @type {Observers<void>} */
    this._observers = new Observers();
  }

  /**
   * @param {() => void} observer Told after any change; what it throws changes nothing.
   * @returns {() => void} Ends the watching.
   */
  onChange(observer) {
    return this._observers.add(observer);
  }

  /** @param {string} id */
  get(id) {
    return this._endpoints.get(id);
  }

  /** In order of connection. */
  all() {
    return [...this._endpoints.values()];
  }

  /** @param {string} app */
  ofApp(app) {
    return this.all().filter(({ place }) => place.app === app);
  }

  /** @param {Endpoint} endpoint */
  add(endpoint) {
    this._endpoints.set(endpoint.id, endpoint);
    this._observers.notify();
  }

  /**
   * @param {Endpoint} endpoint
   * @param {() => void} clean Ends what hangs on it, before anybody is told.
   */
  remove(endpoint, clean) {
    if (this._endpoints.get(endpoint.id) !== endpoint) return;
    this._endpoints.delete(endpoint.id);
    this._silent.delete(endpoint.id);
    clean();
    this._observers.notify();
  }

  /**
   * Notes whether an endpoint answers.
   *
   * @param {Endpoint} endpoint
   * @param {boolean} silent
   */
  setSilent(endpoint, silent) {
    if (this._endpoints.get(endpoint.id) !== endpoint) return;
    if (silent === this._silent.has(endpoint.id)) return;
    if (silent) this._silent.add(endpoint.id);
    else this._silent.delete(endpoint.id);
    this._observers.notify();
  }

  /** @returns {EndpointSummary[]} */
  summaries() {
    return this.all().map(({ id, place }) => ({
      endpoint: id,
      ...place,
      state: this._silent.has(id) ? "not-responding" : "live",
    }));
  }
}
