// @ts-check
/**
 * What the link knows whatever carries it: its client at the bridge, what it has received and
 * acknowledges, the results that are due, and whether the bridge is there. One for each attachment.
 *
 * Sends nothing by itself but results and reports; when to poll and when to open a channel is decided
 * by `poll_loop.js` and `channel_keeper.js`. Contract: delivery, liveness.
 */

import { BRIDGE_LIMITS } from "../contract/limits.js";
import { AnswerAges } from "./deadlines.js";
import { ResultOutbox } from "./result_outbox.js";
import { TakenReports } from "./taken_reports.js";
import { Unreached } from "./unreached.js";

/** @import { Cause } from "./attachment_cause.js" */
/** @import { BridgeApi, Outcome, PageState } from "./bridge_api.js" */
/** @import { Reading } from "./deadlines.js" */
/** @import { Item } from "./poll_answer.js" */
/** @import { Clock, SetTimer } from "./powers.js" */
/** @import { TransportEvents } from "./transport.js" */

/**
 * Every request but a poll gets an answer at once, or its bridge is stopped or cut off without a word.
 * After this long no caller waits for a result any more.
 */
export const REQUEST_MS = BRIDGE_LIMITS.maxCallSeconds * 1_000;

/**
 * @typedef {object} LinkPowers
 * @property {BridgeApi} api
 * @property {SetTimer} setTimer
 * @property {Clock} clock
 */

export class LinkState {
  client = "";
  /** The highest `seq` that came. */
  ack = 0;
  stopped = false;
  /** @type {PageState} */
  pageState = "visible";
  #api;
  #setTimer;
  #events;
  #live = true;
  #ages = new AnswerAges(BRIDGE_LIMITS.maxPollSeconds * 1_000);
  /** @type {Set<AbortController>} */
  #open = new Set();

  /**
   * @param {LinkPowers & Pick<TransportEvents, "onItems" | "onLive" | "onLost" | "onUnreached" | "onEnded">} powers
   * @param {(taken: number) => boolean} pushTaken tells on the channel what was begun; false where there
   *   is none
   */
  constructor(powers, pushTaken) {
    const { api, setTimer, clock } = powers;
    this.#api = api;
    this.#setTimer = setTimer;
    this.#events = powers;
    this.unreached = new Unreached(() => this.#events.onUnreached());
    this.outbox = new ResultOutbox({
      setTimer,
      nowMs: () => clock().monotonicMs,
      send: (id, response) =>
        this.request(REQUEST_MS, (signal) => api.result(this.client, id, response, { signal })),
    });
    this.taken = new TakenReports({
      setTimer,
      clock,
      report: (seq) => {
        // While the bridge is away the next check says it, without a request of its own. A report
        // that fails is not repeated: the poll finds out what is wrong.
        if (this.#live && !pushTaken(seq)) {
          void this.request(REQUEST_MS, (signal) =>
            api.state(this.client, this.pageState, seq, { signal }),
          );
        }
      },
    });
  }

  /**
   * The bridge counts anew and knows nothing of what it delivered before.
   *
   * @param {string} client
   */
  begin(client) {
    this.client = client;
    this.ack = 0;
    this.outbox.clear();
    this.taken.clear();
  }

  /**
   * Send a request, and break it off when it gets no answer for `ms`.
   *
   * @param {number} ms
   * @param {(signal: AbortSignal) => Promise<Outcome>} send
   * @returns {Promise<Outcome>} `unanswered` where that was so.
   */
  async request(ms, send) {
    const controller = new AbortController();
    let late = false;
    this.#open.add(controller);
    const cancelWatch = this.#setTimer(ms, () => {
      late = true;
      controller.abort();
    });
    const outcome = await send(controller.signal);
    cancelWatch();
    this.#open.delete(controller);
    const unanswered = late && !outcome.ok && outcome.kind === "network";
    return unanswered ? { ...outcome, kind: "unanswered" } : outcome;
  }

  /**
   * Items of a poll's answer.
   *
   * @param {{ now: number, items: Item[] }} answer
   * @param {Reading} sent
   * @param {Reading} received
   */
  polled(answer, sent, received) {
    const ageMs = this.#ages.age(answer.now, sent, received);
    this.markLive();
    this.#take(answer, ageMs, received);
  }

  /**
   * Items of the channel.
   *
   * @param {{ now: number, items: Item[] }} frame
   * @param {Reading} received
   */
  pushed(frame, received) {
    this.#take(frame, this.#ages.pushedAge(frame.now, received), received);
  }

  /**
   * @param {{ now: number, items: Item[] }} answer
   * @param {number} ageMs
   * @param {Reading} received
   */
  #take({ now, items }, ageMs, received) {
    if (items.length === 0) return;
    const delivered = items.map(({ deadline, ...item }) => ({
      ...item,
      // No call may take longer, whatever the bridge's clock says.
      remainingMs: Math.min(deadline - now, REQUEST_MS) - ageMs,
    }));
    for (const { id, seq } of items) {
      this.ack = Math.max(this.ack, seq);
      this.outbox.expect(id);
    }
    this.#events.onItems(delivered, received);
  }

  markLive() {
    this.unreached.reset();
    this.outbox.release();
    if (this.#live) return;
    this.#live = true;
    this.#events.onLive();
  }

  /** @param {Cause} cause */
  markLost(cause) {
    this.outbox.hold();
    if (!this.#live) return;
    this.#live = false;
    this.#events.onLost(cause);
  }

  /** @param {Cause} cause */
  end(cause) {
    this.stop();
    this.#events.onEnded(cause);
  }

  stop() {
    this.stopped = true;
    this.#api.forget();
    this.outbox.clear();
    this.taken.clear();
    for (const controller of this.#open) controller.abort();
  }
}
