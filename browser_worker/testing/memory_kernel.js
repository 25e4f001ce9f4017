// @ts-check
/**
 * A workspace in memory, for an app author's own unit tests: the real kernel and the real runtime,
 * without a browser and without frames. `close()` ends it, after each test: `t.after(() =>
 * memory.close())`, say. Where that is forgotten, only calls that have not ended keep Node from ending.
 */

import { AppRuntime } from "../app/app_runtime.js";
import { addAgent } from "../kernel/agent/add_agent.js";
import { ConsentQueue } from "../kernel/consent/consent_queue.js";
import { Grants } from "../kernel/grants/grants.js";
import { Kernel } from "../kernel/kernel.js";
import { OwnerPolicy } from "../kernel/grants/owner_policy.js";
import { HeldProcess, idlePowers } from "./held_process.js";
import { MemoryPage } from "./memory_page.js";

/** @import { EndpointKind, EndpointPlace } from "../contract/bus_names.js" */
/** @import { Endpoint } from "../kernel/endpoints/endpoint.js" */
/** @import { AppSummary } from "../kernel/kernel.js" */
/** @import { BusPort, KernelPowers } from "../kernel/kernel_powers.js" */
/** @import { RoutingPolicy } from "../kernel/grants/routing_policy.js" */

/**
 * @typedef {object} MemoryOptions
 * @property {readonly AppSummary[]} [apps] The installed apps; `declares: { agent: ["run"] }` has one that
 *   may act as an agent by its tool `run`, `declares: { tray: true }` one with a tray.
 * @property {boolean} [askOwner] Whether the owner is asked who may call across apps, as a workspace asks
 *   them: the test answers. Without it, and without a policy, nobody may but the test itself.
 * @property {RoutingPolicy} [policy] Who may call across apps, in place of both.
 * @property {KernelPowers} [powers] Clock and timers, for a test that holds them in its hand.
 * @property {() => [BusPort, BusPort]} [makePorts]
 */

/**
 * @typedef {object} MemoryApp
 * @property {AppRuntime} runtime The same API as an app has in its frame.
 * @property {Endpoint} endpoint
 * @property {() => void} disconnect As if its frame went away.
 * @property {Promise<void>} gone Fulfilled when it has: by `disconnect`, by the tray's own dismissal, or at the end.
 */

export class MemoryKernel {
  /** @param {MemoryOptions} options */
  constructor({ apps = [], askOwner = false, policy, powers = idlePowers(), makePorts }) {
    this._held = new HeldProcess();
    this._powers = powers;
    this._makePorts = makePorts ?? (() => this._held.channel());
    this._instances = 0;
    /** By endpoint. @type {Map<string, MemoryApp>} */
    this._apps = new Map();
    this._dismissing = 0;
    /** Where the person clicked last. @type {Endpoint | null} */
    this._clicked = null;
    const attention = {
      focusedEndpoint: () => this._clicked?.id ?? null,
      activation: () => ({ active: this._clicked?.open === true, moved: false }),
    };
    /** What the owner is asked: `current`, and `answer` for the test to be the owner. */
    this.consent = new ConsentQueue(powers);
    /** What the owner has allowed. */
    this.grants = new Grants(powers, () => apps);
    const owner = { grants: this.grants, consent: this.consent, apps: () => apps };
    const asked = policy ?? (askOwner ? new OwnerPolicy(owner) : undefined);
    /** The kernel itself: `call`, `endpoints`, `audit`. */
    this.kernel = new Kernel({
      powers,
      attention,
      apps: () => apps,
      ...(asked === undefined ? {} : { policy: asked }),
    });
    this.kernel.addKeeper(this.grants);
    /** What is enabled as an agent, and the turns that run. */
    this.agent = addAgent(this.kernel, { powers, attention, consent: this.consent });
    const page = new MemoryPage(this.kernel, {
      consent: this.consent,
      attention,
      powers: { setTimer: (ms, callback) => this._dismissal(ms, callback) },
      onDismiss: (id) => this._apps.get(id)?.disconnect(),
    });
    /** The number that each app shows in the tray. @type {ReadonlyMap<string, number>} */
    this.badges = page.badges;
    /** What apps wrote to the clipboard, oldest first. @type {readonly string[]} */
    this.copied = page.copied;
    this._held.isBusy = () =>
      this.kernel.callsInFlight > 0 || this.consent.current !== null || this._dismissing > 0;
    this.kernel.audit.onChange(() => this._held.look());
    this.consent.onChange(() => this._held.look());
  }

  /**
   * Connects an endpoint of an app.
   *
   * @param {string} app
   * @param {EndpointKind} [kind]
   * @param {{ tile?: string }} [options]
   * @returns {MemoryApp}
   */
  connect(app, kind = "background", { tile = "main" } = {}) {
    const instance = String(++this._instances);
    /** @type {EndpointPlace} */
    const place =
      kind === "background"
        ? { app, kind }
        : kind === "tile"
          ? { app, kind, tile, instance }
          : { app, kind, instance };
    const [ours, theirs] = this._makePorts();
    const endpoint = this.kernel.connect(place, ours);
    const runtime = new AppRuntime(this._powers);
    runtime.connect(theirs);
    /** @type {() => void} */
    let went = () => {};
    /** @type {Promise<void>} */
    const gone = new Promise((resolve) => void (went = resolve));
    const disconnect = () => {
      this._apps.delete(endpoint.id);
      this.kernel.disconnect(endpoint);
      runtime.close("its frame went away");
      went();
    };
    const connected = { runtime, endpoint, disconnect, gone };
    this._apps.set(endpoint.id, connected);
    return connected;
  }

  /**
   * As if the person clicked in a tile: it has the focus, and a fresh activation, until they click in
   * another.
   *
   * @param {MemoryApp} app
   */
  click({ endpoint }) {
    this._clicked = endpoint;
  }

  /**
   * Answers what the owner is asked now.
   *
   * @param {boolean} yes To the first of the choices, or a no.
   * @throws {Error} Where the owner is asked nothing.
   */
  answer(yes) {
    const { current } = this.consent;
    if (current === null) throw new Error("the owner is asked nothing now");
    const choice = current.prompt.choices[0]?.id ?? "";
    this.consent.answer(current.id, yes ? { allow: true, choice } : { allow: false });
  }

  /** Ends everything: no port and no timer is left. */
  close() {
    this.kernel.close();
    this.consent.close();
    for (const app of [...this._apps.values()]) {
      app.runtime.close("the workspace was closed");
      app.disconnect();
    }
    this._held.end();
  }

  /**
   * A tray goes a moment after it has asked to: until then this process does not end.
   *
   * @param {number} ms
   * @param {() => void} callback
   */
  _dismissal(ms, callback) {
    this._dismissing += 1;
    this._held.look();
    return this._powers.setTimer(ms, () => {
      this._dismissing -= 1;
      callback();
      this._held.look();
    });
  }
}

/**
 * Makes a workspace; `close()` ends it.
 *
 * @param {MemoryOptions} [options]
 * @returns {MemoryKernel}
 */
export function createMemoryKernel(options = {}) {
  return new MemoryKernel(options);
}
