// @ts-check
/**
 * How long to wait before the next attempt, and when to stop: a fixed list of delays, spread by
 * chance so that several pages do not come back in step, and an end.
 */

/**
 * @typedef {object} Schedule
 * @property {readonly number[]} delaysMs The last one repeats.
 * @property {number} endAfterMs From the first failure; no attempt is made later.
 * @property {number} jitter Largest part of a delay that chance adds or takes away.
 */

/**
 * For a bridge that does not answer. The first two attempts fall within the two seconds that the
 * bridge keeps a page's place; at most six fall into the first minute.
 *
 * @type {Readonly<Schedule>}
 */
export const LOST = Object.freeze({
  delaysMs: Object.freeze([300, 1_000, 4_000, 10_000, 20_000, 30_000, 45_000, 60_000]),
  endAfterMs: 300_000,
  jitter: 0.2,
});

/**
 * For a place that is taken. A page that is reloaded has to wait out its own predecessor, whose place
 * is kept for two seconds.
 *
 * @type {Readonly<Schedule>}
 */
export const OCCUPIED = Object.freeze({
  delaysMs: Object.freeze([300, 700, 1_400, 2_000]),
  endAfterMs: 5_000,
  jitter: 0.1,
});

/**
 * For a channel that does not open or breaks: polling carries the calls meanwhile, so there is no end.
 *
 * @type {Readonly<Schedule>}
 */
export const CHANNEL = Object.freeze({
  delaysMs: Object.freeze([0, 1_000, 5_000, 20_000, 60_000, 300_000]),
  endAfterMs: Infinity,
  jitter: 0.2,
});

export class BackOff {
  #schedule;
  #random;
  #attempts = 0;
  /** @type {number | null} */
  #sinceMs = null;

  /**
   * @param {Schedule} schedule
   * @param {() => number} random from 0 up to 1
   */
  constructor(schedule, random) {
    this.#schedule = schedule;
    this.#random = random;
  }

  /**
   * @param {number} nowMs monotonic
   * @returns {number | null} the wait in ms, or null at the end
   */
  next(nowMs) {
    this.#sinceMs ??= nowMs;
    const { delaysMs, endAfterMs, jitter } = this.#schedule;
    const delay = delaysMs[Math.min(this.#attempts, delaysMs.length - 1)] ?? 0;
    this.#attempts += 1;
    const wait = delay * (1 + jitter * (2 * this.#random() - 1));
    return nowMs - this.#sinceMs + wait > endAfterMs ? null : wait;
  }

  /** It worked: the next failure is a first one again. */
  reset() {
    this.#attempts = 0;
    this.#sinceMs = null;
  }
}
