// @ts-check
/**
 * Whether a bridge is gone, as far as a page can know: to reach it failed at once, again and again, for longer
 * than it keeps a page's place. Counts the pauses between the attempts and not the clock, which jumps while a
 * computer sleeps. A bridge that is stopped or busy takes a request and does not answer: that says nothing.
 * Contract: liveness.
 */

import { BRIDGE_LIMITS } from "../contract/limits.js";

/** A second more than it waits: what was sent in time may be answered late. */
const GONE_MS = (BRIDGE_LIMITS.clientGraceSeconds + 1) * 1_000;

export class Unreached {
  #tell;
  /** Since the first of the failures in a row; null while there is none. @type {number | null} */
  #pausedMs = null;
  #told = false;

  /** @param {() => void} tell Called once for each time that it is gone. */
  constructor(tell) {
    this.#tell = tell;
  }

  /** An attempt to reach it failed at once. */
  failed() {
    this.#pausedMs ??= 0;
    if (this.#told || this.#pausedMs < GONE_MS) return;
    this.#told = true;
    this.#tell();
  }

  /** @param {number} ms How long nothing was tried. */
  paused(ms) {
    if (this.#pausedMs !== null) this.#pausedMs += ms;
  }

  /** It was reached, or it is not known whether it was. */
  reset() {
    this.#pausedMs = null;
    this.#told = false;
  }
}
