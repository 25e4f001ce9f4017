// @ts-check
/**
 * How old a message is when it is looked at, judged by two clocks.
 *
 * A machine that slept, a page that was frozen and a thread that was busy all make a message older
 * than it looks. No clock alone tells: the monotonic one stops in sleep on some systems, the wall
 * clock is set by people. Whichever has advanced further is believed, so that nothing stale starts.
 */

/**
 * @typedef {object} Reading One look at both clocks.
 * @property {number} monotonicMs
 * @property {number} wallMs Unix ms.
 */

/** Readings that a clock's offset is remembered over: a clock that is set is believed again soon. */
const WINDOW = 8;
/** A channel can bring eight frames at once that all waited as long: older ones must still be known. */
const BRIDGE_WINDOW = 16;

/**
 * Estimates how late a reading of another clock arrives. The smallest difference seen lately is
 * taken to be the offset of the two clocks; what lies above it is delay.
 */
export class DelayFilter {
  /** @type {number[]} */
  #differences = [];
  #window;

  /** @param {number} [window] how many readings are remembered */
  constructor(window = WINDOW) {
    this.#window = window;
  }

  /**
   * @param {number} there the other clock when the message was sent
   * @param {number} here our clock when it arrived
   * @returns {number} ms, at least 0
   */
  delay(there, here) {
    const difference = here - there;
    this.#differences.push(difference);
    if (this.#differences.length > this.#window) this.#differences.shift();
    return difference - Math.min(...this.#differences);
  }
}

/**
 * How long ago it was, by the clock that advanced further.
 *
 * @param {Reading} then
 * @param {Reading} now
 * @returns {number} ms, at least 0
 */
export function elapsedMs(then, now) {
  return Math.max(0, now.monotonicMs - then.monotonicMs, now.wallMs - then.wallMs);
}

/** The age of what the bridge sends, at its arrival. One for each bridge. */
export class AnswerAges {
  #filter = new DelayFilter(BRIDGE_WINDOW);
  #longestPollMs;

  /** @param {number} longestPollMs after which the bridge answers a poll in any case */
  constructor(longestPollMs) {
    this.#longestPollMs = longestPollMs;
  }

  /**
   * @param {number} bridgeNowMs the answer's own `now`
   * @param {Reading} sent
   * @param {Reading} received
   * @returns {number} ms, at least 0
   */
  age(bridgeNowMs, sent, received) {
    return Math.max(
      this.#filter.delay(bridgeNowMs, received.wallMs),
      elapsedMs(sent, received) - this.#longestPollMs,
    );
  }

  /**
   * The age of a frame that was not asked for: only the clocks can tell.
   *
   * @param {number} bridgeNowMs the frame's own `now`
   * @param {Reading} received
   * @returns {number} ms, at least 0
   */
  pushedAge(bridgeNowMs, received) {
    return this.#filter.delay(bridgeNowMs, received.wallMs);
  }
}
