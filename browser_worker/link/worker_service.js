// @ts-check
/**
 * The worker's end of the conversation with its page: drives one transport for it.
 *
 * Takes its powers from `worker.js`; knows no global of a worker itself.
 */

import { makeBridgeApi } from "./bridge_api.js";
import { makePollLoop } from "./poll_loop.js";

/** @import { Transport } from "./poll_loop.js" */
/** @import { Clock, Fetch, SetTimer } from "./powers.js" */
/** @import { StartMessage, ToPage, ToWorker } from "./worker_messages.js" */

/**
 * @param {object} powers
 * @param {Fetch} powers.fetch
 * @param {SetTimer} powers.setTimer
 * @param {Clock} powers.clock
 * @param {() => number} powers.random
 * @param {(message: ToPage) => void} powers.post
 * @returns {(message: ToWorker) => void} takes one message of the page
 */
export function makeWorkerService({ fetch, setTimer, clock, random, post }) {
  /** @type {Transport | null} */
  let transport = null;

  /** @param {StartMessage} message */
  function start({ url, token, app, client, pageState }) {
    transport = makePollLoop({
      api: makeBridgeApi({ fetch, url, token }),
      app,
      setTimer,
      clock,
      random,
      onItems: (items, at) => post({ type: "items", items, at }),
      onConnected: (answer) => post({ type: "connected", ...answer }),
      onLive: () => post({ type: "live" }),
      onLost: (cause) => post({ type: "lost", cause }),
      onEnded: (cause) => post({ type: "ended", cause }),
    });
    transport.setPageState(pageState);
    post({ type: "started", at: clock() });
    transport.start(client);
  }

  return (message) => {
    switch (message.type) {
      case "start":
        if (transport === null) start(message);
        return;
      case "result":
        transport?.postResult(message.id, message.response);
        return;
      case "begun":
        transport?.begun(message.id, message.seq);
        return;
      case "page":
        transport?.setPageState(message.state);
        return;
      case "stop":
        transport?.stop();
    }
  };
}
