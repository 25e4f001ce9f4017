// @ts-check
/**
 * How often apps took the keyboard from a dialog of the page. Counted for an app as a whole: one that has
 * many frames has no more attempts than one that has a single frame.
 */

/** An app that ends some work may put its cursor into a field. One that goes on does it on purpose. */
export const MAX_THEFTS = 5;

export class TheftCount {
  /**
   * @param {(frame: Element) => string | null} appOf Whose frame it is; null for one of no installed app,
   *   which is counted by itself.
   */
  constructor(appOf) {
    this._appOf = appOf;
    /** @type {Map<string | Element, number>} */
    this._thefts = new Map();
  }

  /**
   * Counts one more theft by a frame.
   *
   * @param {Element} frame
   * @returns {boolean} Whether that frame has to go. Once an app has had its attempts, each frame of it that
   *   takes the keyboard goes at once; those that do not, stay.
   */
  add(frame) {
    const app = this._appOf(frame) ?? frame;
    const thefts = (this._thefts.get(app) ?? 0) + 1;
    this._thefts.set(app, thefts);
    return thefts >= MAX_THEFTS;
  }

  /** Begins anew. */
  clear() {
    this._thefts.clear();
  }
}
