// @ts-check
/**
 * Asks the owner for whom a call is made. In an agent's turn they are asked so often and no oftener, by
 * whichever tool. Contract: bus, consent, agent mode.
 */

import { BusError } from "../../contract/bus_error.js";
import { BUS_LIMITS } from "../../contract/limits.js";
import { refusalOf } from "./refusals.js";

/** @import { Root } from "../calls/invocations.js" */
/** @import { Consent, ConsentAnswer, Prompt } from "./consent_queue.js" */

/** Reasons of a no that the owner has not given to this question. */
const UNSEEN = new Set(["busy", "gone", "others"]);

/** How often whom was asked in a turn, which has a root of its own. @type {WeakMap<Consent, WeakMap<Root, number>>} */
const COUNTS = new WeakMap();

/**
 * @param {Consent} consent
 * @param {Root} root
 * @param {Prompt} prompt
 * @param {AbortSignal} signal
 * @param {() => void} [waiting] The `onAsked` of `Consent`.
 * @returns {Promise<ConsentAnswer>} Rejects with a `BusError`: `AGENT_CONSENT_LIMIT`. What the owner was
 *   not shown to the end counts for nothing.
 */
export async function askFor(consent, root, prompt, signal, waiting = undefined) {
  count(consent, root, 1);
  const answer = await consent.ask(prompt, signal, waiting);
  const unseen = !answer.allowed && (answer.unasked === true || UNSEEN.has(answer.reason));
  if (unseen) count(consent, root, -1);
  return answer;
}

/**
 * As `askFor`, for what goes on with a yes only.
 *
 * @param {Consent} consent
 * @param {Root} root
 * @param {Prompt} prompt
 * @param {AbortSignal} signal
 * @param {string} what As an infinitive, for who is refused.
 * @returns {Promise<void>} Rejects with a `BusError` without a yes.
 */
export async function requireYesFor(consent, root, prompt, signal, what) {
  const answer = await askFor(consent, root, prompt, signal);
  if (!answer.allowed) throw refusalOf(answer, { what, agent: root.kind === "agent" });
}

/**
 * @param {Consent} consent
 * @param {Root} root
 * @param {1 | -1} more
 */
function count(consent, root, more) {
  if (root.kind !== "agent") return;
  const counts = COUNTS.get(consent) ?? new WeakMap();
  const asked = (counts.get(root) ?? 0) + more;
  const most = BUS_LIMITS.maxConsentsOfTurn;
  if (asked > most) {
    const text = `The owner was asked ${most} times in this turn, and is not asked again; nothing was run.`;
    throw new BusError("AGENT_CONSENT_LIMIT", text);
  }
  counts.set(root, asked);
  COUNTS.set(consent, counts);
}
