// @ts-check
/**
 * Several calls in one request, one after the other, each with its own turn and its own end.
 * What was done stays done: atomic batches are `transaction.js`. Contract: batches.
 */

import { isPromiseLike } from "./eventually.js";

/** @import { Ended, ExternalCall } from "./calls.js" */
/** @import { Eventually } from "./eventually.js" */
/** @import { Task } from "./task_table.js" */

/**
 * How one call of a batch ended. `revision` is the action's, read from the host; `error` is as it
 * was thrown.
 *
 * @typedef {{ ok: true, status: "completed", output: unknown, revision: number | bigint | null }
 *   | { ok: true, status: "deferred", task: Task, revision: number | bigint | null }
 *   | { ok: false, error: unknown }
 *   | { ok: false, skipped: true }} BatchItem
 */

/**
 * @typedef {object} BatchResult How a batch ended.
 * @property {boolean} atomic
 * @property {boolean} committed Whether all of it was done as one unit; never so for an ordered batch.
 * @property {BatchItem[]} results As many as there were calls.
 * @property {number | bigint | null} revision The app's, as the last call that was run left it.
 */

/**
 * @typedef {object} OrderedPowers What an ordered batch needs of its dispatcher.
 * @property {(call: ExternalCall, left: () => void) => Eventually<Ended>} execute Runs a call with all of
 *   its checks, at the time when the batch has come to it; `left` is called when its turn ends.
 * @property {() => number | bigint | null} revision
 * @property {(error: unknown) => void} onError Told what a call failed with.
 */

/** One batch that is not atomic. */
export class OrderedBatch {
  /**
   * @param {OrderedPowers} powers
   * @param {{ calls: readonly ExternalCall[], stopOnError: boolean }} what
   */
  constructor(powers, { calls, stopOnError }) {
    this._powers = powers;
    this._calls = calls;
    this._stopOnError = stopOnError;
    /** @type {BatchItem[]} */
    this._items = [];
    /** @type {() => number | bigint | null} */
    this._revision = powers.revision;
  }

  /**
   * Runs the calls. Fails only where the host tells no revision: all else is told in the results.
   *
   * @returns {Eventually<BatchResult>}
   */
  run() {
    const items = this._items;
    while (items.length < this._calls.length) {
      if (this._stopOnError && items.at(-1)?.ok === false) {
        items.push({ ok: false, skipped: true });
        continue;
      }
      const call = /** @type {ExternalCall} */ (this._calls[items.length]);
      const item = this._attempt(call);
      if (isPromiseLike(item)) {
        return Promise.resolve(item).then((ended) => {
          items.push(ended);
          return this.run();
        });
      }
      items.push(item);
    }
    return { atomic: false, committed: false, results: items, revision: this._revision() };
  }

  /**
   * @param {ExternalCall} call
   * @returns {Eventually<BatchItem>}
   */
  _attempt(call) {
    /** @param {Ended} ended @returns {BatchItem} */
    const done = (ended) => ({ ok: true, ...ended });
    try {
      const executed = this._powers.execute(call, () => this._left());
      if (!isPromiseLike(executed)) return done(executed);
      return Promise.resolve(executed)
        .then(done)
        .catch((error) => this._failed(error));
    } catch (error) {
      return this._failed(error);
    }
  }

  /** Reads the revision before another call may move it on. */
  _left() {
    try {
      const revision = this._powers.revision();
      this._revision = () => revision;
    } catch {
      // Told when it is asked for again.
      this._revision = this._powers.revision;
    }
  }

  /**
   * @param {unknown} error
   * @returns {BatchItem}
   */
  _failed(error) {
    this._powers.onError(error);
    return { ok: false, error };
  }
}
