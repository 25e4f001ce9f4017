// @ts-check
/**
 * Which app has which backend, and its interface: read once for each version of the app. Calls nothing.
 * Contract: bus, kernel tools.
 */

import { BusError } from "../../contract/bus_error.js";

/** @import { CanisterConnector } from "./canister_connector.js" */
/** @import { CanisterInterface, CanisterMethod } from "./canister_interface.js" */

/**
 * @typedef {object} Installed
 * @property {CanisterConnector} connector
 * @property {() => readonly string[]} preapproved Methods that the app may call without a question, now.
 * @property {{ version: string | null, read: Promise<CanisterInterface> } | null} interface
 */

/**
 * @typedef {object} FoundMethod
 * @property {string} app Whose backend it is.
 * @property {string | null} version Of that app.
 * @property {CanisterConnector} connector
 * @property {CanisterMethod} method
 * @property {boolean} preapproved
 */

export class InstalledCanisters {
  /** @param {(app: string) => string | null} versionOf Of an installed app. */
  constructor(versionOf) {
    this._versionOf = versionOf;
    /** @type {Map<string, Installed>} */
    this._installed = new Map();
  }

  /**
   * Installs an app's backend, in place of one that it had.
   *
   * @param {string} app
   * @param {CanisterConnector} connector
   * @param {{ preapproved?: () => readonly string[] }} [approved] What was approved with the app, as the
   *   manifest of its version of now declares it.
   */
  install(app, connector, { preapproved = () => [] } = {}) {
    this._installed.set(app, { connector, preapproved, interface: null });
  }

  /** @param {string} app */
  remove(app) {
    this._installed.delete(app);
  }

  /** @param {string} app An app that was removed. A backend of another version is read anew by itself. */
  forgetApp(app) {
    if (this._versionOf(app) === null) this.remove(app);
  }

  /** @param {string} app */
  has(app) {
    return this._installed.has(app);
  }

  /**
   * @param {string} app
   * @returns {Promise<CanisterInterface>} Rejects with a `BusError`: `UNKNOWN_ENDPOINT` where the app has
   *   no backend, `TOOL_FAILED` where its interface cannot be read now.
   */
  async interfaceOf(app) {
    return this._interface(this._require(app), app);
  }

  /**
   * @param {string} app
   * @param {string} name
   * @returns {Promise<FoundMethod>} Rejects as `interfaceOf` does, and with `UNKNOWN_TOOL`.
   */
  async method(app, name) {
    const installed = this._require(app);
    const version = this._versionOf(app);
    const { methods } = await this._interface(installed, app);
    const method = methods.get(name);
    if (method === undefined) {
      const text = `The backend of ${app} has no such method; nothing was run. canister.schema lists them.`;
      throw new BusError("UNKNOWN_TOOL", text);
    }
    const { connector, preapproved } = installed;
    return { app, version, connector, method, preapproved: preapproved().includes(name) };
  }

  /**
   * Whether a method is still what it was when it was found: meanwhile somebody may have been asked.
   *
   * @param {FoundMethod} found
   */
  isCurrent({ app, version, connector }) {
    return this._installed.get(app)?.connector === connector && this._versionOf(app) === version;
  }

  /** @param {string} app */
  _require(app) {
    const installed = this._installed.get(app);
    // What an app's id may be is no question here: it is only looked up.
    if (installed !== undefined && this._versionOf(app) !== null) return installed;
    throw new BusError("UNKNOWN_ENDPOINT", "The app has no backend here; nothing was run.");
  }

  /**
   * @param {Installed} installed
   * @param {string} app
   */
  async _interface(installed, app) {
    const version = this._versionOf(app);
    if (installed.interface?.version !== version) {
      installed.interface = { version, read: readInterface(installed.connector) };
    }
    const current = installed.interface;
    try {
      return await current.read;
    } catch {
      // Another try may succeed.
      if (installed.interface === current) installed.interface = null;
      const text = `The interface of the backend of ${app} cannot be read now; nothing was run.`;
      throw new BusError("TOOL_FAILED", text);
    }
  }
}

/** @param {CanisterConnector} connector */
async function readInterface(connector) {
  return connector.interface();
}
