// @ts-check
/**
 * Tells the bridge which items the page has begun, when one of them takes long: a hidden page whose
 * items are not begun is taken to be asleep. Kept in the worker, whose timer runs while an action
 * holds the page's main thread. Contract: liveness.
 */

import { BRIDGE_LIMITS } from "../contract/limits.js";

/** @import { Clock, SetTimer } from "./powers.js" */

const LONG_MS = BRIDGE_LIMITS.takenReportSeconds * 1_000;

export class TakenReports {
  #setTimer;
  #clock;
  #report;
  /** @type {Map<string, { seq: number, sinceMs: number }>} begun and not done, oldest first */
  #running = new Map();
  /** @type {(() => void) | null} */
  #cancel = null;
  #highest = 0;
  #reported = 0;

  /**
   * @param {object} powers
   * @param {SetTimer} powers.setTimer
   * @param {Clock} powers.clock
   * @param {(seq: number) => void} powers.report
   */
  constructor({ setTimer, clock, report }) {
    this.#setTimer = setTimer;
    this.#clock = clock;
    this.#report = report;
  }

  /** The highest `seq` that the page has begun. */
  get highest() {
    return this.#highest;
  }

  /**
   * @param {string} id
   * @param {number} seq
   */
  begun(id, seq) {
    this.#highest = Math.max(this.#highest, seq);
    this.#running.set(id, { seq, sinceMs: this.#clock().monotonicMs });
    this.#arm(LONG_MS);
  }

  /** @param {string} id */
  done(id) {
    this.#running.delete(id);
  }

  /** The bridge counts anew. */
  clear() {
    this.#running.clear();
    this.#cancel?.();
    this.#cancel = null;
    this.#highest = 0;
    this.#reported = 0;
  }

  /** @param {number} ms */
  #arm(ms) {
    // One timer for all of them, left alone when an item is done: most calls end long before it.
    this.#cancel ??= this.#setTimer(ms, () => {
      this.#cancel = null;
      this.#look();
    });
  }

  #look() {
    const nowMs = this.#clock().monotonicMs;
    for (const { seq, sinceMs } of this.#running.values()) {
      if (seq <= this.#reported) continue;
      const leftMs = sinceMs + LONG_MS - nowMs;
      if (leftMs > 0) {
        this.#arm(leftMs);
        return;
      }
      this.#reported = this.#highest;
      this.#report(this.#highest);
    }
  }
}
