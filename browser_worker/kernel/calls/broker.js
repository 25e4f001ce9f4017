// @ts-check
/**
 * Routes calls between endpoints: counts them, asks the policy, keeps their deadlines, notes them, and
 * sees that each is answered once. Contract: bus, calling, routing policy.
 */

import { BusError } from "../../contract/bus_error.js";
import { KERNEL_ENDPOINT } from "../../contract/bus_names.js";
import { Deadlines } from "../../contract/deadlines.js";
import { BUS_LIMITS } from "../../contract/limits.js";
import { errorFrom } from "../app_errors.js";
import { AttachmentLedger } from "./attachment_ledger.js";
import { CallAdmission } from "./call_admission.js";
import { EndReason } from "./call_end.js";
import { tellAllowed, tellProgress, tellWaiting } from "./call_sink.js";
import { CallsInFlight } from "./calls_in_flight.js";
import { EndLinks } from "./end_links.js";
import { gone } from "../endpoints/endpoint.js";
import { KernelCall } from "./kernel_call.js";
import { LateSignal } from "./late_signal.js";
import { RoutedCall } from "./routed_call.js";
import { ToolReader } from "../tools/tool_descriptors.js";
import { ToolListing } from "../tools/tool_listing.js";

/** @import { AuditRing } from "../audit/audit_ring.js" */
/** @import { Admitted } from "./call_admission.js" */
/** @import { CallSink } from "./call_sink.js" */
/** @import { CallInFlight } from "./calls_in_flight.js" */
/** @import { Endpoint } from "../endpoints/endpoint.js" */
/** @import { EndpointRegistry } from "../endpoints/endpoint_registry.js" */
/** @import { Invocation, Invocations, Root } from "./invocations.js" */
/** @import { KernelPowers } from "../kernel_powers.js" */
/** @import { KernelTools } from "../tools/kernel_tools.js" */
/** @import { RoutedRequest } from "./routed_call.js" */
/** @import { RoutingPolicy } from "../grants/routing_policy.js" */
/** @import { SenderActivation } from "../private/sender_activation.js" */
/** @import { Listed } from "../tools/tool_listing.js" */

/**
 * @typedef {object} CallSource Who calls, as the kernel knows it.
 * @property {string} id An endpoint, `kernel`, or `external:bridge:SESSION`.
 * @property {string | null} app Null for who is no app.
 * @property {Endpoint | null} endpoint Null for who has none.
 * @property {Invocation | null} invocation That it calls under: null for whoever calls in its own name.
 * @property {Root | null} root On whose behalf; null for the page itself.
 * @property {SenderActivation | null} [sender] Whether the frame that calls was clicked, as the browser says;
 *   without it that is not known.
 */

/** @typedef {RoutedRequest & { timeoutSeconds?: number }} BrokerRequest */

/**
 * @typedef {object} CallHandle
 * @property {(reason: string) => void} cancel Ends it as `CANCELLED`; late it does nothing.
 */

/**
 * @typedef {object} BrokerParts
 * @property {EndpointRegistry} registry
 * @property {KernelTools} kernelTools
 * @property {RoutingPolicy} policy
 * @property {Invocations} invocations
 * @property {AuditRing} audit
 * @property {KernelPowers} powers
 */

/** How long an endpoint may take to say which tools it has. */
const LIST_SECONDS = 5;

/** For who decides: nobody waits for that any more. One for all, since an error looks where it was made. */
const OVER = new DOMException("The call is over.", "AbortError");

/** @type {CallHandle} */
const ENDED = Object.freeze({ cancel: () => {} });

export class Broker {
  /** @param {BrokerParts} parts */
  constructor(parts) {
    this._parts = parts;
    this._reader = new ToolReader();
    this._deadlines = new Deadlines(parts.powers);
    this._inFlight = new CallsInFlight();
    /** What is let through. */
    this.admission = new CallAdmission(parts);
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
    const audited = this._parts.audit.begin({
      caller: source.id,
      target,
      tool: name,
      arguments: given,
      root: source.root?.subject ?? null,
    });
    const toKernel = target === KERNEL_ENDPOINT;
    const refused =
      this._fullFor(source) ?? (toKernel ? this.admission.kernelToolRefusal(source, name) : null);
    if (refused !== null) {
      audited("refused", `${refused.code}: ${refused.message}`);
      sink.done({ error: refused });
      return ENDED;
    }
    return toKernel
      ? this._callKernel(source, request, sink, audited)
      : this._route(source, request, sink, audited);
  }

  /**
   * @param {CallSource} source
   * @param {BrokerRequest} request
   * @param {CallSink} sink
   * @param {ReturnType<AuditRing["begin"]>} audited
   */
  _callKernel(source, request, sink, audited) {
    const links = new EndLinks((error) => call.end(error, "cancelled"));
    const { kernelTools } = this._parts;
    const call = new KernelCall(source, request, {
      tools: kernelTools,
      audited,
      ended: (outcome) => {
        links.clear();
        this._close(source, call, deadline);
        sink.done(outcome);
      },
    });
    const asking = kernelTools.asksOwner(request.name) ? BUS_LIMITS.maxDecisionSeconds : 0;
    const deadline = this._open(source, call, asking + secondsOf(request));
    call.begin();
    watch(source, links);
    return handleOf(call);
  }

  /**
   * @param {CallSource} source
   * @param {BrokerRequest} request
   * @param {CallSink} sink
   * @param {ReturnType<AuditRing["begin"]>} audited
   */
  _route(source, request, sink, audited) {
    const { registry, invocations } = this._parts;
    const { name, arguments: given } = request;
    const waits = new LateSignal(() => OVER);
    const links = new EndLinks((error) => call.end(error, "cancelled"));
    /** @type {Admitted | null} */
    let leave = null;
    let waited = false;
    const call = new RoutedCall(source.id, registry.get(request.target), request, {
      ledger: this.ledger,
      reader: this._reader,
      audited,
      progress: (value) => tellProgress(sink, value),
      decide: (target, decided) =>
        this.admission.decide(
          {
            source,
            target,
            tool: name,
            arguments: given,
            attachmentBytes: request.attachment?.byteLength ?? null,
            waits,
          },
          {
            waiting: () => {
              waited = true;
              audited.waits();
              tellWaiting(sink);
            },
            refused: decided,
            admitted: (admitted) => {
              if (call.state !== "deciding") {
                admitted.ended?.();
                return;
              }
              leave = admitted;
              audited.letThrough();
              this._deadlines.cancel(deadline);
              deadline = this._deadlineOf(call, secondsOf(request));
              // The source's own is watched already.
              if (admitted.root !== source.root) links.add(admitted.root?.signal);
              links.add(admitted.signal);
              if (waited) tellAllowed(sink);
              decided(null);
            },
          },
        ),
      enter: (target) => {
        const root = leave?.root ?? null;
        if (root === null) return null;
        return invocations.begin(root, target, root === source.root ? source.invocation : null);
      },
      leave: (invocation) => invocations.end(invocation),
      ended: (outcome) => {
        links.clear();
        this._close(source, call, deadline);
        leave?.ended?.();
        sink.done(outcome);
        waits.end();
      },
    });
    let deadline = this._open(source, call, BUS_LIMITS.maxDecisionSeconds);
    call.begin();
    watch(source, links);
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
      return this._list(source, endpoint, done);
    }
    return ENDED;
  }

  /**
   * @param {CallSource} source
   * @param {Endpoint} target
   * @param {(listed: Listed) => void} done
   * @returns {CallHandle}
   */
  _list(source, target, done) {
    const waits = new LateSignal(() => OVER);
    const links = new EndLinks((error) => listing.end(error));
    const listing = new ToolListing(target, {
      reader: this._reader,
      decide: (decided) =>
        this.admission.decide(
          {
            source,
            target,
            tool: null,
            arguments: {},
            attachmentBytes: null,
            waits,
          },
          {
            waiting: () => {},
            refused: decided,
            admitted: ({ signal }) => {
              links.add(signal);
              decided(null);
            },
          },
        ),
      // Who decides may take its time; who only has to look may not.
      asked: () => {
        this._deadlines.cancel(deadline);
        deadline = this._deadlineOf(listing, LIST_SECONDS);
      },
      ended: (listed) => {
        links.clear();
        this._close(source, listing, deadline);
        done(listed);
        waits.end();
      },
    });
    let deadline = this._open(source, listing, BUS_LIMITS.maxDecisionSeconds);
    listing.begin();
    watch(source, links);
    return handleOf(listing);
  }

  /**
   * Ends what a source has asked for and has no answer to.
   *
   * @param {string} source
   * @param {BusError} error
   */
  endSource(source, error) {
    for (const call of this._inFlight.of(source)) call.end(error, "cancelled");
  }

  /** Ends what only waits for leave, for whoever this is. @param {string} subject @param {BusError} error */
  endWaiting(subject, error) {
    for (const call of this._inFlight.waitingFor(subject)) call.end(error, "cancelled");
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
    this._inFlight.add(source, call);
    return this._deadlineOf(call, seconds);
  }

  /**
   * @param {CallInFlight} call
   * @param {number} seconds
   */
  _deadlineOf(call, seconds) {
    return this._deadlines.add(seconds, () => {
      call.end(new EndReason("TIMEOUT", `The call did not end in ${seconds} s`), "timed out");
    });
  }

  /**
   * @param {CallSource} source
   * @param {CallInFlight} call
   * @param {import("../../contract/deadlines.js").Deadline} deadline
   */
  _close(source, call, deadline) {
    this._deadlines.cancel(deadline);
    this._inFlight.remove(source, call);
  }
}

/**
 * @param {CallInFlight} call
 * @returns {CallHandle}
 */
function handleOf(call) {
  return {
    cancel: (reason) => {
      call.end(new EndReason("CANCELLED", `The call was cancelled (${reason})`), "cancelled");
    },
  };
}

/**
 * A call that has begun ends with what stands behind it; one that was over by then hears nothing.
 *
 * @param {CallSource} source
 * @param {EndLinks} links
 */
function watch({ invocation, root }, links) {
  links.add(invocation?.signal);
  links.add(root?.signal);
}

/** @param {BrokerRequest} request */
function secondsOf({ timeoutSeconds = BUS_LIMITS.defaultTimeoutSeconds }) {
  return timeoutSeconds;
}
