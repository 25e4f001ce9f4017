// @ts-check
/** Two clocks and timers that stand still until a test moves them. */

/** @import { Reading } from "../../../../browser_worker/link/deadlines.js" */

/** Let everything run that waits for nothing but promises. */
export async function settle() {
  for (let turn = 0; turn < 4; turn += 1) {
    await new Promise((resolve) => setImmediate(resolve));
  }
}

export class FakeTime {
  monotonicMs = 1_000;
  wallMs = 1_800_000_000_000;
  /** @type {{ at: number, callback: () => void }[]} */
  timers = [];

  /** @returns {Reading} */
  clock = () => ({ monotonicMs: this.monotonicMs, wallMs: this.wallMs });

  /** @type {import("../../../../browser_worker/link/powers.js").SetTimer} */
  setTimer = (ms, callback) => {
    const timer = { at: this.monotonicMs + ms, callback };
    this.timers.push(timer);
    return () => {
      this.timers = this.timers.filter((other) => other !== timer);
    };
  };

  /**
   * Both clocks go on, timers run when they are due.
   *
   * @param {number} ms
   */
  async advance(ms) {
    await settle();
    const end = this.monotonicMs + ms;
    for (;;) {
      const due = this.timers.filter((timer) => timer.at <= end).sort((a, b) => a.at - b.at)[0];
      if (due === undefined) break;
      this.timers = this.timers.filter((timer) => timer !== due);
      this.#moveTo(Math.max(this.monotonicMs, due.at));
      due.callback();
      await settle();
    }
    this.#moveTo(end);
    await settle();
  }

  /**
   * The machine sleeps: the wall clock goes on, the monotonic one stands still.
   *
   * @param {number} ms
   */
  sleep(ms) {
    this.wallMs += ms;
  }

  /** @param {number} monotonicMs */
  #moveTo(monotonicMs) {
    this.wallMs += monotonicMs - this.monotonicMs;
    this.monotonicMs = monotonicMs;
  }
}
