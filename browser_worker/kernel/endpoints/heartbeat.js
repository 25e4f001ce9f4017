// @ts-check
/**
 * Finds endpoints that hang: each is asked now and then, and one that has answered nothing for too
 * long is marked, until it answers again. Its calls end by their own deadlines. Contract: bus, liveness.
 */

import { BUS_LIMITS } from "../../contract/limits.js";

/** @import { Endpoint } from "./endpoint.js" */
/** @import { EndpointRegistry } from "./endpoint_registry.js" */
/** @import { KernelPowers } from "../kernel_powers.js" */

const BEAT_MS = BUS_LIMITS.heartbeatSeconds * 1000;
const SILENT_MS = BUS_LIMITS.notRespondingSeconds * 1000;

export class Heartbeat {
  /**
   * @param {EndpointRegistry} registry
   * @param {KernelPowers} powers
   */
  constructor(registry, powers) {
    this._registry = registry;
    this._powers = powers;
    /** Whose answer is waited for. @type {Set<Endpoint>} */
    this._asked = new Set();
    this._cancelTimer = () => {};
    this._runs = false;
    /** When all were asked last. */
    this._beatAt = 0;
    /** When it is looked next. */
    this._dueAt = 0;
  }

  /** Begins, or goes on. */
  start() {
    if (this._runs) return;
    this._runs = true;
    this._beatAt = this._powers.now();
    this._later();
  }

  stop() {
    this._runs = false;
    this._cancelTimer();
    this._asked.clear();
  }

  /** Looks again at the next beat, or when somebody has been silent for too long before it. */
  _later() {
    const now = this._powers.now();
    this._dueAt = this._beatAt + BEAT_MS;
    for (const { heardAt } of this._asked) {
      const silentAt = heardAt + SILENT_MS;
      if (silentAt > now && silentAt < this._dueAt) this._dueAt = silentAt;
    }
    this._cancelTimer = this._powers.setTimer(Math.max(0, this._dueAt - now), () => {
      this._look();
      if (this._runs) this._later();
    });
  }

  _look() {
    const now = this._powers.now();
    // A page that slept has not looked: what was sent meanwhile may be about to arrive.
    const slept = now - this._dueAt > BEAT_MS;
    const beats = now - this._beatAt >= BEAT_MS;
    if (beats) this._beatAt = now;
    for (const endpoint of this._asked) {
      if (!endpoint.open) this._asked.delete(endpoint);
    }
    for (const endpoint of this._registry.all()) {
      if (!this._asked.has(endpoint)) {
        if (beats) this._ask(endpoint);
      } else if (slept) endpoint.heardAt = now;
      else this._registry.setSilent(endpoint, now - endpoint.heardAt >= SILENT_MS);
    }
  }

  /** @param {Endpoint} endpoint */
  _ask(endpoint) {
    this._asked.add(endpoint);
    const done = () => {
      this._asked.delete(endpoint);
      this._registry.setSilent(endpoint, false);
    };
    endpoint.ask("ping", {}, { done });
  }
}
