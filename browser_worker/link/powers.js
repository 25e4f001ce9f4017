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

/**
 * Makes a way to call back in a task of its own, soon. Not a timer: those wait in a hidden tab.
 *
 * @returns {(callback: () => void) => void}
 */
export function makeDefer() {
  const { port1, port2 } = new MessageChannel();
  /** @type {(() => void)[]} */
  const waiting = [];
  port1.onmessage = () => waiting.shift()?.();
  return (callback) => {
    waiting.push(callback);
    port2.postMessage(null);
  };
}

/** @type {Clock} */
export function readClocks() {
  return { monotonicMs: performance.now(), wallMs: Date.now() };
}
