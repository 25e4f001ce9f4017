// @ts-check
/**
 * Bounds what one source may send: so much for as long as it likes, and twice as much at once. A port
 * has no back-pressure, so who sends more loses it. A call that another has answered
 * is forgiven: who waits for those is no flood, however fast it is. Contract: bus, bounds.
 */

import { BUS_LIMITS } from "../../contract/limits.js";

export class FloodGuard {
  /**
   * @param {() => number} now Milliseconds on a clock that never goes back.
   * @param {{ maxMessagesPerSecond: number, maxBytesPerSecond: number }} [limits]
   */
  constructor(now, limits = BUS_LIMITS) {
    this._now = now;
    this._limits = limits;
    this._at = now();
    this._messages = 0;
    this._bytes = 0;
  }

  /**
   * Counts a message.
   *
   * @param {number} bytes
   * @returns {boolean} False where it is one too many.
   */
  take(bytes) {
    const { maxMessagesPerSecond, maxBytesPerSecond } = this._limits;
    const now = this._now();
    const seconds = Math.max(0, now - this._at) / 1000;
    this._at = now;
    // What was sent leaks away at the rate that is allowed.
    this._messages = Math.max(0, this._messages - seconds * maxMessagesPerSecond) + 1;
    this._bytes = Math.max(0, this._bytes - seconds * maxBytesPerSecond) + bytes;
    return this._messages <= 2 * maxMessagesPerSecond && this._bytes <= 2 * maxBytesPerSecond;
  }

  /** Counts one message less: it was a call that was let in, and has its result. */
  forgive() {
    this._messages = Math.max(0, this._messages - 1);
  }
}
