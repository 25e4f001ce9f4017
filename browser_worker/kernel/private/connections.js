// @ts-check
/**
 * What apps are connected to: one connection of each app to each provider, until it is ended, the owner
 * takes it back, the app is gone or the workspace is locked. Asks nobody and checks no caller.
 * Contract: bus, private actions.
 */

import { BusError } from "../../contract/bus_error.js";
import { Observers } from "../../dispatcher/observers.js";
import { endsWith } from "./ends_with.js";

/** @import { KernelPowers } from "../kernel_powers.js" */
/** @import { AskOwner, ConnectionProvider } from "./entered_credentials.js" */

/**
 * @typedef {object} Connection
 * @property {string} connection
 * @property {string} app
 * @property {ConnectionProvider} provider
 * @property {unknown} handle
 * @property {number} since Unix milliseconds.
 * @property {number} uses
 * @property {AbortController} controller Aborts with it.
 */

/**
 * @typedef {object} ConnectionSummary What the owner sees of one; nothing of what was entered.
 * @property {string} connection Names it within the page.
 * @property {string} app
 * @property {string} provider Its title.
 * @property {number} since Unix milliseconds.
 * @property {number} uses How often the credential was given to the app.
 */

export class Connections {
  /** @param {Pick<KernelPowers, "newId" | "wallNow">} powers */
  constructor({ newId, wallNow }) {
    this._newId = newId;
    this._wallNow = wallNow;
    /** @type {Map<string, Connection>} */
    this._connections = new Map();
    /** What is being connected. @type {Set<string>} */
    this._pending = new Set();
    /** Those that the owner took back, with whose they were: each was a click. @type {Map<string, string>} */
    this._revoked = new Map();
    /** @type {Observers<void>} */
    this._observers = new Observers();
  }

  /**
   * Watches which there are, and how often they are used.
   *
   * @param {() => void} observer
   * @returns {() => void} Ends the watching.
   */
  onChange(observer) {
    return this._observers.add(observer);
  }

  /** @returns {ConnectionSummary[]} Oldest first. */
  all() {
    return [...this._connections.values()].map(({ connection, app, provider, since, uses }) => ({
      connection,
      app,
      provider: provider.title,
      since,
      uses,
    }));
  }

  /**
   * @param {string} app
   * @param {string} provider
   * @returns {string | null}
   */
  of(app, provider) {
    for (const each of this._connections.values()) {
      if (each.app === app && each.provider.id === provider) return each.connection;
    }
    return null;
  }

  /**
   * Connects an app, or gives the connection that it has.
   *
   * @param {string} app
   * @param {ConnectionProvider} provider
   * @param {AskOwner} ask
   * @param {AbortSignal} signal
   * @returns {Promise<string>} Rejects with a `BusError`.
   */
  async connect(app, provider, ask, signal) {
    const there = this.of(app, provider.id);
    if (there !== null) return there;
    const key = `${app} ${provider.id}`;
    if (this._pending.has(key)) {
      throw new BusError(
        "UI_BUSY",
        "The owner is being asked for this connection already; wait for that answer.",
      );
    }
    this._pending.add(key);
    try {
      const handle = await own(() => provider.connect(ask, signal));
      if (signal.aborted) {
        drop(provider, handle);
        throw new BusError("CANCELLED", "Nobody waits for the connection; none was made.");
      }
      const connection = this._newId();
      const since = this._wallNow();
      const controller = new AbortController();
      const made = { connection, app, provider, handle, since, uses: 0, controller };
      this._connections.set(connection, made);
      this._observers.notify();
      return connection;
    } finally {
      this._pending.delete(key);
    }
  }

  /**
   * @param {string} app Only its own connections are there for it.
   * @param {string} connection
   * @returns {Promise<string>} Rejects with a `BusError`, at once where the connection ends meanwhile:
   *   `OWNER_REQUIRED` where the owner took it back, else `INVALID_INPUT`.
   */
  async credential(app, connection) {
    const found = this._find(app, connection);
    const { provider, handle, controller } = found;
    const credential = await endsWith([controller.signal], () =>
      own(() => provider.credential(handle)),
    );
    found.uses += 1;
    this._observers.notify();
    return credential;
  }

  /**
   * @param {string} app
   * @param {string} connection
   */
  disconnect(app, connection) {
    this._end(this._find(app, connection), gone());
  }

  /**
   * The owner takes one back: what waits for its credential is given none. What the app was given
   * before, it has.
   *
   * @param {string} connection
   * @returns {boolean} Whether there was one.
   */
  revoke(connection) {
    const found = this._connections.get(connection);
    if (found === undefined) return false;
    this._revoked.set(connection, found.app);
    this._end(found, revoked());
    return true;
  }

  /** The owner takes all back. */
  revokeAll() {
    for (const connection of [...this._connections.keys()]) this.revoke(connection);
  }

  /** @param {string} app */
  forgetApp(app) {
    for (const [connection, of] of this._revoked) if (of === app) this._revoked.delete(connection);
    for (const each of [...this._connections.values()])
      if (each.app === app) this._end(each, gone());
  }

  lock() {
    this._revoked.clear();
    for (const each of [...this._connections.values()]) this._end(each, gone());
  }

  /**
   * @param {string} app
   * @param {string} connection
   * @returns {Connection}
   */
  _find(app, connection) {
    const found = this._connections.get(connection);
    if (found !== undefined && found.app === app) return found;
    throw this._revoked.get(connection) === app ? revoked() : gone();
  }

  /**
   * @param {Connection} connection
   * @param {BusError} error Who waits for it is told.
   */
  _end({ connection, provider, handle, controller }, error) {
    // It is gone before anybody is told: who is told may ask again at once.
    this._connections.delete(connection);
    controller.abort(error);
    drop(provider, handle);
    this._observers.notify();
  }
}

function gone() {
  return new BusError(
    "INVALID_INPUT",
    "The app has no such connection; it may have ended. Ask for one with connections.request.",
  );
}

function revoked() {
  return new BusError(
    "OWNER_REQUIRED",
    "The owner took this connection back; nothing was given. Ask for one with connections.request.",
    { data: { reason: "revoked" } },
  );
}

/**
 * What a provider says of a failure may hold what it was given: of it nothing is told.
 *
 * @template T
 * @param {() => T | Promise<T>} run
 * @returns {Promise<T>}
 */
async function own(run) {
  try {
    return await run();
  } catch (error) {
    if (error instanceof BusError) throw error;
    throw new BusError("TOOL_FAILED", "The provider failed; nothing was connected or given.");
  }
}

/**
 * @param {ConnectionProvider} provider
 * @param {unknown} handle
 */
function drop(provider, handle) {
  void own(() => provider.disconnect(handle)).catch(() => {});
}
