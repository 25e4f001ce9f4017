// @ts-check
/**
 * Keys of apps: made of random bytes that nobody sees again, and never given out. What an app gets is
 * derived from one, for this app, this name and this context alone. Contract: bus, private actions.
 */

import { BusError } from "../../contract/bus_error.js";

/**
 * @typedef {object} KeyProvider Each method rejects with a `BusError`.
 * @property {(app: string) => Promise<{ name: string, createdAt: number }[]>} list In the order of names.
 * @property {(app: string, name: string) => Promise<void>} create
 * @property {(app: string, name: string) => Promise<void>} remove For good: what it derived is lost.
 * @property {(app: string, name: string, context: string, bytes: number) => Promise<Uint8Array>} derive
 * @property {(app: string) => Promise<void>} forgetApp
 */

/**
 * @typedef {object} KeyStore Where keys are kept, each as a whole.
 * @property {(app: string) => Promise<KeptKey[]>} all
 * @property {(app: string, name: string) => Promise<KeptKey | undefined>} get
 * @property {(key: KeptKey) => Promise<boolean>} add False where there is one already.
 * @property {(app: string, name: string) => Promise<void>} remove
 */

/** @typedef {{ app: string, name: string, key: CryptoKey, createdAt: number }} KeptKey */

/** @typedef {Pick<SubtleCrypto, "importKey" | "deriveBits">} KeySubtle */

const MAX_KEYS_OF_APP = 32;
const BASE_KEY_BYTES = 32;
/** Another way of deriving is another name here: what was derived before stays what it was. */
const SCHEME = "bascule.vetkeys.1";

/** @implements {KeyProvider} */
export class WebCryptoKeys {
  /**
   * @param {object} powers
   * @param {KeySubtle} powers.subtle
   * @param {(bytes: Uint8Array<ArrayBuffer>) => unknown} powers.fillRandom
   * @param {KeyStore} powers.store
   * @param {() => number} powers.wallNow Unix milliseconds.
   */
  constructor({ subtle, fillRandom, store, wallNow }) {
    this._subtle = subtle;
    this._fillRandom = fillRandom;
    this._store = store;
    this._wallNow = wallNow;
  }

  /** @param {string} app */
  async list(app) {
    const kept = await this._store.all(app);
    return kept
      .map(({ name, createdAt }) => ({ name, createdAt }))
      .sort((one, two) => (one.name < two.name ? -1 : 1));
  }

  /** @param {string} app @param {string} name */
  async create(app, name) {
    if ((await this._store.all(app)).length >= MAX_KEYS_OF_APP) {
      throw new BusError(
        "TOO_MANY_CALLS",
        `An app has at most ${MAX_KEYS_OF_APP} keys; none was made. Remove one first.`,
      );
    }
    const secret = new Uint8Array(BASE_KEY_BYTES);
    this._fillRandom(secret);
    const key = await this._subtle.importKey("raw", secret, "HKDF", false, ["deriveBits"]);
    secret.fill(0);
    if (await this._store.add({ app, name, key, createdAt: this._wallNow() })) return;
    throw new BusError("INVALID_INPUT", "The app has a key of this name already; it stays.");
  }

  /** @param {string} app @param {string} name */
  async remove(app, name) {
    await this._find(app, name);
    await this._store.remove(app, name);
  }

  /**
   * @param {string} app
   * @param {string} name
   * @param {string} context
   * @param {number} bytes
   */
  async derive(app, name, context, bytes) {
    const { key } = await this._find(app, name);
    // As JSON the parts cannot run into each other.
    const info = new TextEncoder().encode(JSON.stringify([SCHEME, app, name, context]));
    const algorithm = { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(32), info };
    return new Uint8Array(await this._subtle.deriveBits(algorithm, key, bytes * 8));
  }

  /** @param {string} app */
  async forgetApp(app) {
    for (const { name } of await this._store.all(app)) await this._store.remove(app, name);
  }

  /**
   * @param {string} app
   * @param {string} name
   */
  async _find(app, name) {
    const kept = await this._store.get(app, name);
    if (kept !== undefined) return kept;
    throw new BusError("INVALID_INPUT", "The app has no key of this name; make it in its tile.");
  }
}
