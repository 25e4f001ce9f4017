// @ts-check
/**
 * What the page provides for an app's backend, which the bus calls a canister: its interface, and a way to
 * call it. Types only. An app provides none of it. Contract: bus, kernel tools.
 */

/** @import { CanisterInterface } from "./canister_interface.js" */

/**
 * @typedef {object} CanisterCall
 * @property {ArrayBuffer | undefined} attachment
 * @property {AbortSignal} signal Aborts where nobody waits any more. What was sent may be done all the same.
 */

/** @typedef {{ result: unknown, attachment?: ArrayBuffer }} CanisterAnswer */

/**
 * @typedef {object} CanisterConnector
 * @property {() => Promise<CanisterInterface>} interface Asked for once for each version of its app.
 * @property {(method: string, args: unknown, call: CanisterCall) => Promise<CanisterAnswer>} call Given, and
 *   gives, what the method's own `read` and `write` make and take: of a Candid interface a list of values,
 *   of a JSON one the JSON. Rejects with a `BusError`, which is told to the caller; of anything else only
 *   that it failed.
 */

export {};
