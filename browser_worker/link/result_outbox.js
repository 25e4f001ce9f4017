// @ts-check
/**
 * Results on their way to the bridge: a few at a time, repeated a few times when the bridge did not
 * answer, held back while it is away, and dropped when nobody waits for them any more.
 *
 * A repeated result is safe: the bridge takes the first one and names the second a duplicate.
 */

/** @import { Outcome } from "./bridge_api.js" */
/** @import { SetTimer } from "./powers.js" */

/**
 * At most this many posts at once. Browsers open six connections to one host, over all tabs; the poll
 * needs one, and so does a goodbye.
 */
const MAX_POSTS = 4;
const REPEAT_DELAYS_MS = Object.freeze([300, 1_000, 3_000]);

/** @typedef {{ id: string, response: string | null, attempts: number }} Result */

export class ResultOutbox {
  #send;
  #setTimer;
  /** @type {Set<string>} ids that the bridge waits for */
  #expected = new Set();
  /** @type {Result[]} */
  #waiting = [];
  /** @type {Set<() => void>} */
  #repeats = new Set();
  #posting = 0;
  #held = false;
  #era = 0;

  /**
   * @param {object} powers
   * @param {(id: string, response: string | null) => Promise<Outcome>} powers.send
   * @param {SetTimer} powers.setTimer
   */
  constructor({ send, setTimer }) {
    this.#send = send;
    this.#setTimer = setTimer;
  }

  /** @param {string} id */
  expect(id) {
    this.#expected.add(id);
  }

  /** @param {string} id */
  expects(id) {
    return this.#expected.has(id);
  }

  /**
   * Only the first result of an id that is expected is sent.
   *
   * @param {string} id
   * @param {string | null} response JSON text, or null: it is too large
   */
  post(id, response) {
    if (!this.#expected.delete(id)) return;
    this.#waiting.push({ id, response, attempts: 0 });
    this.#pump();
  }

  /** Send nothing more until `release`. */
  hold() {
    this.#held = true;
  }

  release() {
    this.#held = false;
    this.#pump();
  }

  /** Forget everything: the bridge knows none of it any more. */
  clear() {
    this.#era += 1;
    this.#expected.clear();
    this.#waiting = [];
    for (const cancel of this.#repeats) cancel();
    this.#repeats.clear();
  }

  #pump() {
    while (!this.#held && this.#posting < MAX_POSTS) {
      const result = this.#waiting.shift();
      if (result === undefined) return;
      this.#posting += 1;
      void this.#post(result);
    }
  }

  /** @param {Result} result */
  async #post(result) {
    const era = this.#era;
    const outcome = await this.#send(result.id, result.response);
    this.#posting -= 1;
    if (era === this.#era) {
      if (mayRepeat(outcome)) this.#repeat(result, outcome);
      else if (isUnsendable(outcome) && result.response !== null) {
        // Its caller hears that much, instead of nothing until its time is up.
        this.#waiting.push({ ...result, response: null });
      }
    }
    this.#pump();
  }

  /**
   * @param {Result} result
   * @param {Outcome} outcome
   */
  #repeat(result, outcome) {
    const delay = REPEAT_DELAYS_MS[result.attempts];
    if (delay === undefined) return;
    result.attempts += 1;
    const atLeast = outcome.ok ? 0 : (outcome.retryAfterMs ?? 0);
    const cancel = this.#setTimer(Math.max(delay, atLeast), () => {
      this.#repeats.delete(cancel);
      this.#waiting.push(result);
      this.#pump();
    });
    this.#repeats.add(cancel);
  }
}

/**
 * Everything else is final: taken, refused, or no longer waited for.
 *
 * @param {Outcome} outcome
 */
function mayRepeat(outcome) {
  return !outcome.ok && (outcome.kind === "network" || outcome.code === "BUSY");
}

/**
 * The bridge cannot pass the response on: a limit other than its size is broken.
 *
 * @param {Outcome} outcome
 */
function isUnsendable(outcome) {
  return !outcome.ok && (outcome.code === "BAD_REQUEST" || outcome.code === "TOO_LARGE");
}
