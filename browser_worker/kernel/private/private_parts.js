// @ts-check
/**
 * What every family of private actions shares: what it needs of the kernel, how it reads what it is
 * given, how it names the app that asks, and what stops it: a no of the owner's, or that nobody waits.
 * Contract: bus, private actions.
 */

import { BusError, problemsData } from "../../contract/bus_error.js";
import { compile } from "../../contract/schema.js";
import { appFact } from "../grants/call_prompt.js";
import { refusalOf } from "../consent/refusals.js";

/** @import { Consent, Fact, Prompt, Yes } from "../consent/consent_queue.js" */
/** @import { AppSummary, Keeper } from "../kernel.js" */
/** @import { PrivateContext, PrivateRequests } from "./private_requests.js" */

/**
 * @typedef {object} PrivateKernel What a family needs of the kernel.
 * @property {Pick<PrivateRequests, "on">} private
 * @property {() => readonly AppSummary[]} apps
 * @property {(keeper: Keeper) => unknown} addKeeper
 */

/**
 * Makes what checks the payload of an action: exactly these members.
 *
 * @param {string} action
 * @param {Record<string, object>} [properties] JSON Schemas.
 * @param {readonly string[]} [required] All by default.
 * @returns {(payload: Record<string, unknown>) => any} Throws `INVALID_INPUT`.
 */
export function payloadReader(action, properties = {}, required = Object.keys(properties)) {
  const validator = compile({ type: "object", properties, required, additionalProperties: false });
  return (payload) => {
    const errors = validator.errors(payload);
    if (errors.length === 0) return payload;
    throw new BusError("INVALID_INPUT", `That is not what ${action} takes; nothing was done.`, {
      data: problemsData(errors),
    });
  };
}

/**
 * @param {PrivateKernel} kernel
 * @param {string} app
 * @returns {Fact} Names the app by its id, which is the kernel's, before what it calls itself.
 */
export function askerFact(kernel, app) {
  return appFact("Asks", app, kernel.apps());
}

/**
 * Asks the owner, and goes on with a yes only.
 *
 * @param {Consent} consent
 * @param {PrivateContext} source
 * @param {Prompt} prompt
 * @param {string} what As an infinitive, for who is refused.
 * @returns {Promise<Yes>} Rejects with a `BusError`.
 */
export async function requireYes(consent, { signal }, prompt, what) {
  const answer = await consent.ask(prompt, signal);
  if (answer.allowed) return answer;
  throw refusalOf(answer, { what, agent: false });
}

/**
 * What comes too late for who asked is not done, or not given.
 *
 * @param {PrivateContext} source
 * @param {string} undone
 * @throws {BusError} `ENDPOINT_GONE`
 */
export function requireThere({ endpoint, signal }, undone) {
  if (endpoint.open && !signal.aborted) return;
  throw new BusError("ENDPOINT_GONE", `Who asked is not there any more; ${undone}.`);
}
