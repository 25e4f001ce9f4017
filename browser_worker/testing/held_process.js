// @ts-check
/**
 * What keeps a process of Node alive for a workspace in memory: a call that has not ended, and nothing
 * else. A test that forgets to close it then ends all the same. Elsewhere it does nothing.
 */

import { pagePowers } from "../kernel/kernel_powers.js";

/** @import { BusPort, KernelPowers } from "../kernel/kernel_powers.js" */

/** @typedef {{ ref: () => void, unref: () => void }} NodeTimer */

/** Longer than any call lasts. */
const HELD_MS = 3_600_000;

export class HeldProcess {
  constructor() {
    /** @type {NodeTimer | null} */
    this._hold = null;
    this._asked = false;
    /** Whether there is a call that has not ended. */
    this.isBusy = () => false;
  }

  /** Looks once more whether there is one, after what happens now. */
  look() {
    if (this._asked) return;
    this._asked = true;
    queueMicrotask(() => {
      this._asked = false;
      const busy = this.isBusy();
      if (busy && this._hold === null) this._hold = nodeTimer(setInterval(() => {}, HELD_MS));
      else if (!busy) this.end();
    });
  }

  end() {
    if (this._hold !== null) clearInterval(/** @type {any} */ (this._hold));
    this._hold = null;
  }

  /** @returns {[BusPort, BusPort]} Two ends of one channel; what is under way always arrives. */
  channel() {
    const one = new HeldPort(this);
    const two = new HeldPort(this);
    one.other = two;
    two.other = one;
    return [one, two];
  }
}

/** A page's powers, whose timers keep no process alive. @returns {KernelPowers} */
export function idlePowers() {
  return {
    ...pagePowers(),
    setTimer: (ms, callback) => {
      const timer = setTimeout(callback, ms);
      nodeTimer(timer)?.unref();
      return () => clearTimeout(timer);
    },
  };
}

/**
 * @param {unknown} timer
 * @returns {NodeTimer | null} Null in a browser, where it is a number.
 */
function nodeTimer(timer) {
  return typeof timer === "object" ? /** @type {NodeTimer} */ (timer) : null;
}

/** @implements {BusPort} */
class HeldPort {
  /** @param {HeldProcess} held */
  constructor(held) {
    this._held = held;
    this._closed = false;
    /** What came before anybody listened. @type {unknown[]} */
    this._early = [];
    /** @type {((event: any) => void) | null} */
    this._listener = null;
    /** @type {HeldPort | null} */
    this.other = null;
    /** @type {((event: any) => void) | null} */
    this.onmessageerror = null;
  }

  get onmessage() {
    return this._listener;
  }

  set onmessage(listener) {
    this._listener = listener;
    if (listener === null) return;
    for (const data of this._early.splice(0)) queueMicrotask(() => this._deliver(data));
  }

  /**
   * @param {any} message
   * @param {ArrayBuffer[]} [transfer]
   */
  postMessage(message, transfer = []) {
    const data = structuredClone(message, { transfer });
    if (this._closed) return;
    queueMicrotask(() => this.other?._deliver(data));
    this._held.look();
  }

  close() {
    this._closed = true;
    this._early = [];
  }

  /** @param {unknown} data */
  _deliver(data) {
    if (this._closed) return;
    if (this._listener === null) this._early.push(data);
    else this._listener({ data });
    this._held.look();
  }
}
