// @ts-check
/**
 * Finds endpoints that hang: each is asked now and then, and one that has answered nothing for too
 * long is marked, until it answers again. Its calls end by their own deadlines. Contract: bus, liveness.
 */

import { BUS_LIMITS } from "../contract/limits.js";

/** @import { Endpoint } from "./endpoint.js" */
/** @import { EndpointRegistry } from "./endpoint_registry.js" */
/** @import { KernelPowers } from "./kernel_powers.js" */

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
  }

  /** Begins, or goes on. */
  start() {
    if (this._runs) return;
    this._runs = true;
    this._later();
  }

  stop() {
    this._runs = false;
    this._cancelTimer();
    this._asked.clear();
  }

  _later() {
    this._cancelTimer = this._powers.setTimer(BUS_LIMITS.heartbeatSeconds * 1000, () => {
      this._beat();
      if (this._runs) this._later();
    });
  }

  _beat() {
    const now = this._powers.now();
    for (const endpoint of this._asked) {
      if (!endpoint.open) this._asked.delete(endpoint);
    }
    for (const endpoint of this._registry.all()) {
      if (!this._asked.has(endpoint)) this._ask(endpoint);
      else if (now - endpoint.heardAt >= BUS_LIMITS.notRespondingSeconds * 1000) {
        this._registry.setSilent(endpoint, true);
      }
    }
  }

  /** @param {Endpoint} endpoint */
  _ask(endpoint) {
    this._asked.add(endpoint);
    endpoint.ask(
      "ping",
      {},
      {
        done: () => {
          this._asked.delete(endpoint);
          this._registry.setSilent(endpoint, false);
        },
      },
    );
  }
}
