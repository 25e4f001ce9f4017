// @ts-check
/**
 * A backend inside the page itself: an interface in Candid, and a function for each method, over whatever
 * storage they are given. What it keeps outlives the frames of its app. Contract: bus, kernel tools.
 */

import { candidInterface } from "./canister_interface.js";

/** @import { CanisterConnector } from "./canister_connector.js" */
/** @import { CanisterAnswer, CanisterCall } from "./canister_connector.js" */
/** @import { CanisterInterface, MethodAttachments } from "./canister_interface.js" */

/**
 * @typedef {(args: any[], call: CanisterCall) => unknown} LocalMethod Given the arguments in order, as the
 *   connector's values of their types. Gives the result, or a promise of it; `withAttachment(result, buffer)`
 *   where there is one.
 */

/** A result with bytes beside it. */
class AttachedResult {
  /**
   * @param {unknown} result
   * @param {ArrayBuffer} attachment
   */
  constructor(result, attachment) {
    this.result = result;
    this.attachment = attachment;
  }
}

/**
 * @param {unknown} result
 * @param {ArrayBuffer} attachment
 */
export function withAttachment(result, attachment) {
  return new AttachedResult(result, attachment);
}

/** @implements {CanisterConnector} */
export class LocalCanister {
  /**
   * @param {object} parts
   * @param {string} parts.candid
   * @param {Readonly<Record<string, LocalMethod>>} parts.methods One for each that the interface has.
   * @param {Readonly<Record<string, MethodAttachments>>} [parts.attachments]
   * @throws {TypeError} Where the interface and the functions do not match.
   */
  constructor({ candid, methods, attachments = {} }) {
    this._methods = new Map(Object.entries(methods));
    /** @type {CanisterInterface} */
    this._interface = candidInterface(candid, attachments);
    const declared = [...this._interface.methods.keys()].sort();
    const provided = [...this._methods.keys()].sort();
    if (declared.join() !== provided.join()) {
      throw new TypeError(`the interface has ${declared.join()}, the backend ${provided.join()}`);
    }
  }

  async interface() {
    return this._interface;
  }

  /**
   * @param {string} method
   * @param {unknown} args
   * @param {CanisterCall} call
   * @returns {Promise<CanisterAnswer>}
   */
  async call(method, args, call) {
    const run = this._methods.get(method);
    if (run === undefined) throw new TypeError(`no method ${method}`);
    const result = await run(/** @type {any[]} */ (args), call);
    if (result instanceof AttachedResult) return { ...result };
    return { result };
  }
}
