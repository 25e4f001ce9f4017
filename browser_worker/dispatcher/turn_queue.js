// @ts-check
/**
 * One host call at a time, in order of arrival. A free queue runs a call at once, so that a
 * synchronous call over a synchronous host stays synchronous.
 */

/** @import { Eventually } from "./eventually.js" */

import { watched } from "./eventually.js";

/** Gives turns. */
export class TurnQueue {
  constructor() {
    /** @type {(() => void)[]} */
    this._waiting = [];
    this._held = false;
    this._passing = false;
  }

  /**
   * Runs a call when its turn has come. The turn ends when the call is done, or when the call
   * gives it up through the function that it is passed.
   *
   * @template T
   * @param {(giveUp: () => void) => Eventually<T>} call
   * @returns {Eventually<T>}
   */
  run(call) {
    if (!this._held) return this._take(call);
    return new Promise((resolve, reject) => {
      this._waiting.push(() => {
        try {
          resolve(this._take(call));
        } catch (error) {
          reject(error);
        }
      });
    });
  }

  /**
   * @template T
   * @param {(giveUp: () => void) => Eventually<T>} call
   * @returns {Eventually<T>}
   */
  _take(call) {
    this._held = true;
    let ended = false;
    const end = () => {
      if (ended) return;
      ended = true;
      this._held = false;
      this._passOn();
    };
    return watched(() => call(end), end, end);
  }

  /** A loop and no recursion: thousands may wait, and each may end within its own turn. */
  _passOn() {
    if (this._passing) return;
    this._passing = true;
    while (!this._held) {
      const next = this._waiting.shift();
      if (next === undefined) break;
      next();
    }
    this._passing = false;
  }
}
