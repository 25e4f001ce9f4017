// @ts-check
/**
 * The link's course: keeps one poll open while no channel is, acknowledges what came, and comes back
 * when the bridge was away. Runs in the worker, so that a busy page does not look like a dead one.
 *
 * Runs no action and knows no page. What it has received is kept in `link_state.js`; whether a channel
 * is tried is said by `channel_keeper.js`. Contract: delivery, liveness.
 */

import { BRIDGE_LIMITS } from "../contract/limits.js";
import { BackOff, LOST, OCCUPIED } from "./back_off.js";
import { readConnectAnswer } from "./connect_answer.js";
import { REQUEST_MS } from "./link_state.js";
import { readPollAnswer } from "./poll_answer.js";

/** @import { Cause } from "./attachment_cause.js" */
/** @import { BridgeApi, Failure } from "./bridge_api.js" */
/** @import { ChannelKeeper } from "./channel_keeper.js" */
/** @import { LinkState } from "./link_state.js" */
/** @import { Clock, SetTimer } from "./powers.js" */
/** @import { TransportEvents } from "./transport.js" */

/**
 * @typedef {object} PollLoopPowers
 * @property {BridgeApi} api
 * @property {string} app
 * @property {SetTimer} setTimer
 * @property {Clock} clock
 * @property {() => number} random
 * @property {LinkState} state
 * @property {ChannelKeeper} channel
 * @property {() => void} onPolling A poll is about to be sent.
 */

/** A poll without an answer for this long after the bridge should have given one is broken. */
const POLL_SLACK_MS = 10_000;
/** A poll that lasted this long shows that the bridge was there, even if it broke in the end. */
const PROVEN_MS = 5_000;
/**
 * How long a poll waits for a channel that is being opened. The newest transport wins: a poll that is on
 * its way when the channel opens would end it again. One that is parked by then does no harm.
 */
const OPENING_MS = 250;
const LONGEST_POLL_MS = BRIDGE_LIMITS.maxPollSeconds * 1_000;

/** @typedef {"poll" | "check" | "connect"} Step */

/** @param {string} text */
function readAnswer(text) {
  try {
    return readPollAnswer(text);
  } catch {
    return null;
  }
}

/**
 * @param {PollLoopPowers & Pick<TransportEvents, "onConnected">} powers
 * @returns {{ run: () => Promise<void>, hurry: () => void }} `run` ends when the state is stopped;
 *   `hurry` ends a wait
 */
export function makePollLoop(powers) {
  const { api, app, setTimer, clock, random, state, channel } = powers;
  const lost = new BackOff(LOST, random);
  const occupied = new BackOff(OCCUPIED, random);
  let connectedThisRound = false;
  /** A poll was under way when the channel opened, and could have ended it. */
  let overlapped = false;
  let lastAnswer = "";
  /** Above 0 once an old answer came again; counts the polls since. */
  let fresh = 0;
  let endPause = () => {};

  async function run() {
    /** @type {Step | null} */
    let step = "poll";
    while (step !== null && !state.stopped) {
      if (channel.isOpen || (channel.isOpening && step === "poll")) {
        step = await channelFirst(step);
      } else if (step === "poll") step = await poll();
      else if (step === "check") step = await check();
      else step = await connect();
    }
  }

  /**
   * A channel that opened has shown that the bridge is there, whatever was to be tried next.
   *
   * @param {Step} step
   * @returns {Promise<Step | null>} what comes when it is no more
   */
  async function channelFirst(step) {
    if (channel.isOpening) await channel.change(OPENING_MS);
    if (state.stopped) return null;
    if (!channel.isOpen) return step === "poll" ? poll() : step;
    const since = clock().monotonicMs;
    while (channel.isOpen) await channel.change();
    if (state.stopped) return null;
    if (clock().monotonicMs - since >= PROVEN_MS) proven();
    switch (channel.takeEnd()) {
      case "stale":
        return stale();
      case "closing":
        return end("closing");
      case "superseded":
        return overlapped ? "poll" : end("superseded");
      default:
        // At once: the bridge keeps the place for two seconds.
        return "poll";
    }
  }

  function proven() {
    lost.reset();
    occupied.reset();
    connectedThisRound = false;
  }

  /** @returns {Promise<Step | null>} */
  async function poll() {
    powers.onPolling();
    const contested = channel.isOpening;
    overlapped = false;
    const sent = clock();
    const outcome = await state.request(LONGEST_POLL_MS + POLL_SLACK_MS, (signal) =>
      api.poll(state.client, state.ack, { signal, fresh: fresh === 0 ? 0 : fresh++ }),
    );
    if (state.stopped) return null;
    overlapped = channel.isOpen;
    const received = clock();
    if (outcome.ok) {
      const answer = readAnswer(outcome.text);
      if (answer === null) return retry("check", "bad-answer");
      if (outcome.text === lastAnswer) return replayed();
      lastAnswer = outcome.text;
      // Tried first: the page works on the items while the channel opens.
      channel.offered(answer.channel);
      state.polled(answer, sent, received);
      proven();
      return "poll";
    }
    if (received.monotonicMs - sent.monotonicMs >= PROVEN_MS) lost.reset();
    // Our own channel took over.
    if (channel.isOpen || (contested && outcome.code === "POLL_SUPERSEDED")) return "poll";
    return recover(outcome, "check");
  }

  /**
   * The answer before came once more, to the millisecond: a service worker of the app keeps what it
   * has seen. Its items are known already. A new address gets past most of them.
   *
   * @returns {Promise<Step | null>}
   */
  async function replayed() {
    if (fresh > 0) return retry("poll", "replayed");
    fresh = 1;
    return "poll";
  }

  /**
   * Ask at once whether the bridge is back and still knows this client: a new poll would leave that
   * open for as long as it parks.
   *
   * @returns {Promise<Step | null>}
   */
  async function check() {
    const outcome = await state.request(REQUEST_MS, (signal) =>
      api.state(state.client, state.pageState, state.taken.highest, { signal }),
    );
    if (state.stopped) return null;
    if (!outcome.ok) return recover(outcome, "check");
    state.markLive();
    return "poll";
  }

  /** @returns {Promise<Step | null>} */
  async function connect() {
    connectedThisRound = true;
    channel.leave();
    const outcome = await state.request(REQUEST_MS, (signal) => api.connect(app, { signal }));
    if (state.stopped) return null;
    if (!outcome.ok) return recover(outcome, "connect");
    const answer = readConnectAnswer(outcome.text);
    if (answer === null) return end("bad-answer");
    state.begin(answer.client);
    occupied.reset();
    powers.onConnected(answer);
    state.markLive();
    channel.offered(answer.channel);
    return "poll";
  }

  /**
   * @param {Failure} failure
   * @param {"check" | "connect"} again the step to take after a wait
   * @returns {Promise<Step | null>}
   */
  async function recover(failure, again) {
    if (failure.kind === "forgotten") return end("by-request");
    if (failure.kind !== "network") state.unreached.reset();
    // Not by a request that was sent before the channel opened.
    else if (!channel.isOpen) state.unreached.failed();
    if (failure.kind !== "http") return retry(again, "bridge-lost");
    switch (failure.code) {
      case "UNAUTHORIZED":
        return end("wrong-token");
      case "POLL_SUPERSEDED":
        // Somebody else polls as this client. Polling back would supersede him in turn, for ever.
        return end("superseded");
      case "CLOSING":
        return end("closing");
      case "STALE_CLIENT":
        return stale();
      case "ALREADY_ATTACHED":
        state.markLost("bridge-lost");
        return wait(occupied.next(clock().monotonicMs), "connect", "attached-elsewhere");
      case "BUSY":
        return retry(again, "busy", failure.retryAfterMs ?? 0);
      default:
        return retry(again, "bad-answer");
    }
  }

  /** @returns {Promise<Step | null>} */
  async function stale() {
    if (connectedThisRound) return retry("connect", "bridge-lost");
    state.markLost("bridge-lost");
    return "connect";
  }

  /**
   * @param {Step} step
   * @param {"bridge-lost" | "busy" | "bad-answer" | "replayed"} cause
   * @param {number} [atLeastMs]
   * @returns {Promise<Step | null>}
   */
  async function retry(step, cause, atLeastMs = 0) {
    // What failed was sent before the channel opened, which has shown since that the bridge is there.
    // Results that were held back now would wait until it ends.
    if (channel.isOpen) return step;
    state.markLost("bridge-lost");
    const ms = lost.next(clock().monotonicMs);
    const finalCause = cause === "bridge-lost" ? "bridge-gone" : cause;
    return wait(ms === null ? null : Math.max(ms, atLeastMs), step, finalCause);
  }

  /**
   * @param {number | null} ms null: the attempts are used up
   * @param {Step} step
   * @param {Cause} finalCause
   * @returns {Promise<Step | null>}
   */
  async function wait(ms, step, finalCause) {
    if (ms === null) return end(finalCause);
    const since = clock().monotonicMs;
    await /** @type {Promise<void>} */ (
      new Promise((resolve) => {
        const cancel = setTimer(ms, resolve);
        endPause = () => {
          cancel();
          resolve();
        };
      })
    );
    state.unreached.paused(Math.min(ms, clock().monotonicMs - since));
    connectedThisRound = false;
    return step;
  }

  /** @param {Cause} cause */
  function end(cause) {
    state.end(cause);
    return null;
  }

  return { run, hurry: () => endPause() };
}
