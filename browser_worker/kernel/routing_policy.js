// @ts-check
/**
 * Who may call whom: the one place that is asked, for every call that leaves its app. Contract: bus,
 * routing policy.
 */

import { BusError, isBusErrorCode } from "../contract/bus_error.js";

/** @import { BusErrorCode } from "../contract/bus_error.js" */

/**
 * @typedef {object} Question
 * @property {string} caller An endpoint, `kernel`, or `external:bridge:SESSION`.
 * @property {string | null} callerApp Null for who is no app.
 * @property {string} target An endpoint of an app.
 * @property {string} targetApp
 * @property {string | null} tool Null where the tools are only to be listed.
 */

/** @typedef {{ allow: true } | { allow: false, code: BusErrorCode, message: string, retryAfterMs?: number }} Decision */

/**
 * @typedef {object} RoutingPolicy
 * @property {(question: Question) => Decision | Promise<Decision>} decide Not asked for calls within an
 *   app, nor for tools of the kernel. A rejection refuses.
 */

/**
 * Until an owner can be asked: no app reaches another, and who is no app reaches all.
 *
 * @type {RoutingPolicy}
 */
export const OWNER_ONLY = Object.freeze({
  /**
   * @param {Question} question
   * @returns {Decision}
   */
  decide({ callerApp, target }) {
    if (callerApp === null) return { allow: true };
    const message = `Only the owner of this workspace can let an app call ${target}; nothing was run.`;
    return { allow: false, code: "OWNER_REQUIRED", message };
  },
});

/**
 * Asks a policy, which must not break the kernel whatever it does. One that never answers is waited for
 * no longer than the call is.
 *
 * @param {RoutingPolicy} policy
 * @param {Question} question
 * @param {(refusal: BusError | null) => void} decided Told once at most: null is a yes.
 */
export function ask(policy, question, decided) {
  let decision;
  try {
    decision = policy.decide(question);
  } catch {
    decision = undefined;
  }
  if (typeof (/** @type {any} */ (decision)?.then) !== "function") {
    decided(refusal(decision));
  } else {
    Promise.resolve(decision).then(
      (later) => decided(refusal(later)),
      () => decided(refusal(undefined)),
    );
  }
}

/**
 * @param {any} decision
 * @returns {BusError | null}
 */
function refusal(decision) {
  if (decision?.allow === true) return null;
  const { code, message, retryAfterMs } = decision ?? {};
  if (decision?.allow !== false || !isBusErrorCode(code) || typeof message !== "string") {
    return new BusError("OWNER_REQUIRED", "The call could not be decided on; nothing was run.");
  }
  const later = Number.isSafeInteger(retryAfterMs) && retryAfterMs >= 0;
  return new BusError(code, message, later ? { retryAfterMs } : {});
}
