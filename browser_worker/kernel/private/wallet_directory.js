// @ts-check
/**
 * The wallets that have announced themselves to the trusted page (EIP-6963). Whatever script runs in the
 * page can announce one: its words are a stranger's, bounded and copied. Contract: bus, private actions.
 */

import { seen } from "../well_formed.js";

/**
 * @typedef {object} WalletProvider As EIP-1193 has it. It never leaves the page.
 * @property {(request: { method: string, params?: unknown }) => Promise<unknown>} request
 */

/**
 * @typedef {object} WalletEvents How wallets are heard in a page.
 * @property {(listener: (detail: unknown) => void) => () => void} onAnnounce The result ends it.
 * @property {() => void} request Asks all of them to announce themselves.
 */

/**
 * @typedef {object} Wallet
 * @property {string} id Names it in this page, until it is loaded again.
 * @property {string} name
 * @property {string} rdns The name of its maker, as a domain the other way round.
 * @property {string | null} icon An image as a data URL.
 * @property {WalletProvider} provider
 */

export const MAX_WALLETS = 16;
const MAX_NAME_CHARS = 60;
const MAX_UUID_CHARS = 100;
const MAX_ICON_CHARS = 32_768;
const RDNS = /^(?=.{3,128}$)[a-zA-Z0-9-]+(?:\.[a-zA-Z0-9-]+)+$/;
const ICON = /^data:image\/(?:png|jpeg|webp|gif|svg\+xml)[;,]/;

export class WalletDirectory {
  /**
   * @param {WalletEvents} events
   * @param {{ newId: () => string }} powers
   */
  constructor(events, { newId }) {
    this._events = events;
    this._newId = newId;
    /** By what each calls itself; null for what has said two things. @type {Map<string, Wallet | null>} */
    this._wallets = new Map();
    this._stop = events.onAnnounce((detail) => this._take(detail));
    events.request();
  }

  /** Asks again, and gives those that have announced themselves. @returns {Wallet[]} */
  discover() {
    this._events.request();
    return this.all();
  }

  /** @returns {Wallet[]} */
  all() {
    return [...this._wallets.values()].filter((wallet) => wallet !== null);
  }

  /** @param {string} id @returns {Wallet | undefined} */
  get(id) {
    return this.all().find((wallet) => wallet.id === id);
  }

  /** Hears no wallet any more, for good. */
  stop() {
    this._stop();
    this._wallets.clear();
  }

  /** @param {unknown} detail */
  _take(detail) {
    const read = readAnnouncement(detail);
    if (read === null) return;
    const { uuid, wallet } = read;
    const known = this._wallets.get(uuid);
    // Two under one name: which of them the owner means nobody can say.
    if (known !== undefined && (known === null || !isSame(known, wallet))) {
      this._wallets.set(uuid, null);
    } else if (known === undefined && this._wallets.size < MAX_WALLETS) {
      this._wallets.set(uuid, Object.freeze({ id: this._newId(), ...wallet }));
    }
  }
}

/**
 * Reads each member once: it can be another one at the next look.
 *
 * @param {any} detail
 * @returns {{ uuid: string, wallet: Omit<Wallet, "id"> } | null} Null for what is no announcement.
 */
function readAnnouncement(detail) {
  try {
    const { info, provider } = detail;
    const { uuid, name, rdns, icon } = info;
    if (typeof uuid !== "string" || uuid === "" || uuid.length > MAX_UUID_CHARS) return null;
    if (typeof name !== "string" || seen(name, MAX_NAME_CHARS).trim() === "") return null;
    if (typeof rdns !== "string" || !RDNS.test(rdns)) return null;
    if (typeof provider?.request !== "function") return null;
    const shown = typeof icon === "string" && icon.length <= MAX_ICON_CHARS && ICON.test(icon);
    return {
      uuid,
      wallet: { name: seen(name, MAX_NAME_CHARS), rdns, icon: shown ? icon : null, provider },
    };
  } catch {
    return null;
  }
}

/**
 * @param {Omit<Wallet, "id">} one
 * @param {Omit<Wallet, "id">} two
 */
function isSame(one, two) {
  return (
    one.provider === two.provider &&
    one.name === two.name &&
    one.rdns === two.rdns &&
    one.icon === two.icon
  );
}

/**
 * @param {Window} view The trusted page's own window.
 * @returns {WalletEvents}
 */
export function pageWalletEvents(view) {
  return {
    onAnnounce: (listener) => {
      const heard = (/** @type {Event} */ event) =>
        listener(/** @type {CustomEvent} */ (event).detail);
      view.addEventListener("eip6963:announceProvider", heard);
      return () => view.removeEventListener("eip6963:announceProvider", heard);
    },
    request: () => void view.dispatchEvent(new Event("eip6963:requestProvider")),
  };
}
