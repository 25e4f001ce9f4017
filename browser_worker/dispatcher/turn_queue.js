// @ts-check
/**
 * One host call at a time, in order of arrival. A free queue runs a call at once, so that a
 * synchronous call over a synchronous host stays synchronous.
 */

/** @import { Eventually } from "./eventually.js" */

import { isPromiseLike } from "./eventually.js";

/** Gives turns. */
export class TurnQueue {
  constructor() {
    /** @type {(() => void)[]} */
    this._waiting = [];
    this._held = false;
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
      this._waiting.shift()?.();
    };
    /** @type {Eventually<T>} */
    let result;
    try {
      result = call(end);
    } catch (error) {
      end();
      throw error;
    }
    if (isPromiseLike(result)) result.then(end, end);
    else end();
    return result;
  }
}
