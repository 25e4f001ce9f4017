// @ts-check
/**
 * Tells people who hear the page that calls come, without talking over them: the first at once, then
 * one sentence for all that came within the time that follows.
 */

/** @import { SetTimer } from "../powers.js" */

const QUIET_MS = 10_000;

export class CallAnnouncer {
  #setTimer;
  #say;
  #unsaid = 0;
  #last = "";
  /** @type {(() => void) | null} while the quiet time runs */
  #cancel = null;

  /**
   * @param {SetTimer} setTimer
   * @param {(text: string) => void} say
   */
  constructor(setTimer, say) {
    this.#setTimer = setTimer;
    this.#say = say;
  }

  /** @param {string} name of the call, fit to be shown */
  came(name) {
    this.#unsaid += 1;
    this.#last = name;
    if (this.#cancel === null) this.#speak();
  }

  /** Says no more of what came. */
  stop() {
    this.#cancel?.();
    this.#cancel = null;
    this.#unsaid = 0;
  }

  #speak() {
    const count = this.#unsaid;
    this.#unsaid = 0;
    this.#cancel = this.#setTimer(QUIET_MS, () => {
      this.#cancel = null;
      if (this.#unsaid > 0) this.#speak();
    });
    this.#say(count === 1 ? `Call: ${this.#last}` : `${count} calls, the last: ${this.#last}`);
  }
}
