// @ts-check
/** A runtime whose clock a test holds in its hand. */

export class ManualRuntime {
  constructor() {
    this.time = 0;
    /** @type {Set<{ due: number, callback: () => void }>} */
    this.timers = new Set();
    this.now = () => this.time;
    this.after = (/** @type {number} */ milliseconds, /** @type {() => void} */ callback) => {
      const timer = { due: this.time + milliseconds, callback };
      this.timers.add(timer);
      return () => void this.timers.delete(timer);
    };
  }

  /** @param {number} milliseconds */
  pass(milliseconds) {
    this.time += milliseconds;
    for (const timer of [...this.timers].sort((a, b) => a.due - b.due)) {
      if (timer.due <= this.time && this.timers.delete(timer)) timer.callback();
    }
  }
}
