// @ts-check
/**
 * The worker's end of the conversation with its page: drives one transport for it.
 *
 * Takes its powers from `worker.js`; knows no global of a worker itself.
 */

import { BRIDGE_LIMITS } from "../contract/limits.js";
import { makeBridgeApi } from "./bridge_api.js";
import { makeWorkerLink } from "./worker_link.js";

/** @import { MakeSocket } from "./channel.js" */
/** @import { Clock, Fetch, SetTimer } from "./powers.js" */
/** @import { BatchMessage, StartMessage, ToPage, ToWorker } from "./worker_messages.js" */

/**
 * @param {object} powers
 * @param {Fetch} powers.fetch
 * @param {SetTimer} powers.setTimer
 * @param {Clock} powers.clock
 * @param {() => number} powers.random
 * @param {MakeSocket} powers.makeSocket
 * @param {Pick<EventTarget, "addEventListener">} powers.policy where the browser reports what the
 *   worker's Content-Security-Policy stopped
 * @param {(message: ToPage) => void} powers.post
 * @returns {(message: ToWorker) => void} takes one message of the page
 */
export function makeWorkerService(powers) {
  const { fetch, setTimer, clock, random, makeSocket, policy, post } = powers;
  /** @type {ReturnType<typeof makeWorkerLink> | null} */
  let transport = null;

  /** @param {StartMessage} message */
  function start({ url, token, app, client, pageState, channel, offer, offeredWallMs }) {
    const link = makeWorkerLink({
      api: makeBridgeApi({ fetch, url, token }),
      url,
      app,
      makeSocket: channel ? makeSocket : null,
      setTimer,
      clock,
      random,
      onItems: (items, at) => post({ type: "items", items, at }),
      onConnected: (answer) => post({ type: "connected", answer }),
      onLive: () => post({ type: "live" }),
      onLost: (cause) => post({ type: "lost", cause }),
      onUnreached: () => post({ type: "unreached" }),
      onCarrier: (carrier, note) => post({ type: "carrier", carrier, note }),
      onEnded: (cause) => post({ type: "ended", cause }),
    });
    transport = link;
    policy.addEventListener("securitypolicyviolation", (event) => {
      if ("blockedURI" in event && String(event.blockedURI).startsWith("ws:")) {
        link.blockedByPolicy();
      }
    });
    link.setPageState(pageState);
    post({ type: "started", at: clock() });
    // A worker can take long to load, and its ticket is good for ten seconds. Without a word of the
    // bridge that it offers no channel, the next poll's answer brings another.
    const fresh = clock().wallMs - offeredWallMs < BRIDGE_LIMITS.ticketSeconds * 1_000;
    link.start(client, fresh ? offer : undefined);
  }

  /** @param {BatchMessage} batch */
  function takeBatch({ messages }) {
    const results = [];
    for (const message of messages) {
      if (message.type === "begun") transport?.begun(message.id, message.seq);
      else results.push(message);
    }
    if (results.length > 0) transport?.postResults(results);
  }

  return (message) => {
    switch (message.type) {
      case "start":
        if (transport === null) start(message);
        return;
      case "batch":
        takeBatch(message);
        return;
      case "page":
        transport?.setPageState(message.state);
        return;
      case "stop":
        transport?.stop();
    }
  };
}
