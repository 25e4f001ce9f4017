// @ts-check
/**
 * What the kernel is given of the world: clocks, timers and names that nobody can guess. Types, and
 * the ones that a page has.
 */

/**
 * @typedef {object} KernelPowers
 * @property {() => number} now Milliseconds on a clock that never goes back.
 * @property {() => number} wallNow Unix milliseconds.
 * @property {(ms: number, callback: () => void) => () => void} setTimer Calls back once; the result
 *   cancels it.
 * @property {() => string} newId A name of `[a-z0-9]` that has never been given before.
 */

/**
 * @typedef {object} BusPort What the kernel needs of a MessagePort.
 * @property {(message: any, transfer: ArrayBuffer[]) => void} postMessage
 * @property {((event: any) => void) | null} onmessage Setting it begins delivery.
 * @property {((event: any) => void) | null} onmessageerror
 * @property {() => void} close
 */

/** @returns {KernelPowers} */
export function pagePowers() {
  return {
    now: () => performance.now(),
    wallNow: () => Date.now(),
    setTimer: (ms, callback) => {
      const timer = setTimeout(callback, ms);
      return () => clearTimeout(timer);
    },
    newId: () => crypto.randomUUID().replaceAll("-", ""),
  };
}
