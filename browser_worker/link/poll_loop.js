// @ts-check
/**
 * The long-polling transport: keeps one poll open, acknowledges what came, posts results, and comes
 * back when the bridge was away. Runs in the worker, so that a busy page does not look like a dead one.
 *
 * Runs no action and knows no page. Another transport offers the same `Transport`. Contract: delivery,
 * liveness.
 */

import { BRIDGE_LIMITS } from "../contract/limits.js";
import { BackOff, LOST, OCCUPIED } from "./back_off.js";
import { readConnectAnswer } from "./connect_answer.js";
import { AnswerAges } from "./deadlines.js";
import { readPollAnswer } from "./poll_answer.js";
import { ResultOutbox } from "./result_outbox.js";
import { TakenReports } from "./taken_reports.js";

/** @import { Cause } from "./attachment_cause.js" */
/** @import { BridgeApi, Failure, Outcome, PageState } from "./bridge_api.js" */
/** @import { ConnectAnswer } from "./connect_answer.js" */
/** @import { Reading } from "./deadlines.js" */
/** @import { PollAnswer } from "./poll_answer.js" */
/** @import { Clock, SetTimer } from "./powers.js" */

/**
 * @typedef {object} DeliveredItem One thing to do, as it is handed to the page.
 * @property {string} id
 * @property {number} seq
 * @property {string} session
 * @property {number} remainingMs Until its deadline, at `receivedAt`.
 * @property {string | null} request JSON text, or null: close the session.
 */

/**
 * @typedef {object} TransportEvents What a transport tells its owner.
 * @property {(items: DeliveredItem[], receivedAt: Reading) => void} onItems
 * @property {(answer: ConnectAnswer) => void} onConnected It had to connect anew: the bridge knows
 *   nothing of what it delivered before.
 * @property {() => void} onLive
 * @property {(cause: Cause) => void} onLost It is trying to come back.
 * @property {(cause: Cause) => void} onEnded It has given up for good, and the token is wiped.
 */

/**
 * @typedef {object} Transport
 * @property {(client: string) => void} start
 * @property {() => void} stop Nothing is sent or told afterwards.
 * @property {(id: string, response: string | null) => void} postResult Null: it is too large.
 * @property {(id: string, seq: number) => void} begun The page's main thread has begun an item.
 * @property {(state: PageState) => void} setPageState
 */

/**
 * @typedef {object} PollLoopPowers
 * @property {BridgeApi} api
 * @property {string} app
 * @property {SetTimer} setTimer
 * @property {Clock} clock
 * @property {() => number} random
 */

/** A poll without an answer for this long after the bridge should have given one is broken. */
const POLL_SLACK_MS = 10_000;
/**
 * Every other request gets an answer at once, or its bridge is stopped or cut off without a word. After
 * this long no caller waits for a result any more.
 */
const REQUEST_MS = BRIDGE_LIMITS.maxCallSeconds * 1_000;
/** A poll that lasted this long shows that the bridge was there, even if it broke in the end. */
const PROVEN_MS = 5_000;

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
 * @param {PollLoopPowers & TransportEvents} powers
 * @returns {Transport}
 */
export function makePollLoop(powers) {
  const { api, app, setTimer, clock, random } = powers;
  const longestPollMs = BRIDGE_LIMITS.maxPollSeconds * 1_000;
  const lost = new BackOff(LOST, random);
  const occupied = new BackOff(OCCUPIED, random);
  const ages = new AnswerAges(longestPollMs);
  let client = "";
  let ack = 0;
  let stopped = false;
  let live = true;
  let connectedThisRound = false;
  let lastAnswer = "";
  /** Above 0 once an old answer came again; counts the polls since. */
  let fresh = 0;
  /** @type {PageState} */
  let pageState = "visible";
  let endPause = () => {};
  /** @type {Set<AbortController>} */
  const open = new Set();

  const taken = new TakenReports({ setTimer, clock, report: reportTaken });
  const outbox = new ResultOutbox({
    setTimer,
    send: (id, response) =>
      bounded(REQUEST_MS, (signal) => api.result(client, id, response, { signal })),
  });

  /**
   * Break a request off that gets no answer for `ms`.
   *
   * @param {number} ms
   * @param {(signal: AbortSignal) => Promise<Outcome>} send
   */
  async function bounded(ms, send) {
    const controller = new AbortController();
    open.add(controller);
    const cancelWatch = setTimer(ms, () => controller.abort());
    const outcome = await send(controller.signal);
    cancelWatch();
    open.delete(controller);
    return outcome;
  }

  /** @param {number} seq */
  function reportTaken(seq) {
    // While the bridge is away the next check says it, without a request of its own. A report that
    // fails is not repeated: the poll finds out what is wrong.
    if (live) {
      void bounded(REQUEST_MS, (signal) => api.state(client, pageState, seq, { signal }));
    }
  }

  async function run() {
    /** @type {Step | null} */
    let step = "poll";
    while (step !== null && !stopped) {
      if (step === "poll") step = await poll();
      else if (step === "check") step = await check();
      else step = await connect();
    }
  }

  /** @returns {Promise<Step | null>} */
  async function poll() {
    const sent = clock();
    const outcome = await bounded(longestPollMs + POLL_SLACK_MS, (signal) =>
      api.poll(client, ack, { signal, fresh: fresh === 0 ? 0 : fresh++ }),
    );
    if (stopped) return null;
    const received = clock();
    if (outcome.ok) {
      const answer = readAnswer(outcome.text);
      if (answer === null) return retry("check", "bad-answer");
      if (outcome.text === lastAnswer) return replayed();
      lastAnswer = outcome.text;
      receive(answer, sent, received);
      lost.reset();
      occupied.reset();
      connectedThisRound = false;
      return "poll";
    }
    if (received.monotonicMs - sent.monotonicMs >= PROVEN_MS) lost.reset();
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
   * @param {PollAnswer} answer
   * @param {Reading} sent
   * @param {Reading} received
   */
  function receive(answer, sent, received) {
    const age = ages.age(answer.now, sent, received);
    const items = answer.items.map(({ deadline, ...item }) => ({
      ...item,
      // No call may take longer, whatever the bridge's clock says.
      remainingMs: Math.min(deadline - answer.now, REQUEST_MS) - age,
    }));
    markLive();
    if (items.length === 0) return;
    for (const item of items) {
      ack = Math.max(ack, item.seq);
      outbox.expect(item.id);
    }
    powers.onItems(items, received);
  }

  /**
   * Ask at once whether the bridge is back and still knows this client: a new poll would leave that
   * open for as long as it parks.
   *
   * @returns {Promise<Step | null>}
   */
  async function check() {
    const outcome = await bounded(REQUEST_MS, (signal) =>
      api.state(client, pageState, taken.highest, { signal }),
    );
    if (stopped) return null;
    if (!outcome.ok) return recover(outcome, "check");
    markLive();
    return "poll";
  }

  /** @returns {Promise<Step | null>} */
  async function connect() {
    connectedThisRound = true;
    const outcome = await bounded(REQUEST_MS, (signal) => api.connect(app, { signal }));
    if (stopped) return null;
    if (!outcome.ok) return recover(outcome, "connect");
    const answer = readConnectAnswer(outcome.text);
    if (answer === null) return end("bad-answer");
    client = answer.client;
    ack = 0;
    occupied.reset();
    outbox.clear();
    taken.clear();
    powers.onConnected(answer);
    markLive();
    return "poll";
  }

  /**
   * @param {Failure} failure
   * @param {"check" | "connect"} again the step to take after a wait
   * @returns {Promise<Step | null>}
   */
  async function recover(failure, again) {
    if (failure.kind === "forgotten") return end("by-request");
    if (failure.kind === "network") return retry(again, "bridge-lost");
    switch (failure.code) {
      case "UNAUTHORIZED":
        return end("wrong-token");
      case "POLL_SUPERSEDED":
        // Somebody else polls as this client. Polling back would supersede him in turn, for ever.
        return end("superseded");
      case "CLOSING":
        return end("closing");
      case "STALE_CLIENT":
        if (connectedThisRound) return retry("connect", "bridge-lost");
        markLost("bridge-lost");
        return "connect";
      case "ALREADY_ATTACHED":
        markLost("bridge-lost");
        return wait(occupied.next(clock().monotonicMs), "connect", "attached-elsewhere");
      case "BUSY":
        return retry(again, "busy", failure.retryAfterMs ?? 0);
      default:
        return retry(again, "bad-answer");
    }
  }

  /**
   * @param {Step} step
   * @param {"bridge-lost" | "busy" | "bad-answer" | "replayed"} cause
   * @param {number} [atLeastMs]
   * @returns {Promise<Step | null>}
   */
  async function retry(step, cause, atLeastMs = 0) {
    markLost("bridge-lost");
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
    await /** @type {Promise<void>} */ (
      new Promise((resolve) => {
        const cancel = setTimer(ms, resolve);
        endPause = () => {
          cancel();
          resolve();
        };
      })
    );
    connectedThisRound = false;
    return step;
  }

  function markLive() {
    outbox.release();
    if (live) return;
    live = true;
    powers.onLive();
  }

  /** @param {Cause} cause */
  function markLost(cause) {
    outbox.hold();
    if (!live) return;
    live = false;
    powers.onLost(cause);
  }

  /** @param {Cause} cause */
  function end(cause) {
    stop();
    powers.onEnded(cause);
    return null;
  }

  function stop() {
    stopped = true;
    api.forget();
    outbox.clear();
    taken.clear();
    for (const controller of open) controller.abort();
    endPause();
  }

  return {
    start(name) {
      client = name;
      void run();
    },
    stop,
    postResult(id, response) {
      taken.done(id);
      if (!stopped) outbox.post(id, response);
    },
    begun(id, seq) {
      if (!stopped && outbox.expects(id)) taken.begun(id, seq);
    },
    setPageState(state) {
      pageState = state;
    },
  };
}
