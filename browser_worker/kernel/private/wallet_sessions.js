// @ts-check
/**
 * Which tile is connected to which wallet: each session belongs to one connection of one tile, and ends
 * with it. Asks nobody. Contract: bus, private actions.
 */

import { BusError } from "../../contract/bus_error.js";

/** @import { Endpoint } from "../endpoints/endpoint.js" */
/** @import { Wallet } from "./wallet_directory.js" */

/**
 * @typedef {object} WalletSession
 * @property {string} id
 * @property {Endpoint} endpoint
 * @property {Wallet} wallet
 * @property {readonly string[]} accounts In lower case.
 */

const MAX_SESSIONS_OF_TILE = 4;

export class WalletSessions {
  /** @param {{ newId: () => string }} powers */
  constructor({ newId }) {
    this._newId = newId;
    /** @type {Map<string, WalletSession>} */
    this._sessions = new Map();
  }

  /** How many there are. */
  get size() {
    return this._sessions.size;
  }

  /**
   * @param {Endpoint} endpoint
   * @param {Wallet} wallet
   * @param {readonly string[]} accounts
   * @returns {WalletSession} In place of the one that the tile had with this wallet.
   * @throws {BusError} `TOO_MANY_CALLS`
   */
  open(endpoint, wallet, accounts) {
    const own = [...this._sessions.values()].filter((each) => each.endpoint === endpoint);
    const same = own.find((each) => each.wallet === wallet);
    if (same !== undefined) this._sessions.delete(same.id);
    else if (own.length >= MAX_SESSIONS_OF_TILE) {
      const text = `A tile has ${MAX_SESSIONS_OF_TILE} sessions with wallets at most; none was begun. End one of them first.`;
      throw new BusError("TOO_MANY_CALLS", text);
    }
    const session = { id: this._newId(), endpoint, wallet, accounts };
    this._sessions.set(session.id, session);
    return session;
  }

  /**
   * @param {Endpoint} endpoint
   * @param {string} id
   * @returns {WalletSession}
   * @throws {BusError} `INVALID_INPUT` where this very connection of the tile has no such session.
   */
  get(endpoint, id) {
    const session = this._sessions.get(id);
    if (session !== undefined && session.endpoint === endpoint) return session;
    throw new BusError(
      "INVALID_INPUT",
      "This tile has no such session with a wallet; it may have ended. Connect again.",
    );
  }

  /** @param {WalletSession} session */
  end(session) {
    this._sessions.delete(session.id);
  }

  /** @param {Endpoint} endpoint A tile that is gone. */
  endpointGone(endpoint) {
    for (const session of this._sessions.values()) {
      if (session.endpoint === endpoint) this.end(session);
    }
  }

  /** @param {string} app */
  forgetApp(app) {
    for (const session of this._sessions.values()) {
      if (session.endpoint.place.app === app) this.end(session);
    }
  }

  lock() {
    this._sessions.clear();
  }
}
