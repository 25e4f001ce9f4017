// @ts-check
/**
 * Routes calls between endpoints: counts them, asks the policy, keeps their deadlines, notes them, and
 * sees that each is answered once. Contract: bus, calling, routing policy.
 */

import { BusError } from "../contract/bus_error.js";
import { KERNEL_ENDPOINT } from "../contract/bus_names.js";
import { Deadlines } from "../contract/deadlines.js";
import { BUS_LIMITS } from "../contract/limits.js";
import { errorFrom } from "./app_errors.js";
import { AttachmentLedger } from "./attachment_ledger.js";
import { CallsInFlight } from "./calls_in_flight.js";
import { gone } from "./endpoint.js";
import { KernelCall } from "./kernel_call.js";
import { RoutedCall } from "./routed_call.js";
import { ask } from "./routing_policy.js";
import { ToolReader } from "./tool_descriptors.js";
import { ToolListing } from "./tool_listing.js";

/** @import { AuditRing } from "./audit_ring.js" */
/** @import { CallInFlight } from "./calls_in_flight.js" */
/** @import { Endpoint, Outcome } from "./endpoint.js" */
/** @import { EndpointRegistry } from "./endpoint_registry.js" */
/** @import { KernelPowers } from "./kernel_powers.js" */
/** @import { KernelTools } from "./kernel_tools.js" */
/** @import { RoutedRequest } from "./routed_call.js" */
/** @import { RoutingPolicy } from "./routing_policy.js" */
/** @import { Listed } from "./tool_listing.js" */

/**
 * @typedef {object} CallSource Who calls, as the kernel knows it.
 * @property {string} id An endpoint, `kernel`, or `external:bridge:SESSION`.
 * @property {string | null} app Null for who is no app.
 */

/** @typedef {RoutedRequest & { timeoutSeconds?: number }} BrokerRequest */

/**
 * @typedef {object} CallSink
 * @property {(outcome: Outcome) => void} done Told once.
 * @property {(value: unknown) => void} [progress] What it throws changes nothing.
 */

/**
 * @typedef {object} CallHandle
 * @property {(reason: string) => void} cancel Ends it as `CANCELLED`; late it does nothing.
 */

/**
 * @typedef {object} BrokerParts
 * @property {EndpointRegistry} registry
 * @property {KernelTools} kernelTools
 * @property {RoutingPolicy} policy
 * @property {AuditRing} audit
 * @property {KernelPowers} powers
 */

/** How long an endpoint may take to say which tools it has. */
const LIST_SECONDS = 5;

/** @type {CallHandle} */
const ENDED = Object.freeze({ cancel: () => {} });

export class Broker {
  /** @param {BrokerParts} parts */
  constructor(parts) {
    this._parts = parts;
    this._reader = new ToolReader();
    this._deadlines = new Deadlines(parts.powers);
    this._inFlight = new CallsInFlight();
    /** Bytes of attachments under way. */
    this.ledger = new AttachmentLedger();
  }

  /** Calls and lists that have not ended. */
  get inFlight() {
    return this._inFlight.size;
  }

  /**
   * Calls a tool for a source.
   *
   * @param {CallSource} source
   * @param {BrokerRequest} request
   * @param {CallSink} sink
   * @returns {CallHandle}
   */
  call(source, request, sink) {
    const { target, name, arguments: given } = request;
    const { audit, registry, kernelTools } = this._parts;
    const audited = audit.begin({ caller: source.id, target, tool: name, arguments: given });
    const refused = this._fullFor(source);
    if (refused !== null) {
      audited("refused", `${refused.code}: ${refused.message}`);
      sink.done({ error: refused });
      return ENDED;
    }
    const ended = (/** @type {Outcome} */ outcome) => {
      this._close(source, call, deadline);
      sink.done(outcome);
    };
    const call =
      target === KERNEL_ENDPOINT
        ? new KernelCall(source, request, { tools: kernelTools, audited, ended })
        : new RoutedCall(source.id, registry.get(target), request, {
            ledger: this.ledger,
            reader: this._reader,
            audited,
            ended,
            progress: (value) => consume(sink, value),
            decide: (decided) => this._decide(source, target, name, decided),
          });
    const deadline = this._open(
      source,
      call,
      request.timeoutSeconds ?? BUS_LIMITS.defaultTimeoutSeconds,
    );
    call.begin();
    return handleOf(call);
  }

  /**
   * Lists the tools of an endpoint, by asking it.
   *
   * @param {CallSource} source
   * @param {string} target
   * @param {(listed: Listed) => void} done Told once.
   * @returns {CallHandle}
   */
  list(source, target, done) {
    // The page itself looks at all of its endpoints at once.
    const refused = source.app === null ? null : this._fullFor(source);
    const endpoint = this._parts.registry.get(target);
    if (refused !== null) done({ error: refused });
    else if (target === KERNEL_ENDPOINT) done({ tools: this._parts.kernelTools.descriptors() });
    else if (endpoint === undefined) {
      const text = `No endpoint ${target.slice(0, 200)} is live; list the endpoints.`;
      done({ error: new BusError("UNKNOWN_ENDPOINT", text) });
    } else {
      const listing = new ToolListing(endpoint, {
        reader: this._reader,
        decide: (decided) => this._decide(source, target, null, decided),
        // Who decides may take its time; who only has to look may not.
        asked: () => {
          this._deadlines.cancel(deadline);
          deadline = this._deadlineOf(listing, LIST_SECONDS);
        },
        ended: (listed) => {
          this._close(source, listing, deadline);
          done(listed);
        },
      });
      let deadline = this._open(source, listing, BUS_LIMITS.defaultTimeoutSeconds);
      listing.begin();
      return handleOf(listing);
    }
    return ENDED;
  }

  /**
   * Ends what waits for an endpoint that is gone, and what it waited for itself.
   *
   * @param {Endpoint} endpoint A closed one.
   * @param {BusError} [error] What those are told who wait for it.
   */
  endpointGone(endpoint, error = undefined) {
    for (const call of this._inFlight.all()) {
      if (call.target !== endpoint) continue;
      const told = error ?? gone(endpoint.id, call.hasBegun);
      call.end(errorFrom(endpoint, told, call.hasBegun), "failed");
    }
    for (const call of this._inFlight.of(endpoint.id)) {
      handleOf(call).cancel("its caller has gone");
    }
  }

  /** Ends all calls. @param {BusError} error */
  close(error) {
    for (const call of this._inFlight.all()) call.end(error, "cancelled");
    this._deadlines.close();
  }

  /**
   * @param {CallSource} source
   * @param {string} target
   * @param {string | null} tool
   * @param {(refusal: BusError | null) => void} decided
   */
  _decide(source, target, tool, decided) {
    const targetApp = this._parts.registry.get(target)?.place.app;
    if (targetApp === undefined || targetApp === source.app) decided(null);
    else {
      const question = { caller: source.id, callerApp: source.app, target, targetApp, tool };
      ask(this._parts.policy, question, decided);
    }
  }

  /**
   * @param {CallSource} source
   * @returns {BusError | null}
   */
  _fullFor(source) {
    const most = BUS_LIMITS.maxCallsInFlight;
    if (this._inFlight.countOf(source.id) < most) return null;
    const text = `${most} calls of yours are in flight; this one was not begun. Wait for one to end.`;
    return new BusError("TOO_MANY_CALLS", text);
  }

  /**
   * @param {CallSource} source
   * @param {CallInFlight} call
   * @param {number} seconds
   */
  _open(source, call, seconds) {
    this._inFlight.add(source.id, call);
    return this._deadlineOf(call, seconds);
  }

  /**
   * @param {CallInFlight} call
   * @param {number} seconds
   */
  _deadlineOf(call, seconds) {
    return this._deadlines.add(seconds, () => {
      const text = `The call did not end in ${seconds} s: ${doneSoFar(call.hasBegun)}.`;
      call.end(new BusError("TIMEOUT", text), "timed out");
    });
  }

  /**
   * @param {CallSource} source
   * @param {CallInFlight} call
   * @param {import("../contract/deadlines.js").Deadline} deadline
   */
  _close(source, call, deadline) {
    this._deadlines.cancel(deadline);
    this._inFlight.remove(source.id, call);
  }
}

/**
 * @param {CallInFlight} call
 * @returns {CallHandle}
 */
function handleOf(call) {
  return {
    cancel: (reason) => {
      const text = `The call was cancelled (${reason}): ${doneSoFar(call.hasBegun)}.`;
      call.end(new BusError("CANCELLED", text), "cancelled");
    },
  };
}

/**
 * @param {CallSink} sink
 * @param {unknown} value
 */
function consume(sink, value) {
  try {
    sink.progress?.(value);
  } catch {
    // A consumer that fails changes nothing of the call.
  }
}

/** @param {boolean} begun */
function doneSoFar(begun) {
  return begun ? "it may have been done, look before you try again" : "nothing was run";
}
