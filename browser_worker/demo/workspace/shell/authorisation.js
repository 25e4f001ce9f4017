// @ts-check
/**
 * Whether the workspace may run: what signing in decides elsewhere. Here a person locks and unlocks
 * without a secret. Losing it takes every frame away.
 */

/**
 * @typedef {object} Authorisation
 * @property {boolean} authorised
 * @property {(observer: () => void) => () => void} onChange Told after any change; the result ends it.
 * @property {() => void | Promise<void>} lock
 * @property {() => void | Promise<void>} unlock Asks the person; they may decline, and it stays locked.
 */

/** @implements {Authorisation} */
export class FreeAuthorisation {
  constructor() {
    this.authorised = true;
    /** @type {Set<() => void>} */
    this._observers = new Set();
  }

  /** @param {() => void} observer */
  onChange(observer) {
    this._observers.add(observer);
    return () => void this._observers.delete(observer);
  }

  lock() {
    this._set(false);
  }

  unlock() {
    this._set(true);
  }

  /** @param {boolean} authorised */
  _set(authorised) {
    if (this.authorised === authorised) return;
    this.authorised = authorised;
    for (const observer of [...this._observers]) observer();
  }
}
