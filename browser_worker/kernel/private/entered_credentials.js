// @ts-check
/**
 * The provider of connections that needs no outside service: the owner enters a credential, and the
 * page keeps it in its memory. Contract: bus, private actions.
 */

import { BusError } from "../../contract/bus_error.js";

/**
 * @typedef {object} ConnectionProvider One way to what lies outside. What `connect` gives is opaque to
 *   everybody else.
 * @property {string} id What a manifest declares.
 * @property {string} title For the owner.
 * @property {(ask: AskOwner, signal: AbortSignal) => Promise<unknown>} connect Rejects with a `BusError`. Asks
 *   before it does anything: a request that ends while its first question is open was not begun.
 * @property {(handle: any) => string | Promise<string>} credential A fresh one each time, where the
 *   provider has such.
 * @property {(handle: any) => unknown} disconnect
 */

/**
 * @callback AskOwner Asks the owner for something to enter.
 * @param {{ label: string, maxChars: number }} input
 * @returns {Promise<string>} Rejects with a `BusError` where the owner does not enter it.
 */

const MAX_CREDENTIAL_CHARS = 4_096;

/** @implements {ConnectionProvider} */
export class EnteredCredentials {
  /** @param {{ id: string, title?: string }} options */
  constructor({ id, title = id }) {
    this.id = id;
    this.title = title;
    /** @type {Map<object, string>} */
    this._credentials = new Map();
  }

  /** @param {AskOwner} ask @returns {Promise<object>} */
  async connect(ask) {
    const credential = await ask({
      label: `Credential for ${this.title}`,
      maxChars: MAX_CREDENTIAL_CHARS,
    });
    if (credential === "") {
      throw new BusError("INVALID_INPUT", "The owner entered nothing; nothing was connected.");
    }
    const handle = Object.freeze({});
    this._credentials.set(handle, credential);
    return handle;
  }

  /** @param {object} handle @returns {string} */
  credential(handle) {
    const credential = this._credentials.get(handle);
    if (credential === undefined) throw new TypeError("no credential was entered for that");
    return credential;
  }

  /** @param {object} handle */
  disconnect(handle) {
    this._credentials.delete(handle);
  }
}

/**
 * Makes a provider of any id that an app declares, once.
 *
 * @returns {(id: string) => ConnectionProvider}
 */
export function enteredCredentials() {
  /** @type {Map<string, EnteredCredentials>} */
  const made = new Map();
  return (id) => {
    const provider = made.get(id) ?? new EnteredCredentials({ id });
    made.set(id, provider);
    return provider;
  };
}
