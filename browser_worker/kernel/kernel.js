// @ts-check
/**
 * The bus of one trusted page: connects the ports of apps, and routes what they ask of each other.
 * Composes the other modules; frames are somebody else's. Contract: bus.
 */

import { requireSendable } from "../contract/bus_attachments.js";
import { BusError } from "../contract/bus_error.js";
import { checkJson, copyJson } from "../contract/bus_json.js";
import { KERNEL_ENDPOINT, endpointId } from "../contract/bus_names.js";
import { isObject } from "../contract/json_number.js";
import { BUS_LIMITS } from "../contract/limits.js";
import { AuditRing } from "./audit_ring.js";
import { Broker } from "./broker.js";
import { Endpoint } from "./endpoint.js";
import { EndpointRegistry } from "./endpoint_registry.js";
import { FloodGuard } from "./flood_guard.js";
import { Heartbeat } from "./heartbeat.js";
import { addListingTools } from "./listing_tools.js";
import { KernelTools } from "./kernel_tools.js";
import { OWNER_ONLY } from "./routing_policy.js";
import { StateTopics } from "./state_topics.js";

/** @import { Exec } from "../contract/bus_messages.js" */
/** @import { EndpointPlace } from "../contract/bus_names.js" */
/** @import { BrokerRequest, CallHandle, CallSource } from "./broker.js" */
/** @import { Outcome } from "./endpoint.js" */
/** @import { BusPort, KernelPowers } from "./kernel_powers.js" */
/** @import { RoutingPolicy } from "./routing_policy.js" */
/** @import { ToolDescriptor } from "./tool_descriptors.js" */

/**
 * @typedef {object} AppSummary Of an installed app, in its own words.
 * @property {string} id
 * @property {string} name
 * @property {string} version
 * @property {string} [description]
 */

/**
 * @typedef {object} KernelOptions
 * @property {KernelPowers} powers
 * @property {RoutingPolicy} [policy] Who may call across apps; without one nobody but the page itself.
 * @property {() => readonly AppSummary[]} [apps] The installed apps.
 */

/**
 * @typedef {object} TrustedCall A call of the page itself, or of whom it lets in.
 * @property {string} [caller] `kernel`, or `external:bridge:SESSION`.
 * @property {string} target
 * @property {string} name
 * @property {Record<string, unknown>} [arguments]
 * @property {ArrayBuffer} [attachment] Goes over to the tool, and is no longer the caller's.
 * @property {number} [timeoutSeconds] 1 to 600, 30 by default.
 * @property {(value: unknown) => void} [onProgress]
 * @property {AbortSignal} [signal]
 */

/** @typedef {{ result: unknown, attachment: ArrayBuffer | undefined }} TrustedResult */

/** What an endpoint may ask of the kernel. */
const ACTIONS = new Set(["tools.call", "tools.list", "app.state.publish"]);

export class Kernel {
  /** @param {KernelOptions} options */
  constructor({ powers, policy = OWNER_ONLY, apps = () => [] }) {
    this._powers = powers;
    this._apps = apps;
    this._registry = new EndpointRegistry();
    this._topics = new StateTopics();
    this._heartbeat = new Heartbeat(this._registry, powers);
    this._locked = false;
    /** The last calls. */
    this.audit = new AuditRing(powers);
    /** Tools of the page itself, by dotted names: more can be added. */
    this.tools = new KernelTools();
    this._broker = new Broker({
      registry: this._registry,
      kernelTools: this.tools,
      policy,
      audit: this.audit,
      powers,
    });
    addListingTools(this.tools, this);
    this._heartbeat.start();
  }

  /** Whether nobody is let in. */
  get locked() {
    return this._locked;
  }

  /**
   * Watches which endpoints are live, and which answer.
   *
   * @param {() => void} observer
   * @returns {() => void} Ends the watching.
   */
  onChange(observer) {
    return this._registry.onChange(observer);
  }

  /** The endpoints that are live, in order of connection. */
  endpoints() {
    return this._registry.summaries();
  }

  /** The installed apps. */
  apps() {
    return [...this._apps()];
  }

  /**
   * The last revision of a topic that an app has published.
   *
   * @param {string} app
   * @param {string} topic
   */
  revision(app, topic) {
    return this._topics.revision(app, topic);
  }

  /** Calls and lists that have not ended. */
  get callsInFlight() {
    return this._broker.inFlight;
  }

  /** Bytes of attachments that are under way in all. */
  get attachmentBytes() {
    return this._broker.ledger.inAll;
  }

  /**
   * Connects an app's port. From now on whatever comes by it is that endpoint's, and nothing else is.
   *
   * @param {EndpointPlace} place
   * @param {BusPort} port
   * @returns {Endpoint}
   * @throws {BusError} `LOCKED`
   * @throws {TypeError} For a place that is no endpoint, or one that is taken.
   */
  connect(place, port) {
    const id = endpointId(place);
    if (this._locked) throw new BusError("LOCKED", "The workspace is locked.");
    if (this._registry.get(id) !== undefined) throw new TypeError(`${id} is connected already`);
    const session = this._powers.newId();
    const endpoint = new Endpoint({
      id,
      place: { ...place },
      session,
      port,
      now: this._powers.now,
      flood: new FloodGuard(this._powers.now),
      owner: {
        onRequest: (from, request, attachment) => this._request(from, request, attachment),
        onCancel: (from, callId, reason) => from.requests.get(callId)?.cancel(reason.slice(0, 200)),
        onFault: (from, error) => this.disconnect(from, error),
      },
    });
    this._registry.add(endpoint);
    endpoint.sendEvent("connected", { endpoint: id, session });
    return endpoint;
  }

  /**
   * Takes an endpoint's port away. Whoever waits for it is told, and what it waits for is cancelled.
   *
   * @param {Endpoint} endpoint
   * @param {BusError} [error] What those are told who wait.
   */
  disconnect(endpoint, error = undefined) {
    if (!endpoint.open) return;
    this._registry.remove(endpoint, () => {
      endpoint.close(error);
      this._broker.endpointGone(endpoint, error);
    });
  }

  /**
   * Calls a tool for the page itself, or for one whom it lets in.
   *
   * @param {TrustedCall} call
   * @returns {Promise<TrustedResult>} Rejects with a `BusError`.
   */
  async call({
    caller = KERNEL_ENDPOINT,
    timeoutSeconds,
    onProgress,
    signal,
    attachment,
    ...call
  }) {
    this._requireUnlocked();
    const given = copyJson(call.arguments ?? {}, { what: "arguments" });
    requireSendable(attachment);
    const timeout = timeoutOf(timeoutSeconds);
    if (signal?.aborted) {
      throw new BusError("CANCELLED", "The call was cancelled; nothing was run.");
    }
    return new Promise((resolve, reject) => {
      /** @type {CallHandle | null} */
      let handle = null;
      const onAbort = () => handle?.cancel("by its caller");
      signal?.addEventListener("abort", onAbort);
      handle = this._broker.call(
        { id: caller, app: null },
        { ...call, arguments: given, attachment, ...timeout },
        {
          done: (outcome) => {
            signal?.removeEventListener("abort", onAbort);
            if ("error" in outcome) reject(outcome.error);
            else resolve({ result: outcome.ok, attachment: outcome.attachment });
          },
          ...(onProgress === undefined ? {} : { progress: onProgress }),
        },
      );
    });
  }

  /**
   * Lists the tools of an endpoint by asking it.
   *
   * @param {string} target
   * @param {string} [caller]
   * @returns {Promise<ToolDescriptor[]>} Rejects with a `BusError`.
   */
  async listTools(target, caller = KERNEL_ENDPOINT) {
    this._requireUnlocked();
    /** @type {import("./tool_listing.js").Listed} */
    const listed = await new Promise((resolve) => {
      this._broker.list({ id: caller, app: null }, target, resolve);
    });
    if ("error" in listed) throw listed.error;
    return listed.tools;
  }

  /** Lets nobody in any more, and takes all ports away. */
  lock() {
    if (this._locked) return;
    this._locked = true;
    const error = new BusError(
      "LOCKED",
      "The workspace was locked; what was asked may have been done.",
    );
    for (const endpoint of this._registry.all()) this.disconnect(endpoint, error);
    this._broker.close(error);
  }

  /** Lets apps in again. */
  unlock() {
    this._locked = false;
  }

  /** Ends everything, for good. */
  close() {
    this.lock();
    this._heartbeat.stop();
  }

  /** @param {string} app An app that was removed: its revisions are forgotten. */
  forgetApp(app) {
    this._topics.forget(app);
  }

  _requireUnlocked() {
    if (this._locked) throw new BusError("LOCKED", "The workspace is locked; nothing was run.");
  }

  /**
   * @param {Endpoint} from
   * @param {Exec} request
   * @param {ArrayBuffer | undefined} attachment
   */
  _request(from, { id, payload: { action, payload } }, attachment) {
    try {
      if (!ACTIONS.has(action)) {
        throw new BusError("UNKNOWN_ACTION", "The kernel knows no such action; nothing was done.");
      }
      if (from.requests.has(id)) {
        const text = "A request of this id is in flight; nothing was done.";
        throw new BusError("INVALID_MESSAGE", text);
      }
      if (action === "tools.call") this._call(from, id, payload, attachment);
      else if (action === "tools.list") this._list(from, id, payload);
      else this._publish(from, id, payload);
    } catch (error) {
      if (!(error instanceof BusError)) throw error;
      from.answer(id, { error });
    }
  }

  /**
   * @param {Endpoint} from
   * @param {number} id
   * @param {Record<string, unknown>} payload
   * @param {ArrayBuffer | undefined} attachment
   */
  _call(from, id, payload, attachment) {
    const { target, name, arguments: given = {}, timeout } = payload;
    if (typeof target !== "string" || typeof name !== "string" || !isObject(given)) {
      throw new BusError(
        "INVALID_MESSAGE",
        "A call has a target, a name and arguments; nothing was run.",
      );
    }
    /** @type {BrokerRequest} */
    const request = { target, name, arguments: given, attachment, ...timeoutOf(timeout) };
    this._keep(from, id, target !== KERNEL_ENDPOINT, (done) =>
      this._broker.call(sourceOf(from), request, {
        done,
        progress: (value) => from.sendProgress(id, value),
      }),
    );
  }

  /**
   * @param {Endpoint} from
   * @param {number} id
   * @param {Record<string, unknown>} payload
   */
  _list(from, id, { target }) {
    if (typeof target !== "string") {
      throw new BusError("INVALID_MESSAGE", "A list is of the tools of a target.");
    }
    this._keep(from, id, target !== KERNEL_ENDPOINT, (done) =>
      this._broker.list(sourceOf(from), target, (listed) =>
        done("error" in listed ? listed : fitting(listed)),
      ),
    );
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
   * @param {Endpoint} from
   * @param {number} id
   * @param {Record<string, unknown>} payload
   */
  _publish(from, id, { topic, revision }) {
    const { app } = from.place;
    const news = this._topics.publish(app, topic, revision);
    from.answer(id, { ok: {} });
    if (!news) return;
    for (const other of this._registry.ofApp(app)) {
      if (other !== from) other.sendEvent("app.state", { topic, revision });
    }
  }
}

/**
 * @param {Endpoint} endpoint
 * @returns {CallSource}
 */
function sourceOf(endpoint) {
  return { id: endpoint.id, app: endpoint.place.app };
}

/**
 * @param {unknown} timeout Seconds.
 * @returns {{ timeoutSeconds?: number }}
 */
function timeoutOf(timeout) {
  if (timeout === undefined) return {};
  const most = BUS_LIMITS.maxTimeoutSeconds;
  if (typeof timeout !== "number" || !(timeout >= 1 && timeout <= most)) {
    throw new BusError("INVALID_MESSAGE", `A timeout is 1 to ${most} seconds; nothing was run.`);
  }
  return { timeoutSeconds: timeout };
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
