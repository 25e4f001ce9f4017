// @ts-check
/**
 * What every family of private actions shares: what it needs of the kernel, how it reads what it is
 * given, and how it names the app that asks. Contract: bus, private actions.
 */

import { BusError, problemsData } from "../../contract/bus_error.js";
import { compile } from "../../contract/schema.js";
import { seen } from "../well_formed.js";

/** @import { ConsentAnswer, Fact, Prompt } from "../consent/consent_queue.js" */
/** @import { Endpoint } from "../endpoint.js" */
/** @import { AppDeclarations } from "./private_gate.js" */

/**
 * @typedef {object} PrivateSource Who asks, as the kernel knows it.
 * @property {Endpoint} endpoint
 * @property {string} app
 * @property {boolean} click Whether the owner still has to click in the page itself.
 * @property {AbortSignal} signal Aborts where nobody waits any more.
 */

/** @typedef {(payload: Record<string, unknown>, source: PrivateSource) => unknown} PrivateHandler */

/**
 * @typedef {object} Keeper What keeps something of an app or a session, and has to let it go.
 * @property {(app: string) => void} [forgetApp]
 * @property {(caller: string) => void} [endSession]
 * @property {() => void} [lock]
 */

/**
 * @typedef {object} PrivateKernel What a family needs of the kernel.
 * @property {{ on: (action: string, handler: PrivateHandler) => void }} private
 * @property {{ ask: (prompt: Prompt, signal?: AbortSignal) => Promise<ConsentAnswer> }} consent
 * @property {() => readonly { id: string, name: string, declares?: AppDeclarations }[]} apps
 * @property {(observer: () => void) => () => void} onChange
 * @property {(keeper: Keeper) => unknown} addKeeper
 */

const MAX_NAME = 60;

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
 * @returns {string} Its name in its own words, bounded.
 */
export function nameOf(kernel, app) {
  return seen(kernel.apps().find(({ id }) => id === app)?.name ?? app, MAX_NAME);
}

/**
 * @param {PrivateKernel} kernel
 * @param {string} app
 * @returns {Fact} Names the app beyond doubt: a name can be any app's, an id only one's.
 */
export function appFact(kernel, app) {
  return { label: "App", value: `${nameOf(kernel, app)} (${app})` };
}

/**
 * @param {PrivateKernel} kernel
 * @param {string} app
 * @returns {AppDeclarations}
 */
export function declarationsOf(kernel, app) {
  return kernel.apps().find(({ id }) => id === app)?.declares ?? {};
}
