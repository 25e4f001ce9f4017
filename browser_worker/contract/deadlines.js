// @ts-check
/** Many deadlines on one timer: most calls end long before theirs, and need none of their own. */

/**
 * @typedef {object} DeadlinePowers
 * @property {() => number} now Milliseconds on a clock that never goes back.
 * @property {(ms: number, callback: () => void) => () => void} setTimer Calls back once; the result
 *   cancels it.
 */

/**
 * @typedef {object} Deadline
 * @property {number} at Milliseconds of `now`.
 * @property {() => void} callback
 */

export class Deadlines {
  /** @param {DeadlinePowers} powers */
  constructor({ now, setTimer }) {
    this._now = now;
    this._setTimer = setTimer;
    /** @type {Set<Deadline>} */
    this._waiting = new Set();
    this._timerAt = Infinity;
    this._cancelTimer = () => {};
  }

  /** How many are waited for. */
  get size() {
    return this._waiting.size;
  }

  /**
   * Calls back once, so many seconds from now.
   *
   * @param {number} seconds
   * @param {() => void} callback
   * @returns {Deadline} What `cancel` takes.
   */
  add(seconds, callback) {
    const deadline = { at: this._now() + seconds * 1000, callback };
    this._waiting.add(deadline);
    if (deadline.at < this._timerAt) this._arm(deadline.at);
    return deadline;
  }

  /** @param {Deadline} deadline Harmless where it has passed. */
  cancel(deadline) {
    this._waiting.delete(deadline);
  }

  /** Calls nobody back any more. */
  close() {
    this._waiting.clear();
    this._cancelTimer();
    this._timerAt = Infinity;
  }

  /** @param {number} at */
  _arm(at) {
    this._cancelTimer();
    this._timerAt = at;
    this._cancelTimer = this._setTimer(Math.max(0, at - this._now()), () => this._look());
  }

  _look() {
    this._timerAt = Infinity;
    const now = this._now();
    for (const deadline of [...this._waiting]) {
      if (deadline.at <= now && this._waiting.delete(deadline)) deadline.callback();
    }
    let next = Infinity;
    for (const { at } of this._waiting) next = Math.min(next, at);
    if (next < this._timerAt) this._arm(next);
  }
}
