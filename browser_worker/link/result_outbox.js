// @ts-check
/**
 * Results on their way to the bridge: up the channel while one is open, else posted, a few at a time.
 * Repeated when it is not known whether the bridge got them, held back while it is away, and dropped
 * when nobody waits for them any more.
 *
 * A repeated result is safe: the bridge takes the first one and names the second a duplicate.
 */

import { BRIDGE_LIMITS } from "../contract/limits.js";

/** @import { Outcome } from "./bridge_api.js" */
/** @import { SetTimer } from "./powers.js" */

/**
 * At most this many posts at once. Browsers open six connections to one host, over all tabs; the poll
 * needs one, and so does a goodbye.
 */
const MAX_POSTS = 4;
const REPEAT_DELAYS_MS = Object.freeze([300, 1_000, 3_000]);
/** The bridge waits for no more at once. */
const MAX_UNCONFIRMED = BRIDGE_LIMITS.maxOutstanding;
/** After this long no caller waits for a result any more. */
const UNCONFIRMED_MS = BRIDGE_LIMITS.maxCallSeconds * 1_000;

/** @typedef {{ id: string, response: string | null, attempts: number }} Result */

/** @typedef {(results: Result[]) => void} Push Sends results up the channel, at once and in order. */

export class ResultOutbox {
  #send;
  #setTimer;
  #nowMs;
  /** @type {Push | null} null: there is no channel, results are posted */
  #push = null;
  /** @type {Set<string>} ids that the bridge waits for */
  #expected = new Set();
  /** @type {Result[]} */
  #waiting = [];
  /** @type {Map<string, { result: Result, sentAtMs: number }>} gone up the channel, oldest first */
  #unconfirmed = new Map();
  /** @type {Set<() => void>} */
  #repeats = new Set();
  #posting = 0;
  #held = false;
  #era = 0;

  /**
   * @param {object} powers
   * @param {(id: string, response: string | null) => Promise<Outcome>} powers.send
   * @param {SetTimer} powers.setTimer
   * @param {() => number} powers.nowMs monotonic
   */
  constructor({ send, setTimer, nowMs }) {
    this.#send = send;
    this.#setTimer = setTimer;
    this.#nowMs = nowMs;
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
   * Only the first result of an id that is expected is sent. Those that come together go up the
   * channel together.
   *
   * @param {readonly { id: string, response: string | null }[]} results each JSON text, or null: it
   *   is too large
   */
  post(results) {
    for (const { id, response } of results) {
      if (this.#expected.delete(id)) this.#waiting.push({ id, response, attempts: 0 });
    }
    this.#pump();
  }

  /**
   * A channel is open: it carries everything from now on.
   *
   * @param {Push} push
   */
  openChannel(push) {
    this.#push = push;
    this.#pump();
  }

  /**
   * The channel is no more. The bridge confirms no result on it, so each that it may not have got is
   * sent again.
   */
  closeChannel() {
    this.#push = null;
    this.forgetOld();
    const again = [...this.#unconfirmed.values()].map(({ result }) => result);
    this.#unconfirmed.clear();
    this.#waiting.unshift(...again);
    this.#pump();
  }

  /**
   * The bridge refused a result on the channel.
   *
   * @param {string} id
   * @param {string} code
   */
  refused(id, code) {
    const sent = this.#unconfirmed.get(id);
    this.#unconfirmed.delete(id);
    if (sent !== undefined && isUnsendable(code)) this.#degrade(sent.result);
    this.#pump();
  }

  /** Keep no result in memory for which nobody can wait any more. */
  forgetOld() {
    const before = this.#nowMs() - UNCONFIRMED_MS;
    for (const [id, { sentAtMs }] of this.#unconfirmed) {
      if (sentAtMs > before && this.#unconfirmed.size <= MAX_UNCONFIRMED) return;
      this.#unconfirmed.delete(id);
    }
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
    this.#unconfirmed.clear();
    this.#waiting = [];
    for (const cancel of this.#repeats) cancel();
    this.#repeats.clear();
  }

  #pump() {
    if (this.#held || this.#waiting.length === 0) return;
    if (this.#push !== null) this.#pushAll(this.#push);
    while (!this.#held && this.#push === null && this.#posting < MAX_POSTS) {
      const result = this.#waiting.shift();
      if (result === undefined) return;
      this.#posting += 1;
      void this.#post(result);
    }
  }

  /** @param {Push} push */
  #pushAll(push) {
    const results = this.#waiting;
    this.#waiting = [];
    const sentAtMs = this.#nowMs();
    // Noted before they leave: a channel that breaks in between gives them back.
    for (const result of results) this.#unconfirmed.set(result.id, { result, sentAtMs });
    if (this.#unconfirmed.size > MAX_UNCONFIRMED) this.forgetOld();
    push(results);
  }

  /** @param {Result} result */
  async #post(result) {
    const era = this.#era;
    const outcome = await this.#send(result.id, result.response);
    this.#posting -= 1;
    if (era === this.#era && !outcome.ok) {
      const isLost = outcome.kind === "network" || outcome.kind === "unanswered";
      if (isLost || outcome.code === "BUSY") {
        this.#repeat(result, outcome.retryAfterMs ?? 0);
      } else if (isUnsendable(outcome.code)) this.#degrade(result);
      // Everything else is final: refused, or no longer waited for.
    }
    this.#pump();
  }

  /**
   * Its caller hears that it cannot be sent, instead of nothing until its time is up.
   *
   * @param {Result} result
   */
  #degrade(result) {
    if (result.response !== null) this.#waiting.push({ ...result, response: null });
  }

  /**
   * @param {Result} result
   * @param {number} atLeastMs
   */
  #repeat(result, atLeastMs) {
    const delay = REPEAT_DELAYS_MS[result.attempts];
    if (delay === undefined) return;
    result.attempts += 1;
    const cancel = this.#setTimer(Math.max(delay, atLeastMs), () => {
      this.#repeats.delete(cancel);
      this.#waiting.push(result);
      this.#pump();
    });
    this.#repeats.add(cancel);
  }
}

/**
 * The bridge cannot pass the response on: a limit other than its size is broken.
 *
 * @param {string} code
 */
function isUnsendable(code) {
  return code === "BAD_REQUEST" || code === "TOO_LARGE";
}
