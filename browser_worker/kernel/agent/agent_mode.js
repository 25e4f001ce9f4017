// @ts-check
/**
 * Which tools of which apps the owner lets act as an agent: one exact version of an app, one exact tool.
 * Kept no longer than the page and its unlocking last. Begins no turn. Contract: bus, agent mode.
 */

import { BusError } from "../../contract/bus_error.js";
import { Observers } from "../../dispatcher/observers.js";
import { refusalOf } from "../consent/refusals.js";
import { seen } from "../well_formed.js";
import { enablePrompt } from "./agent_prompts.js";

/** @import { Consent } from "../consent/consent_queue.js" */

/**
 * @typedef {object} AgentApp What is known of an installed app.
 * @property {string} id
 * @property {string} name
 * @property {string} version
 * @property {{ readonly agent?: readonly string[] }} [declares]
 */

/** @typedef {(id: string) => AgentApp | undefined} AppOf */
/** @typedef {"never" | "enabled" | "revoked"} Standing `revoked`: it was enabled, for what is gone. */
/** @typedef {{ app: string, version: string, entrypoint: string }} EnabledAgent */

/**
 * @typedef {object} AgentStatus What an app is told of itself.
 * @property {boolean} enabled Whether any of its entrypoints is.
 * @property {{ name: string, enabled: boolean }[]} entrypoints
 */

/** @typedef {{ version: string, on: boolean }} Kept */

const MAX_NAME_CHARS = 60;

export class AgentMode {
  /** @param {{ appOf: AppOf, consent: Consent }} parts */
  constructor({ appOf, consent }) {
    this._appOf = appOf;
    this._consent = consent;
    /** By app, then by entrypoint. @type {Map<string, Map<string, Kept>>} */
    this._kept = new Map();
    /** @type {Observers<void>} */
    this._observers = new Observers();
  }

  /**
   * Watches what is enabled.
   *
   * @param {() => void} observer
   * @returns {() => void} Ends the watching.
   */
  onChange(observer) {
    return this._observers.add(observer);
  }

  /**
   * The tools of an installed app that a turn can begin with.
   *
   * @param {string} app
   */
  entrypoints(app) {
    return this._appOf(app)?.declares?.agent ?? [];
  }

  /**
   * @param {string} app
   * @param {string} entrypoint
   * @returns {Standing}
   */
  standing(app, entrypoint) {
    const kept = this._kept.get(app)?.get(entrypoint);
    if (kept === undefined) return "never";
    const known = this._appOf(app);
    const same = known?.version === kept.version && known.declares?.agent?.includes(entrypoint);
    return kept.on && same === true ? "enabled" : "revoked";
  }

  /** What is enabled now, in order. @returns {EnabledAgent[]} */
  all() {
    /** @type {EnabledAgent[]} */
    const enabled = [];
    for (const [app, entrypoints] of this._kept) {
      for (const [entrypoint, { version }] of entrypoints) {
        if (this.standing(app, entrypoint) === "enabled")
          enabled.push({ app, version, entrypoint });
      }
    }
    return enabled;
  }

  /** @param {string} app @returns {AgentStatus} */
  status(app) {
    const entrypoints = this.entrypoints(app).map((name) => ({
      name,
      enabled: this.standing(app, name) === "enabled",
    }));
    return { enabled: entrypoints.some(({ enabled }) => enabled), entrypoints };
  }

  /**
   * Asks the owner to enable an entrypoint. What is enabled already is not asked for again.
   *
   * @param {string} app
   * @param {string} entrypoint
   * @param {AbortSignal} [signal] Takes the question away.
   * @returns {Promise<AgentStatus>} Rejects with a `BusError`: `INVALID_INPUT` for no entrypoint of the
   *   app's, `OWNER_REQUIRED` or `UI_BUSY` without a yes, `AGENT_MODE_REVOKED` where the app changed
   *   meanwhile.
   */
  async request(app, entrypoint, signal = undefined) {
    const known = this._appOf(app);
    if (known?.declares?.agent?.includes(entrypoint) !== true) {
      const name = seen(entrypoint, MAX_NAME_CHARS);
      const text = `The app's manifest declares no agent entrypoint ${name}; nothing was asked.`;
      throw new BusError("INVALID_INPUT", text);
    }
    if (this.standing(app, entrypoint) === "enabled") return this.status(app);
    const { version } = known;
    const answer = await this._consent.ask(enablePrompt(known, entrypoint), signal);
    if (!answer.allowed) {
      throw refusalOf(answer, { what: `let ${app} act as an agent`, agent: false });
    }
    // What the owner saw is what is enabled, or nothing is.
    const after = this._appOf(app);
    if (after?.version !== version || after.declares?.agent?.includes(entrypoint) !== true) {
      const text = `${app} changed while the owner was asked; it was not enabled. Ask again.`;
      throw new BusError("AGENT_MODE_REVOKED", text);
    }
    const ofApp = this._kept.get(app) ?? new Map();
    ofApp.set(entrypoint, { version, on: true });
    this._kept.set(app, ofApp);
    this._observers.notify();
    return this.status(app);
  }

  /** Enables nothing of an app any more, until the owner is asked anew. @param {string} app */
  disable(app) {
    const ofApp = this._kept.get(app);
    if (ofApp === undefined) return;
    // That it was is remembered: who asks is told so.
    for (const kept of ofApp.values()) kept.on = false;
    this._observers.notify();
  }

  /** @param {string} app One that was removed, or is of another version now. */
  forgetApp(app) {
    this.disable(app);
  }

  /** Whoever unlocks the workspace enables what they want. */
  lock() {
    if (this._kept.size === 0) return;
    this._kept.clear();
    this._observers.notify();
  }
}
