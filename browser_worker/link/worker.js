// @ts-check
/** The link's worker: gives the service the globals that it needs, and nothing more. */

import { readClocks, setTimer } from "./powers.js";
import { makeWorkerService } from "./worker_service.js";

/** @import { ToWorker } from "./worker_messages.js" */

const receive = makeWorkerService({
  fetch: (input, init) => fetch(input, init),
  setTimer,
  clock: readClocks,
  random: Math.random,
  makeSocket: (url, protocols) =>
    /** @type {import("./channel.js").SocketLike} */ (
      /** @type {unknown} */ (new WebSocket(url, protocols))
    ),
  policy: self,
  post: (message) => self.postMessage(message),
});

self.addEventListener("message", (/** @type {MessageEvent<ToWorker>} */ event) => {
  receive(event.data);
});
