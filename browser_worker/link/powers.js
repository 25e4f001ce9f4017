// @ts-check
/**
 * The small shapes in which clocks, timers and chance are passed to the link's modules, and the ones
 * that windows and workers share. Everything else of a browser is passed in by `attach.js` alone.
 */

/** @import { Reading } from "./deadlines.js" */

/**
 * @callback SetTimer Calls back once after `ms`.
 * @param {number} ms
 * @param {() => void} callback
 * @returns {() => void} cancels it; harmless afterwards
 */

/** @typedef {() => Reading} Clock */
/** @typedef {typeof fetch} Fetch */

/** @type {SetTimer} */
export function setTimer(ms, callback) {
  const timer = setTimeout(callback, ms);
  return () => clearTimeout(timer);
}

/** @type {Clock} */
export function readClocks() {
  return { monotonicMs: performance.now(), wallMs: Date.now() };
}
