// @ts-check
/**
 * A signal that is made where somebody looks at it: each call has some, nearly nobody looks, and a signal
 * that aborts costs as much as the rest of a short call.
 */

export class LateSignal {
  /** @param {() => unknown} reason Why it aborts. */
  constructor(reason) {
    this._reason = reason;
    this._over = false;
    /** @type {AbortController | null} */
    this._controller = null;
  }

  /** Aborted already where it was ended before. @returns {AbortSignal} */
  get signal() {
    if (this._controller === null) {
      this._controller = new AbortController();
      if (this._over) this._controller.abort(this._reason());
    }
    return this._controller.signal;
  }

  /** Aborts, once. */
  end() {
    if (this._over) return;
    this._over = true;
    this._controller?.abort(this._reason());
  }
}
