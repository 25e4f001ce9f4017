// @ts-check
/**
 * The page's end of the conversation with its worker: a `Transport` whose work is done there.
 *
 * Translates times between the two, since the clocks of a page and of its worker begin apart and a
 * busy page takes a message late.
 */

import { DelayFilter } from "./deadlines.js";
import { MessageBatch } from "./message_batch.js";

/** @import { PageState } from "./bridge_api.js" */
/** @import { Reading } from "./deadlines.js" */
/** @import { Defer } from "./message_batch.js" */
/** @import { Transport, TransportEvents } from "./transport.js" */
/** @import { Clock, SetTimer } from "./powers.js" */
/** @import { ToPage, ToWorker } from "./worker_messages.js" */

/**
 * @typedef {object} WorkerLike
 * @property {(message: ToWorker) => void} postMessage
 * @property {() => void} terminate
 * @property {((event: { data: ToPage }) => void) | null} onmessage
 * @property {((event: { preventDefault(): void }) => void) | null} onerror
 */

/**
 * @typedef {object} WorkerTransportPowers
 * @property {() => WorkerLike} makeWorker
 * @property {SetTimer} setTimer
 * @property {Defer} defer
 * @property {Clock} clock
 * @property {string} url
 * @property {string} token Passed on to the worker; the caller may drop it after `start`.
 * @property {string} app
 * @property {PageState} pageState
 * @property {boolean} channel Whether the app wants one.
 * @property {() => void} onStarted
 * @property {() => void} onBlocked The worker could not be started.
 */

/** A worker that says nothing for this long will not start; its script may come over a slow line. */
const START_MS = 30_000;

/**
 * @param {WorkerTransportPowers & TransportEvents} powers
 * @returns {Transport}
 */
export function makeWorkerTransport(powers) {
  const { clock } = powers;
  const transit = new DelayFilter();
  /** @type {WorkerLike | null} */
  let worker = null;
  let cancelWatch = () => {};
  let { pageState } = powers;
  const batch = new MessageBatch((message) => worker?.postMessage(message), powers.defer);

  /** @param {Reading} at the worker's clocks */
  function transitMs(at) {
    const now = clock();
    return Math.max(transit.delay(at.monotonicMs, now.monotonicMs), now.wallMs - at.wallMs);
  }

  /** @param {ToPage} message */
  function receive(message) {
    switch (message.type) {
      case "started":
        cancelWatch();
        transitMs(message.at);
        powers.onStarted();
        return;
      case "items": {
        const ms = transitMs(message.at);
        const items = message.items.map((item) => ({
          ...item,
          remainingMs: item.remainingMs - ms,
        }));
        powers.onItems(items, clock());
        return;
      }
      case "connected":
        powers.onConnected(message.answer);
        return;
      case "live":
        powers.onLive();
        return;
      case "lost":
        powers.onLost(message.cause);
        return;
      case "unreached":
        powers.onUnreached();
        return;
      case "carrier":
        powers.onCarrier(message.carrier, message.note);
        return;
      case "ended":
        powers.onEnded(message.cause);
    }
  }

  function block() {
    stop();
    powers.onBlocked();
  }

  function stop() {
    cancelWatch();
    if (worker === null) return;
    worker.onmessage = null;
    worker.onerror = null;
    worker.terminate();
    worker = null;
  }

  return {
    start(client, offer = null) {
      const { url, token, app, channel } = powers;
      const offeredWallMs = clock().wallMs;
      powers.token = "";
      try {
        worker = powers.makeWorker();
      } catch {
        block();
        return;
      }
      cancelWatch = powers.setTimer(START_MS, block);
      let started = false;
      worker.onmessage = (event) => {
        started ||= event.data.type === "started";
        receive(event.data);
      };
      worker.onerror = (event) => {
        // An error of a worker that runs is a defect to be seen; one before that means no worker.
        if (started) return;
        event.preventDefault();
        block();
      };
      const start = { url, token, app, client, pageState, channel, offer, offeredWallMs };
      worker.postMessage({ type: "start", ...start });
    },
    stop,
    postResult: (id, response) => batch.result(id, response),
    begun(id, seq) {
      batch.begun(id, seq);
      // The action may hold this thread for long, and a hidden page that has begun nothing is taken to
      // be asleep: the worker must know before.
      if (pageState !== "visible") batch.flush();
    },
    setPageState(state) {
      pageState = state;
      worker?.postMessage({ type: "page", state });
    },
  };
}
