// @ts-check
/** The pauses between slices of work, which end when a test says so. */

export class Pauses {
  constructor() {
    /** @type {(() => void)[]} */
    this._waiting = [];
    this.pause = (/** @type {() => void} */ callback) => void this._waiting.push(callback);
  }

  /** How many there are. */
  get count() {
    return this._waiting.length;
  }

  /** Ends the oldest pause. */
  endOne() {
    const next = this._waiting.shift();
    if (next === undefined) throw new Error("nothing is pausing");
    next();
  }

  /** Ends all of them, and those that begin meanwhile. @returns {number} How many there were. */
  endAll() {
    let count = 0;
    for (; this._waiting.length > 0; count++) this.endOne();
    return count;
  }
}
