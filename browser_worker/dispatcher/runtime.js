// @ts-check
/**
 * What a dispatcher needs of the world around it: a clock and a timer. Passed in, so that the
 * dispatcher itself has no event loop.
 */

/**
 * @typedef {object} Runtime
 * @property {() => number} now Milliseconds on a clock that never goes back.
 * @property {(milliseconds: number, callback: () => void) => () => void} after Calls back once, later;
 *   gives a function that cancels.
 */

/**
 * A world in which no time passes: nothing is ever deferred for being slow.
 *
 * @type {Runtime}
 */
export const TIMELESS = Object.freeze({ now: () => 0, after: () => () => {} });
