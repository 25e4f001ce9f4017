/**
 * The bundle: everything that `browser_worker/index.js` exports, and the link's worker in the same file.
 *
 * A page starts the worker from the file that it was loaded from itself, so that one file under
 * `script-src 'self'; worker-src 'self'` is enough. The file is the worker only where it was started
 * under that name: an app may well import it into a worker of its own.
 */

import { WORKER_NAME } from "bascule-worker-name";

export * from "../../browser_worker/index.js";

if (typeof DedicatedWorkerGlobalScope === "function" && self.name === WORKER_NAME) {
  // Evaluated here and at once: the page's first message may be waiting already.
  require("../../browser_worker/link/worker.js");
}
