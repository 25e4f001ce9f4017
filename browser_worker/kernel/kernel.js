// @ts-check
/**
 * The bus of one trusted page: connects the ports of apps, and routes what they ask of each other.
 * Composes the other modules; frames are somebody else's. Contract: bus.
 */

import { requireSendable } from "../contract/bus_attachments.js";
import { BusError } from "../contract/bus_error.js";
import { copyJson } from "../contract/bus_json.js";
import { KERNEL_ENDPOINT, endpointId } from "../contract/bus_names.js";
import { AuditRing } from "./audit/audit_ring.js";
import { Broker } from "./calls/broker.js";
import { EndReason, endedCall } from "./calls/call_end.js";
import { timeoutOf } from "./calls/call_timeout.js";
import { Endpoint } from "./endpoints/endpoint.js";
import { EndpointRegistry } from "./endpoints/endpoint_registry.js";
import { EndpointRequests } from "./endpoints/endpoint_requests.js";
import { FloodGuard } from "./endpoints/flood_guard.js";
import { Heartbeat } from "./endpoints/heartbeat.js";
import { Invocations } from "./calls/invocations.js";
import { addListingTools } from "./tools/listing_tools.js";
import { KernelTools } from "./tools/kernel_tools.js";
import { NO_ATTENTION } from "./private/private_gate.js";
import { PrivateRequests } from "./private/private_requests.js";
import { OWNER_ONLY } from "./grants/routing_policy.js";
import { StateTopics } from "./state_topics.js";

/** @import { EndpointPlace } from "../contract/bus_names.js" */
/** @import { CallHandle, CallSource } from "./calls/broker.js" */
/** @import { AgentTurns } from "./calls/call_admission.js" */
/** @import { Delegations, SelfCalls } from "./endpoints/endpoint_requests.js" */
/** @import { BusPort, KernelPowers } from "./kernel_powers.js" */
/** @import { AppDeclarations, Attention } from "./private/private_gate.js" */
/** @import { RoutingPolicy } from "./grants/routing_policy.js" */
/** @import { ToolDescriptor } from "./tools/tool_descriptors.js" */

/**
 * @typedef {object} AppSummary Of an installed app, in its own words.
 * @property {string} id
 * @property {string} name
 * @property {string} version
 * @property {string} [description]
 * @property {AppDeclarations} [declares] What its manifest declares; nobody discovers it.
 */

/**
 * @typedef {object} Keeper Keeps something that ends with an app, a session or a lock: grants, say.
 * @property {(app: string) => void} [forgetApp] The app was removed, or is of another version now.
 * @property {(caller: string) => void} [endSession] A terminal's session has ended.
 * @property {(endpoint: Endpoint) => void} [endpointGone]
 * @property {() => void} [lock]
 */

/**
 * @typedef {object} KernelOptions
 * @property {KernelPowers} powers
 * @property {RoutingPolicy} [policy] Who may call across apps; without one nobody but the page itself.
 * @property {() => readonly AppSummary[]} [apps] The installed apps.
 * @property {Attention} [attention] Where the person is; without it nobody has the focus.
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
 * @property {() => void} [onWaiting] Somebody has to be asked before it begins; told once at most.
 * @property {() => void} [onAllowed] After that: it may begin.
 * @property {AbortSignal} [signal]
 */

/** @typedef {{ result: unknown, attachment: ArrayBuffer | undefined }} TrustedResult */

export class Kernel {
  /** @param {KernelOptions} options */
  constructor({ powers, policy = OWNER_ONLY, apps = () => [], attention = NO_ATTENTION }) {
    this._powers = powers;
    this._apps = apps;
    this._registry = new EndpointRegistry();
    this._topics = new StateTopics();
    this._heartbeat = new Heartbeat(this._registry, powers);
    this._locked = false;
    /** @type {Set<Keeper>} */
    this._keepers = new Set();
    /** On whose behalf apps run tools. */
    this.invocations = new Invocations(powers.newId);
    /** The last calls. */
    this.audit = new AuditRing(powers);
    /** Tools of the page itself, by dotted names: more can be added. */
    this.tools = new KernelTools();
    this._broker = new Broker({
      registry: this._registry,
      kernelTools: this.tools,
      policy,
      invocations: this.invocations,
      audit: this.audit,
      powers,
    });
    /** What apps may ask beside tools: handlers are added to it. */
    this.private = new PrivateRequests({
      audit: this.audit,
      attention,
      declaresOf: (app) => this.app(app)?.declares ?? {},
    });
    this._requests = new EndpointRequests({
      broker: this._broker,
      registry: this._registry,
      invocations: this.invocations,
      privateRequests: this.private,
      topics: this._topics,
      versionOf: (app) => this.app(app)?.version ?? null,
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

  /** An installed app. @param {string} id @returns {AppSummary | undefined} */
  app(id) {
    return this._apps().find((app) => app.id === id);
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
        onRequest: (from, request, came) => this._requests.take(from, request, came),
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
      this.private.endpointGone(endpoint);
      for (const keeper of this._keepers) keeper.endpointGone?.(endpoint);
    });
  }

  /**
   * Which calls begin an agent's turn.
   *
   * @param {AgentTurns | null} turns
   */
  set turns(turns) {
    this._broker.admission.turns = turns;
  }

  /** @param {Delegations | null} delegations */
  set delegations(delegations) {
    this._requests.delegations = delegations;
  }

  /** @param {SelfCalls | null} selfCalls */
  set selfCalls(selfCalls) {
    this._requests.selfCalls = selfCalls;
  }

  /** Counts the bytes of attachments under way. @returns {import("./calls/attachment_ledger.js").AttachmentLedger} */
  get ledger() {
    return this._broker.ledger;
  }

  /** @param {string} id @returns {Endpoint | undefined} */
  endpoint(id) {
    return this._registry.get(id);
  }

  /**
   * Tells another of what ends: apps, sessions, endpoints, and all with a lock.
   *
   * @param {Keeper} keeper
   */
  addKeeper(keeper) {
    this._keepers.add(keeper);
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
    onWaiting,
    onAllowed,
    signal,
    attachment,
    ...call
  }) {
    this._requireUnlocked();
    const given = copyJson(call.arguments ?? {}, { what: "arguments" });
    requireSendable(attachment);
    const timeout = timeoutOf(timeoutSeconds);
    if (signal?.aborted) {
      throw endedCall(new EndReason("CANCELLED", "The call was cancelled"), false);
    }
    return new Promise((resolve, reject) => {
      /** @type {CallHandle | null} */
      let handle = null;
      const onAbort = () => handle?.cancel("by its caller");
      signal?.addEventListener("abort", onAbort);
      handle = this._broker.call(
        trustedSource(caller),
        { ...call, arguments: given, attachment, ...timeout },
        {
          done: (outcome) => {
            signal?.removeEventListener("abort", onAbort);
            if ("error" in outcome) reject(outcome.error);
            else resolve({ result: outcome.ok, attachment: outcome.attachment });
          },
          ...(onProgress === undefined ? {} : { progress: onProgress }),
          ...(onWaiting === undefined ? {} : { waiting: onWaiting }),
          ...(onAllowed === undefined ? {} : { allowed: onAllowed }),
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
    /** @type {import("./tools/tool_listing.js").Listed} */
    const listed = await new Promise((resolve) => {
      this._broker.list(trustedSource(caller), target, resolve);
    });
    if ("error" in listed) throw listed.error;
    return listed.tools;
  }

  /** Lets nobody in any more, and takes all ports away. */
  lock() {
    if (this._locked) return;
    this._locked = true;
    const error = new EndReason("LOCKED", "The workspace was locked");
    // First, while those who wait can still be told how far it was, what they wait for.
    this._broker.close(error);
    this.private.close(error);
    for (const endpoint of this._registry.all()) this.disconnect(endpoint, error);
    for (const keeper of this._keepers) keeper.lock?.();
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

  /** @param {string} app An app that was removed: its revisions are forgotten, and what it was granted. */
  forgetApp(app) {
    this._topics.forget(app);
    this.appChanged(app);
  }

  /** @param {string} app An app whose version or authority is another now: what it was granted ends. */
  appChanged(app) {
    for (const keeper of this._keepers) keeper.forgetApp?.(app);
  }

  /**
   * A terminal's session has ended, or was detached: its calls end, and what it was granted.
   *
   * @param {string} caller `external:bridge:SESSION`
   */
  endSession(caller) {
    this._broker.endSource(caller, new EndReason("CANCELLED", "The session has ended"));
    for (const keeper of this._keepers) keeper.endSession?.(caller);
  }

  /** A terminal cannot be told anything: what waits for the owner for it ends. @param {string} caller */
  withdrawQuestions(caller) {
    const why = "The page lost its bridge while the owner was asked";
    this._broker.endWaiting(caller, new EndReason("CANCELLED", why));
  }

  _requireUnlocked() {
    if (!this._locked) return;
    throw endedCall(new EndReason("LOCKED", "The workspace is locked"), false);
  }
}

/**
 * Who calls that is no app: the page itself, or a terminal that it lets in.
 *
 * @param {string} caller
 * @returns {CallSource}
 */
function trustedSource(caller) {
  const nobody = { id: caller, app: null, endpoint: null, invocation: null };
  if (caller === KERNEL_ENDPOINT) return { ...nobody, root: null };
  return {
    ...nobody,
    root: {
      kind: "external",
      subject: caller,
      app: null,
      version: null,
      entrypoint: null,
      session: caller,
      signal: null,
    },
  };
}
