// @ts-check
/** Who is told when something happens, in the order of asking. What an observer throws changes nothing. */

/**
 * The observers of one subject.
 *
 * @template T
 */
export class Observers {
  constructor() {
    /** @type {Set<(event: T) => void>} */
    this._observers = new Set();
  }

  get size() {
    return this._observers.size;
  }

  /**
   * @param {(event: T) => void} observer
   * @returns {() => void} Ends the watching.
   */
  add(observer) {
    this._observers.add(observer);
    return () => void this._observers.delete(observer);
  }

  /** @param {T} event */
  notify(event) {
    for (const observer of this._observers) {
      try {
        observer(event);
      } catch {
        // An observer only watches.
      }
    }
  }
}
