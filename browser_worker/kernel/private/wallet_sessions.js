// @ts-check
/**
 * Which tile is connected to which wallet: each session belongs to one connection of one tile, and ends
 * with it, or where the owner takes it back. Asks nobody. Contract: bus, private actions.
 */

import { BusError } from "../../contract/bus_error.js";
import { Observers } from "../../dispatcher/observers.js";

/** @import { Endpoint } from "../endpoints/endpoint.js" */
/** @import { KernelPowers } from "../kernel_powers.js" */
/** @import { Wallet } from "./wallet_directory.js" */

/**
 * @typedef {object} WalletSession
 * @property {string} id
 * @property {Endpoint} endpoint
 * @property {Wallet} wallet
 * @property {readonly string[]} accounts In lower case.
 * @property {number} since Unix milliseconds.
 * @property {AbortSignal} signal Aborts where it ends, with what a request of it is told that the wallet
 *   was not asked for.
 */

/**
 * @typedef {object} WalletSessionSummary What the owner sees of one.
 * @property {string} id
 * @property {string} app
 * @property {string} tile Which of the app's.
 * @property {string} wallet
 * @property {string} rdns
 * @property {number} accounts How many.
 * @property {number} since Unix milliseconds.
 */

/** @typedef {{ session: WalletSession, controller: AbortController }} Kept */

const MAX_SESSIONS_OF_TILE = 4;

export class WalletSessions {
  /** @param {Pick<KernelPowers, "newId" | "wallNow">} powers */
  constructor({ newId, wallNow }) {
    this._newId = newId;
    this._wallNow = wallNow;
    /** @type {Map<string, Kept>} */
    this._sessions = new Map();
    /** Those that the owner took back, with whose they were: each was a click. @type {Map<string, Endpoint>} */
    this._revoked = new Map();
    /** @type {Observers<void>} */
    this._observers = new Observers();
  }

  /** How many there are. */
  get size() {
    return this._sessions.size;
  }

  /**
   * Watches which there are.
   *
   * @param {() => void} observer
   * @returns {() => void} Ends the watching.
   */
  onChange(observer) {
    return this._observers.add(observer);
  }

  /** @returns {WalletSessionSummary[]} Oldest first. */
  all() {
    return [...this._sessions.values()].map(({ session }) => {
      const { id, endpoint, wallet, accounts, since } = session;
      const { app, tile = "" } = endpoint.place;
      const { name, rdns } = wallet;
      return { id, app, tile, wallet: name, rdns, accounts: accounts.length, since };
    });
  }

  /**
   * @param {Endpoint} endpoint
   * @param {Wallet} wallet
   * @param {readonly string[]} accounts
   * @returns {WalletSession} In place of the one that the tile had with this wallet.
   * @throws {BusError} `TOO_MANY_CALLS`
   */
  open(endpoint, wallet, accounts) {
    const own = [...this._sessions.values()].filter(({ session }) => session.endpoint === endpoint);
    const same = own.find(({ session }) => session.wallet === wallet);
    if (same !== undefined) this.end(same.session);
    else if (own.length >= MAX_SESSIONS_OF_TILE) {
      const text = `A tile has ${MAX_SESSIONS_OF_TILE} sessions with wallets at most; none was begun. End one of them first.`;
      throw new BusError("TOO_MANY_CALLS", text);
    }
    const controller = new AbortController();
    /** @type {WalletSession} */
    const session = {
      id: this._newId(),
      endpoint,
      wallet,
      accounts,
      since: this._wallNow(),
      signal: controller.signal,
    };
    this._sessions.set(session.id, { session, controller });
    this._observers.notify();
    return session;
  }

  /**
   * @param {Endpoint} endpoint
   * @param {string} id
   * @returns {WalletSession}
   * @throws {BusError} `OWNER_REQUIRED` for one that the owner took back, and `INVALID_INPUT` where this
   *   very connection of the tile has had no such session.
   */
  get(endpoint, id) {
    const kept = this._sessions.get(id);
    if (kept !== undefined && kept.session.endpoint === endpoint) return kept.session;
    throw this._revoked.get(id) === endpoint ? revoked() : gone();
  }

  /** @param {WalletSession} session */
  end(session) {
    this._end(session.id, gone());
  }

  /**
   * The owner takes one back. The wallet itself is told nothing: other tiles may use it.
   *
   * @param {string} id
   * @returns {boolean} Whether there was one.
   */
  revoke(id) {
    const kept = this._sessions.get(id);
    if (kept === undefined) return false;
    this._revoked.set(id, kept.session.endpoint);
    this._end(id, revoked());
    return true;
  }

  /** The owner takes all back. */
  revokeAll() {
    for (const id of [...this._sessions.keys()]) this.revoke(id);
  }

  /** @param {Endpoint} endpoint A tile that is gone. */
  endpointGone(endpoint) {
    this._endWhere((of) => of === endpoint);
  }

  /** @param {string} app */
  forgetApp(app) {
    this._endWhere(({ place }) => place.app === app);
  }

  lock() {
    this._endWhere(() => true);
  }

  /** @param {(endpoint: Endpoint) => boolean} which */
  _endWhere(which) {
    for (const [id, endpoint] of this._revoked) if (which(endpoint)) this._revoked.delete(id);
    for (const { session } of [...this._sessions.values()]) {
      if (which(session.endpoint)) this.end(session);
    }
  }

  /**
   * @param {string} id
   * @param {BusError} error
   */
  _end(id, error) {
    const kept = this._sessions.get(id);
    // It is gone before anybody is told: who is told may ask again at once.
    if (!this._sessions.delete(id)) return;
    kept?.controller.abort(error);
    this._observers.notify();
  }
}

function gone() {
  return new BusError(
    "INVALID_INPUT",
    "This tile has no such session with a wallet; it may have ended, and the wallet was not asked. Connect again.",
    { data: { outcome: "not_delivered" } },
  );
}

function revoked() {
  return new BusError(
    "OWNER_REQUIRED",
    "The owner took this session with the wallet back; the wallet was not asked. Connect again.",
    { data: { reason: "revoked", outcome: "not_delivered" } },
  );
}
