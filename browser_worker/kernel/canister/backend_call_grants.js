// @ts-check
/**
 * Calls of backends that the owner has allowed an app for good: kept over reloads, and for the versions of
 * both apps that the owner saw. Another version of either asks again. Other pages may keep them in the same
 * store: what is taken back in one is taken back in all. Asks nobody.
 * Contract: bus, kernel tools, grants.
 */

import { BusError } from "../../contract/bus_error.js";
import { isObject } from "../../contract/json_number.js";
import { Observers } from "../../dispatcher/observers.js";
import { EndReason, endedCall } from "../calls/call_end.js";

/** @import { KernelPowers } from "../kernel_powers.js" */

/**
 * @typedef {object} BackendCallGrant
 * @property {string} id
 * @property {string} caller The app that may call.
 * @property {string} callerVersion
 * @property {string} app Whose backend.
 * @property {string} appVersion
 * @property {string} method
 * @property {number} since Unix milliseconds.
 */

/** @typedef {Omit<BackendCallGrant, "id" | "since">} GrantedCall */

/**
 * @typedef {object} TextStore Keeps one text.
 * @property {() => string | null} load May throw.
 * @property {(text: string) => void} save May throw.
 * @property {(observer: () => void) => void} [watch] Tells where another page has saved.
 */

const MAX_BACKEND_GRANTS = 128;

const MAX_TEXT_CHARS = 200;
const TEXTS = /** @type {const} */ (["caller", "callerVersion", "app", "appVersion", "method"]);

export class BackendCallGrants {
  /**
   * @param {TextStore} store
   * @param {Pick<KernelPowers, "wallNow" | "newId">} powers
   */
  constructor(store, powers) {
    this._store = store;
    /** @type {Pick<KernelPowers, "wallNow" | "newId">} */
    this._powers = powers;
    /** @type {Map<string, { grant: BackendCallGrant, controller: AbortController }>} */
    this._kept = new Map();
    /** @type {Observers<void>} */
    this._observers = new Observers();
    /** As it was last loaded or saved. @type {string | null} */
    this._text = null;
    this._look();
    store.watch?.(() => this._look());
  }

  /** Watches for grants that come and go. @param {() => void} observer */
  onChange(observer) {
    return this._observers.add(observer);
  }

  /** @returns {BackendCallGrant[]} Copies, oldest first. */
  all() {
    this._look();
    return [...this._kept.values()].map(({ grant }) => ({ ...grant }));
  }

  /**
   * @param {GrantedCall} call
   * @returns {{ id: string, signal: AbortSignal } | null} The signal aborts, with a `BusError`, where the
   *   grant is taken back.
   */
  find(call) {
    this._look();
    for (const { grant, controller } of this._kept.values()) {
      if (isGrant(grant, call)) {
        return { id: grant.id, signal: controller.signal };
      }
    }
    return null;
  }

  /**
   * Keeps what the owner allowed, in place of what other versions of the two apps were.
   *
   * @param {GrantedCall} call
   * @throws {BusError} `TOO_MANY_CALLS` where there are too many, `TOOL_FAILED` where it cannot be kept.
   */
  reserve(call) {
    if (this.find(call) !== null) return;
    const before = [...this._kept.values()].filter(({ grant }) => isSameCall(grant, call));
    if (this._kept.size - before.length >= MAX_BACKEND_GRANTS) {
      const text = `There are ${MAX_BACKEND_GRANTS} such grants already; nothing was granted. Release one.`;
      throw new BusError("TOO_MANY_CALLS", text);
    }
    for (const { grant } of before) this._end(grant.id);
    const id = this._keep({ ...call, since: this._powers.wallNow() });
    try {
      this._save();
    } catch (error) {
      this._end(id);
      this._observers.notify();
      throw error;
    }
    this._observers.notify();
  }

  /**
   * Takes a grant back; calls that are under way by it end.
   *
   * @param {string} id
   * @returns {boolean} Whether there was one.
   * @throws {BusError} `TOOL_FAILED` where that cannot be kept: it is back after a reload.
   */
  revoke(id) {
    return this._revoke((grant) => grant.id === id);
  }

  /**
   * @param {Pick<GrantedCall, "caller" | "app" | "method">} call Of whichever versions.
   * @returns {boolean} Whether there was one.
   * @throws {BusError} As `revoke` does.
   */
  release(call) {
    return this._revoke((grant) => isSameCall(grant, call));
  }

  /** @throws {BusError} As `revoke` does. */
  revokeAll() {
    this._revoke(() => true);
  }

  /** @param {string} app That was removed, or is of another version now: calls by its grants end. */
  forgetApp(app) {
    try {
      this._revoke(({ caller, app: target }) => caller === app || target === app);
    } catch {
      // What is kept of it all the same is for a version that nobody has.
    }
  }

  /** Comes up with what another page has kept or taken back. */
  _look() {
    /** @type {string | null} */
    let text;
    try {
      text = this._store.load();
    } catch {
      return;
    }
    if (text === this._text) return;
    this._text = text;
    const kept = readGrants(text);
    const lost = [...this._kept.values()].filter(
      ({ grant }) => !kept.some((call) => isGrant(grant, call)),
    );
    for (const { grant } of lost) this._end(grant.id);
    for (const call of kept) {
      const there = [...this._kept.values()].some(({ grant }) => isGrant(grant, call));
      if (!there) this._keep(call);
    }
    this._observers.notify();
  }

  /** @param {(grant: BackendCallGrant) => boolean} which */
  _revoke(which) {
    const ended = this.all().filter(which);
    if (ended.length === 0) return false;
    for (const { id } of ended) this._end(id);
    this._observers.notify();
    this._save();
    return true;
  }

  /** @param {Omit<BackendCallGrant, "id">} call */
  _keep(call) {
    /** @type {string} */
    const id = this._powers.newId();
    this._kept.set(id, { grant: { id, ...call }, controller: new AbortController() });
    return id;
  }

  /** @param {string} id */
  _end(id) {
    const kept = this._kept.get(id);
    if (kept === undefined) return;
    this._kept.delete(id);
    const why = "The leave for this call was taken back";
    const reason = new EndReason("OWNER_REQUIRED", why, { data: { reason: "revoked" } });
    // Where it is listened to, the backend was asked.
    kept.controller.abort(endedCall(reason, true));
  }

  _save() {
    const grants = [...this._kept.values()].map(({ grant: { id: _id, ...call } }) => call);
    try {
      const text = JSON.stringify({ grants });
      this._store.save(text);
      this._text = text;
    } catch {
      const text = "What is allowed could not be kept: after a reload it is as it was before.";
      throw new BusError("TOOL_FAILED", text);
    }
  }
}

/**
 * @param {GrantedCall} grant
 * @param {GrantedCall} call
 */
function isGrant(grant, call) {
  return TEXTS.every((name) => grant[name] === call[name]);
}

/**
 * @param {Pick<GrantedCall, "caller" | "app" | "method">} one
 * @param {Pick<GrantedCall, "caller" | "app" | "method">} other
 */
function isSameCall(one, other) {
  return one.caller === other.caller && one.app === other.app && one.method === other.method;
}

/**
 * What was kept, whole; what cannot be read grants nothing.
 *
 * @param {string | null} text
 * @returns {Omit<BackendCallGrant, "id">[]}
 */
function readGrants(text) {
  try {
    const kept = JSON.parse(text ?? "");
    const grants = isObject(kept) ? kept["grants"] : undefined;
    if (!Array.isArray(grants) || grants.length > MAX_BACKEND_GRANTS) return [];
    return grants.every(isCall) ? grants.map(callOf) : [];
  } catch {
    return [];
  }
}

/** @param {unknown} kept */
function isCall(kept) {
  if (!isObject(kept)) return false;
  const texts = TEXTS.map((name) => kept[name]);
  return (
    texts.every((text) => typeof text === "string" && text.length <= MAX_TEXT_CHARS) &&
    Number.isSafeInteger(kept["since"])
  );
}

/** @param {Omit<BackendCallGrant, "id">} kept */
function callOf({ caller, callerVersion, app, appVersion, method, since }) {
  return { caller, callerVersion, app, appVersion, method, since };
}
