// @ts-check
/**
 * What apps are connected to: one connection of each app to each provider, until it is ended, the app
 * is gone or the workspace is locked. Asks nobody and checks no caller. Contract: bus, private actions.
 */

import { BusError } from "../../contract/bus_error.js";

/** @import { AskOwner, ConnectionProvider } from "./entered_credentials.js" */

/** @typedef {{ connection: string, app: string, provider: ConnectionProvider, handle: unknown }} Connection */

export class Connections {
  /** @param {{ newId: () => string }} powers */
  constructor({ newId }) {
    this._newId = newId;
    /** @type {Map<string, Connection>} */
    this._connections = new Map();
    /** What is being connected. @type {Set<string>} */
    this._pending = new Set();
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
      this._connections.set(connection, { connection, app, provider, handle });
      return connection;
    } finally {
      this._pending.delete(key);
    }
  }

  /**
   * @param {string} app Only its own connections are there for it.
   * @param {string} connection
   * @returns {Promise<string>} Rejects with a `BusError`.
   */
  async credential(app, connection) {
    const { provider, handle } = this._find(app, connection);
    const credential = await own(() => provider.credential(handle));
    // What was ended meanwhile gives nothing any more.
    this._find(app, connection);
    return credential;
  }

  /**
   * @param {string} app
   * @param {string} connection
   */
  disconnect(app, connection) {
    this._end(this._find(app, connection));
  }

  /** @param {string} app */
  forgetApp(app) {
    for (const each of [...this._connections.values()]) if (each.app === app) this._end(each);
  }

  lock() {
    for (const each of [...this._connections.values()]) this._end(each);
  }

  /**
   * @param {string} app
   * @param {string} connection
   * @returns {Connection}
   */
  _find(app, connection) {
    const found = this._connections.get(connection);
    if (found !== undefined && found.app === app) return found;
    throw new BusError(
      "INVALID_INPUT",
      "The app has no such connection; it may have ended. Ask for one with connections.request.",
    );
  }

  /** @param {Connection} connection */
  _end({ connection, provider, handle }) {
    this._connections.delete(connection);
    drop(provider, handle);
  }
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
