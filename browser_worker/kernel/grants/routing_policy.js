// @ts-check
/**
 * Who may call whom: the one place that is asked, for every call that leaves its app. Contract: bus,
 * routing policy.
 */

import { BusError, isBusErrorCode } from "../../contract/bus_error.js";

/** @import { BusErrorCode } from "../../contract/bus_error.js" */
/** @import { Root } from "../calls/invocations.js" */

/**
 * @typedef {object} Question
 * @property {string} caller An endpoint, `kernel`, or `external:bridge:SESSION`.
 * @property {string | null} callerApp Null for who is no app.
 * @property {string} target An endpoint of an app.
 * @property {string} targetApp
 * @property {string | null} tool Null where the tools are only to be listed.
 * @property {Record<string, unknown>} arguments
 * @property {number | null} attachmentBytes Of a buffer that goes with the call; null for none.
 * @property {Root | null} root On whose behalf it is; null for the page itself.
 * @property {readonly string[]} via The endpoints between the root and the target, where a tool calls on
 *   behalf of another; the last one is the caller. Empty where the root calls itself.
 */

/**
 * @typedef {object} Allowed
 * @property {true} allow
 * @property {AbortSignal} [signal] Aborts, with a `BusError`, where the leave is taken back: the call ends.
 */

/**
 * @typedef {object} Refused
 * @property {false} allow
 * @property {BusErrorCode} code
 * @property {string} message
 * @property {number} [retryAfterMs]
 * @property {Record<string, unknown>} [data]
 */

/** @typedef {Allowed | Refused} Decision */

/**
 * @typedef {object} RoutingPolicy
 * @property {(question: Question, signal: AbortSignal, waiting: () => void) =>
 *   Decision | Promise<Decision>} decide Not asked for calls within an app, nor for tools of the kernel.
 *   `waiting` is to be called where somebody is really asked, and waited for. A rejection refuses. The
 *   signal aborts, with an `AbortError`, when the call is over, however it ended: nobody waits for the
 *   decision any more, and what was allowed for this call alone is used up.
 */

/**
 * Where no owner is asked: no app reaches another, and who is no app reaches all.
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
 * @param {AbortSignal} signal Aborts where nobody waits for the decision any more.
 * @param {object} told
 * @param {() => void} told.waiting Somebody is asked.
 * @param {(refusal: BusError | null, signal: AbortSignal | undefined) => void} told.decided Told once at
 *   most: null is a yes, which holds until the signal aborts.
 */
export function ask(policy, question, signal, { waiting, decided }) {
  const tell = (/** @type {any} */ decision) => {
    const refused = refusal(decision);
    decided(refused, refused === null ? decision.signal : undefined);
  };
  let decision;
  try {
    decision = policy.decide(question, signal, waiting);
  } catch {
    decision = undefined;
  }
  if (typeof (/** @type {any} */ (decision)?.then) !== "function") tell(decision);
  else Promise.resolve(decision).then(tell, () => tell(undefined));
}

/**
 * @param {any} decision
 * @returns {BusError | null}
 */
function refusal(decision) {
  if (decision?.allow === true) return null;
  const { code, message, retryAfterMs, data } = decision ?? {};
  if (decision?.allow !== false || !isBusErrorCode(code) || typeof message !== "string") {
    return new BusError("OWNER_REQUIRED", "The call could not be decided on; nothing was run.");
  }
  const later = Number.isSafeInteger(retryAfterMs) && retryAfterMs >= 0;
  return new BusError(code, message, {
    ...(later ? { retryAfterMs } : {}),
    ...(data === undefined ? {} : { data }),
  });
}
