// @ts-check
/**
 * What an app asks of the workspace itself, in groups: no tools, and nothing that others can list, call
 * or see. Which endpoint may ask for what, and when, the workspace decides. Contract: bus, private
 * actions.
 */

import { copyJson } from "../contract/bus_json.js";
import { withDecision } from "./bus_client.js";
import { asRequest } from "./own_request.js";

/** @import { Ask, ResultWithAttachment } from "./bus_client.js" */

/**
 * @typedef {object} SelfCall A call of a method of this app's own backend.
 * @property {string} method
 * @property {Record<string, unknown>} [arguments]
 * @property {ArrayBuffer} [attachment] It is the backend's then: not to be sent again.
 */

/**
 * @typedef {object} SelfCallOptions
 * @property {AbortSignal} [signal]
 */

/** @param {Ask} ask */
export function privateActions(ask) {
  /**
   * @param {string} action
   * @param {object} [payload]
   * @returns {Promise<any>} Rejects with a `BusError`.
   */
  const run = (action, payload = {}) =>
    asRequest(async () => {
      const given = /** @type {Record<string, unknown>} */ (copyJson(payload, { what: action }));
      return (await ask(action, given, { seconds: withDecision() })).ok;
    });
  /**
   * @param {string} action
   * @param {SelfCall} call
   * @param {SelfCallOptions} [options]
   * @returns {Promise<ResultWithAttachment>}
   */
  const self = (action, { method, arguments: input = {}, attachment }, { signal } = {}) =>
    asRequest(async () => {
      const given = copyJson({ method, arguments: input }, { what: action });
      const options = { attachment, signal, seconds: withDecision() };
      const answer = await ask(action, /** @type {Record<string, unknown>} */ (given), options);
      return { result: answer.ok, attachment: answer.attachment };
    });
  return {
    /** From the background of an app that declares a tray, and from that tray. */
    tray: Object.freeze({
      /** @param {{ badge: number | null }} state 0 to 9,999, or null for none. */
      setState: (state) => run("tray.set_state", state),
      /** Closes the popover, and this endpoint with it. */
      dismiss: () => run("tray.dismiss"),
    }),
    /** From the focused tile. */
    clipboard: Object.freeze({
      /**
       * To be called in the handler of a click itself, before anything is awaited.
       *
       * @param {string} text At most 256 KiB.
       */
      writeText: (text) => run("clipboard.write_text", { text }),
    }),
    /** From the background of an app that declares what it connects to. */
    connections: Object.freeze({
      list: () => run("connections.list"),
      /** @param {{ provider: string, reason?: string }} wish */
      request: (wish) => run("connections.request", wish),
      /** @param {{ connection: string }} which */
      credential: (which) => run("connections.credential", which),
      /** @param {{ connection: string }} which */
      disconnect: (which) => run("connections.disconnect", which),
    }),
    /** From the focused tile, with a click. */
    ethereumProvider: Object.freeze({
      discover: () => run("ethereum_provider.discover"),
      /** @param {{ wallet: string }} which */
      connect: (which) => run("ethereum_provider.connect", which),
      /** @param {{ session: string, method: string, params?: unknown[] }} request */
      request: (request) => run("ethereum_provider.request", request),
      /** @param {{ session: string }} which */
      disconnect: (which) => run("ethereum_provider.disconnect", which),
    }),
    /** From the endpoints that the app declares; keys come and go by its focused tile. */
    vetkeys: Object.freeze({
      list: () => run("vetkeys.list"),
      /** @param {{ name: string }} which */
      create: (which) => run("vetkeys.create", which),
      /** @param {{ name: string }} which */
      remove: (which) => run("vetkeys.remove", which),
      /** @param {{ name: string, context: string, bytes: number }} wish */
      derive: (wish) => run("vetkeys.derive", wish),
    }),
    /** Whether the owner lets a tool of this app act as an agent. */
    agentMode: Object.freeze({
      /** From the focused tile, with a click. @param {{ entrypoint: string }} which */
      request: (which) => run("agent.mode.request", which),
      status: () => run("agent.mode.status"),
      disable: () => run("agent.mode.disable"),
    }),
    /** This app's own backend: the methods that were approved with the app. */
    canister: Object.freeze({
      /** @param {SelfCall} call @param {SelfCallOptions} [options] */
      querySelf: (call, options) => self("canister.query_self", call, options),
      /** @param {SelfCall} call @param {SelfCallOptions} [options] */
      updateSelf: (call, options) => self("canister.update_self", call, options),
    }),
  };
}

/** @typedef {ReturnType<typeof privateActions>} PrivateActions */
