// @ts-check
/** A dispatcher's runtime in a browser: the monotonic clock and timers of the page. */

/** @import { Runtime } from "../dispatcher/runtime.js" */

/** @type {Runtime} */
export const browserRuntime = Object.freeze({
  now: () => performance.now(),
  after(milliseconds, callback) {
    const timer = setTimeout(callback, milliseconds);
    return () => clearTimeout(timer);
  },
});
