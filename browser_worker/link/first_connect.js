// @ts-check
/**
 * The request with which a page takes its place at a bridge, made from the window: workers cannot ask
 * for every permission. It waits as long as the person takes to answer the browser; a time limit here
 * would withdraw the question.
 *
 * Changes no state: it says how it went. The worker's later ones are in `poll_loop.js`.
 */

import { BackOff, OCCUPIED } from "./back_off.js";
import { readConnectAnswer } from "./connect_answer.js";
import { takeTabLock } from "./tab_lock.js";

/** @import { Cause } from "./attachment_cause.js" */
/** @import { BridgeApi, Failure } from "./bridge_api.js" */
/** @import { ConnectAnswer } from "./connect_answer.js" */
/** @import { Clock } from "./powers.js" */
/** @import { Locks } from "./tab_lock.js" */

/**
 * @typedef {object} FirstConnectPowers
 * @property {BridgeApi} api
 * @property {string} app
 * @property {Locks | undefined} locks
 * @property {boolean} reloaded The tab was attached before: its former page may hold the lock yet.
 * @property {() => Promise<Cause>} diagnose
 * @property {(ms: number) => Promise<void>} wait
 * @property {Clock} clock
 * @property {() => number} random
 * @property {() => boolean} stale Whether the attempt is no longer wanted; asked after each wait.
 */

/**
 * @param {FirstConnectPowers} powers
 * @returns {Promise<{ answer: ConnectAnswer, releaseTab: () => void } | { cause: Cause }>} a place,
 *   even one that is no longer wanted: it has to be given back
 */
export async function connectFromWindow(powers) {
  const { api, app, locks, clock, random, wait, stale } = powers;
  const backOff = new BackOff(OCCUPIED, random);
  /** @returns {Promise<boolean>} whether to try again */
  const another = async () => {
    const ms = backOff.next(clock().monotonicMs);
    if (ms !== null && !stale()) await wait(ms);
    return ms !== null && !stale();
  };

  let releaseTab = await takeTabLock(locks);
  // A second tab does not get the lock by waiting; a reloaded one does.
  while (releaseTab === null && powers.reloaded && (await another())) {
    releaseTab = await takeTabLock(locks);
  }
  if (releaseTab === null) return { cause: "other-tab" };

  /** @type {Cause} */
  let cause = "by-request";
  while (!stale()) {
    const outcome = await api.connect(app);
    const answer = outcome.ok ? readConnectAnswer(outcome.text) : null;
    if (answer !== null) return { answer, releaseTab };
    if (outcome.ok) cause = "bad-answer";
    else cause = outcome.kind === "network" ? await powers.diagnose() : causeOfRefusal(outcome);
    const mayPass = cause === "attached-elsewhere" || cause === "busy";
    if (!mayPass || !(await another())) break;
  }
  releaseTab();
  return { cause };
}

/**
 * @param {Failure} failure
 * @returns {Cause}
 */
function causeOfRefusal(failure) {
  switch (failure.code) {
    case "UNAUTHORIZED":
      return "wrong-token";
    case "FORBIDDEN_ORIGIN":
      return "wrong-origin";
    case "FORBIDDEN_HOST":
      return "wrong-host";
    case "ALREADY_ATTACHED":
      return "attached-elsewhere";
    case "BUSY":
      return "busy";
    case "CLOSING":
      return "closing";
    default:
      return "bad-answer";
  }
}
