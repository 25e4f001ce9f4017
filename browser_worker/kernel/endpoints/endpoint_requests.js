// @ts-check
/**
 * What endpoints ask of the kernel by their ports: each request is read with distrust, kept until it is
 * answered, and answered once. Routes nothing itself. Contract: bus, calling, private actions.
 */

import { BusError } from "../../contract/bus_error.js";
import { checkJson } from "../../contract/bus_json.js";
import { KERNEL_ENDPOINT } from "../../contract/bus_names.js";
import { isObject } from "../../contract/json_number.js";
import { timeoutOf } from "../calls/call_timeout.js";
import { isPrivateAction } from "../private/private_actions.js";

/** @import { Exec } from "../../contract/bus_messages.js" */
/** @import { Broker, BrokerRequest, CallHandle, CallSource } from "../calls/broker.js" */
/** @import { Came, Endpoint, Outcome } from "./endpoint.js" */
/** @import { EndpointRegistry } from "./endpoint_registry.js" */
/** @import { Invocation, Invocations } from "../calls/invocations.js" */
/** @import { PrivateRequests } from "../private/private_requests.js" */
/** @import { SenderActivation } from "../private/sender_activation.js" */
/** @import { StateTopics } from "../state_topics.js" */

/**
 * @typedef {object} Delegations Calls that are made later, or with an attachment, for who may make them.
 * @property {(endpoint: Endpoint, token: string, call: { target: string, name: string }) => Invocation} redeem
 *   Throws `INVOCATION_INVALID`.
 */

/**
 * @typedef {object} SelfCalls Calls of an app to its own installed backend.
 * @property {(endpoint: Endpoint, call: SelfCall, done: (outcome: Outcome) => void) => CallHandle} call
 */

/**
 * @typedef {object} SelfCall
 * @property {"query" | "update"} kind
 * @property {Record<string, unknown>} payload `{method, arguments}`, not checked yet.
 * @property {ArrayBuffer | undefined} attachment
 */

/**
 * @typedef {object} RequestParts
 * @property {Broker} broker
 * @property {EndpointRegistry} registry
 * @property {Invocations} invocations
 * @property {PrivateRequests} privateRequests
 * @property {StateTopics} topics
 * @property {(app: string) => string | null} versionOf Of an installed app.
 */

/** @typedef {{ id: number, payload: Exec["payload"] } & Came} Request */

export class EndpointRequests {
  /** @param {RequestParts} parts */
  constructor(parts) {
    this._parts = parts;
    /** @type {Delegations | null} */
    this.delegations = null;
    /** @type {SelfCalls | null} */
    this.selfCalls = null;
  }

  /**
   * @param {Endpoint} from
   * @param {Exec} message
   * @param {Came} came
   */
  take(from, { id, payload }, came) {
    try {
      if (from.requests.has(id)) {
        const text = "A request of this id is in flight; nothing was done.";
        throw new BusError("INVALID_MESSAGE", text);
      }
      this._begin(from, { id, payload, ...came });
    } catch (error) {
      if (!(error instanceof BusError)) throw error;
      from.answer(id, { error });
    }
  }

  /**
   * @param {Endpoint} from
   * @param {Request} request
   */
  _begin(from, request) {
    const { action, payload } = request.payload;
    switch (action) {
      case "tools.call":
        this._call(from, request);
        break;
      case "tools.list":
        this._list(from, request);
        break;
      case "app.state.publish":
        this._publish(from, request.id, payload);
        break;
      case "canister.query_self":
        this._callSelf(from, request, "query");
        break;
      case "canister.update_self":
        this._callSelf(from, request, "update");
        break;
      default:
        if (!isPrivateAction(action)) throw unknownAction();
        // It counts as a request like any other, and is told as soon as it is decided on.
        this._keep(from, request.id, false, (done) =>
          this._parts.privateRequests.run(from, action, payload, done, request.sender),
        );
    }
  }

  /**
   * @param {Endpoint} from
   * @param {Request} request
   */
  _call(from, { id, payload: { payload, invocation }, attachment, sender }) {
    const { target, name, arguments: given = {}, timeout, delegation } = payload;
    if (typeof target !== "string" || typeof name !== "string" || !isObject(given)) {
      throw new BusError(
        "INVALID_MESSAGE",
        "A call has a target, a name and arguments; nothing was run.",
      );
    }
    /** @type {BrokerRequest} */
    const request = { target, name, arguments: given, attachment, ...timeoutOf(timeout) };
    // Whose run is over calls no more by it, with a delegation either, which is not used up then.
    const own = this._invocationOf(from, invocation);
    const source = this._sourceOf(
      from,
      delegation === undefined ? own : this._redeemed(from, delegation, { target, name }),
      sender,
    );
    this._keep(from, id, target !== KERNEL_ENDPOINT, (done) =>
      this._parts.broker.call(source, request, {
        done,
        progress: (value) => from.sendProgress(id, value),
      }),
    );
  }

  /**
   * @param {Endpoint} from
   * @param {Request} request
   */
  _list(from, { id, payload: { payload, invocation } }) {
    const { target } = payload;
    if (typeof target !== "string") {
      throw new BusError("INVALID_MESSAGE", "A list is of the tools of a target.");
    }
    const source = this._sourceOf(from, this._invocationOf(from, invocation));
    this._keep(from, id, target !== KERNEL_ENDPOINT, (done) =>
      this._parts.broker.list(source, target, (listed) =>
        done("error" in listed ? listed : fitting(listed)),
      ),
    );
  }

  /**
   * @param {Endpoint} from
   * @param {Request} request
   * @param {"query" | "update"} kind
   */
  _callSelf(from, { id, payload: { payload }, attachment }, kind) {
    const { selfCalls } = this;
    if (selfCalls === null) throw unknownAction();
    this._keep(from, id, true, (done) => selfCalls.call(from, { kind, payload, attachment }, done));
  }

  /**
   * @param {Endpoint} from
   * @param {number} id
   * @param {Record<string, unknown>} payload
   */
  _publish(from, id, { topic, revision }) {
    const { app } = from.place;
    const news = this._parts.topics.publish(app, topic, revision);
    from.answer(id, { ok: {} });
    if (!news) return;
    for (const other of this._parts.registry.ofApp(app)) {
      if (other !== from) other.sendEvent("app.state", { topic, revision });
    }
  }

  /**
   * Keeps what an endpoint asked for until it is answered: once.
   *
   * @param {Endpoint} from
   * @param {number} id
   * @param {boolean} byAnother The page answers at once: only the count finds a flood of that.
   * @param {(done: (outcome: Outcome) => void) => CallHandle} begin
   */
  _keep(from, id, byAnother, begin) {
    let ended = false;
    const handle = begin((outcome) => {
      ended = true;
      from.requests.delete(id);
      if ("ok" in outcome && byAnother) from.forgive();
      from.answer(id, outcome);
    });
    if (!ended) from.requests.set(id, handle);
  }

  /**
   * Who calls: the endpoint in its own name, or on behalf of whom it was told to.
   *
   * @param {Endpoint} from
   * @param {Invocation | null} invocation
   * @param {SenderActivation | null} [sender]
   * @returns {CallSource}
   */
  _sourceOf(from, invocation, sender = null) {
    const { app } = from.place;
    return {
      id: from.id,
      app,
      endpoint: from,
      invocation,
      sender,
      root: invocation?.root ?? {
        kind: "app",
        subject: `app:${app}`,
        app,
        version: this._parts.versionOf(app),
        entrypoint: null,
        session: null,
        signal: null,
      },
    };
  }

  /**
   * @param {Endpoint} from
   * @param {string | undefined} token
   * @returns {Invocation | null} Null for a call in the endpoint's own name.
   */
  _invocationOf(from, token) {
    return token === undefined ? null : this._parts.invocations.find(from, token);
  }

  /**
   * @param {Endpoint} from
   * @param {unknown} token Of a delegation.
   * @param {{ target: string, name: string }} call
   * @returns {Invocation}
   */
  _redeemed(from, token, call) {
    if (this.delegations === null || typeof token !== "string") {
      throw new BusError("INVOCATION_INVALID", "There is no such delegation; nothing was run.");
    }
    return this.delegations.redeem(from, token, call);
  }
}

function unknownAction() {
  return new BusError("UNKNOWN_ACTION", "The kernel knows no such action; nothing was done.");
}

/**
 * @param {unknown} ok
 * @returns {Outcome}
 */
function fitting(ok) {
  try {
    checkJson(ok, { what: "list of tools" });
    return { ok };
  } catch (error) {
    return { error: /** @type {BusError} */ (error) };
  }
}
