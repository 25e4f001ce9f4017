// @ts-check
/**
 * Routes calls between endpoints: counts them, asks the policy, keeps their deadlines, notes them, and
 * sees that each is answered once. Contract: bus, calling, routing policy.
 */

import { BusError } from "../contract/bus_error.js";
import { KERNEL_ENDPOINT } from "../contract/bus_names.js";
import { isObject } from "../contract/json_number.js";
import { BUS_LIMITS } from "../contract/limits.js";
import { AttachmentLedger } from "./attachment_ledger.js";
import { Deadlines } from "./deadlines.js";
import { RoutedCall } from "./routed_call.js";
import { ask } from "./routing_policy.js";
import { ToolReader } from "./tool_descriptors.js";

/** @import { AuditRing } from "./audit_ring.js" */
/** @import { Outcome } from "./endpoint.js" */
/** @import { EndpointRegistry } from "./endpoint_registry.js" */
/** @import { KernelPowers } from "./kernel_powers.js" */
/** @import { KernelTools } from "./kernel_tools.js" */
/** @import { RoutedRequest } from "./routed_call.js" */
/** @import { RoutingPolicy } from "./routing_policy.js" */
/** @import { ToolDescriptor } from "./tool_descriptors.js" */

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
 * @typedef {object} BrokerParts
 * @property {EndpointRegistry} registry
 * @property {KernelTools} kernelTools
 * @property {RoutingPolicy} policy
 * @property {AuditRing} audit
 * @property {KernelPowers} powers
 */

/** How long an endpoint may take to say which tools it has. */
const LIST_SECONDS = 5;

export class Broker {
  /** @param {BrokerParts} parts */
  constructor(parts) {
    this._parts = parts;
    this._reader = new ToolReader();
    this._deadlines = new Deadlines(parts.powers);
    /** Bytes of attachments under way. */
    this.ledger = new AttachmentLedger();
    /** Calls in flight by source. @type {Map<string, Set<{ cancel: (reason: string) => void }>>} */
    this._inFlight = new Map();
  }

  /** @param {string} source @returns {number} Its calls in flight. */
  inFlight(source) {
    return this._inFlight.get(source)?.size ?? 0;
  }

  /**
   * Calls a tool for a source.
   *
   * @param {CallSource} source
   * @param {BrokerRequest} request
   * @param {CallSink} sink
   * @returns {{ cancel: (reason: string) => void }} `cancel` ends it as `CANCELLED`; late it does nothing.
   */
  call(source, request, sink) {
    const { powers, audit } = this._parts;
    const { target, name, timeoutSeconds = BUS_LIMITS.defaultTimeoutSeconds } = request;
    const audited = audit.begin({
      caller: source.id,
      target,
      tool: name,
      arguments: request.arguments,
    });
    const refused = this._fullFor(source);
    if (refused !== null) {
      audited("refused", `${refused.code}: ${refused.message}`);
      sink.done({ error: refused });
      return { cancel: () => {} };
    }
    let over = () => {};
    const ended = (/** @type {Outcome} */ outcome) => {
      over();
      sink.done(outcome);
    };
    const progress = (/** @type {unknown} */ value) => {
      try {
        sink.progress?.(value);
      } catch {
        // A consumer that fails changes nothing of the call.
      }
    };
    if (target === KERNEL_ENDPOINT) {
      const own = this._ownCall(source, request, audited, ended);
      over = this._open(source, own);
      return own;
    }
    const routed = new RoutedCall(source.id, request, {
      ledger: this.ledger,
      reader: this._reader,
      audited,
      progress,
      ended,
      decide: (to, tool, decided) => this._decide(source, to, tool, decided),
    });
    const handle = {
      cancel: (/** @type {string} */ reason) =>
        routed.end(cancelled(reason, routed.hasBegun), "cancelled"),
    };
    const close = this._open(source, handle);
    const disarm = this._deadlines.add(powers.now() + timeoutSeconds * 1000, () =>
      routed.end(timedOut(timeoutSeconds, routed.hasBegun), "timed out"),
    );
    over = () => {
      disarm();
      close();
    };
    routed.begin(this._parts.registry.get(target));
    return handle;
  }

  /**
   * Lists the tools of an endpoint, by asking it.
   *
   * @param {CallSource} source
   * @param {string} target
   * @returns {Promise<ToolDescriptor[]>}
   */
  async list(source, target) {
    const refused = this._fullFor(source);
    if (refused !== null) throw refused;
    if (target === KERNEL_ENDPOINT) return this._parts.kernelTools.descriptors();
    return new Promise((resolve, reject) => this._list(source, target, resolve, reject));
  }

  /**
   * Ends all that a source has in flight: it is gone.
   *
   * @param {string} source
   */
  sourceGone(source) {
    for (const call of [...(this._inFlight.get(source) ?? [])]) call.cancel("its caller has gone");
  }

  /** Ends all calls. @param {string} reason */
  close(reason) {
    for (const calls of [...this._inFlight.values()]) {
      for (const call of [...calls]) call.cancel(reason);
    }
    this._deadlines.close();
  }

  /**
   * @param {CallSource} source
   * @param {string} target
   * @param {(tools: ToolDescriptor[]) => void} resolve
   * @param {(error: BusError) => void} reject
   */
  _list(source, target, resolve, reject) {
    const endpoint = this._parts.registry.get(target);
    if (endpoint === undefined) {
      reject(new BusError("UNKNOWN_ENDPOINT", `No endpoint ${target.slice(0, 200)} is live.`));
      return;
    }
    let asked = 0;
    let settled = false;
    /** @param {() => void} tell */
    const settle = (tell) => {
      if (settled) return;
      settled = true;
      disarm();
      close();
      if (asked > 0) endpoint.forget(asked, "the list is not waited for any more");
      tell();
    };
    /** @param {BusError} error */
    const fail = (error) => settle(() => reject(error));
    const close = this._open(source, { cancel: (reason) => fail(cancelled(reason, false)) });
    const disarm = this._deadlines.add(this._parts.powers.now() + LIST_SECONDS * 1000, () =>
      fail(timedOut(LIST_SECONDS, false)),
    );
    this._decide(source, target, null, (refusal) => {
      if (settled) return;
      if (refusal !== null) {
        fail(refusal);
        return;
      }
      asked = endpoint.ask(
        "tools.describe",
        {},
        {
          done: (outcome) => {
            if ("error" in outcome) fail(outcome.error);
            else {
              const list = isObject(outcome.ok) ? outcome.ok["tools"] : undefined;
              settle(() => resolve(this._reader.readAll(list).map(({ descriptor }) => descriptor)));
            }
          },
        },
      );
    });
  }

  /**
   * @param {CallSource} source
   * @param {BrokerRequest} request
   * @param {ReturnType<AuditRing["begin"]>} audited
   * @param {(outcome: Outcome) => void} ended
   */
  _ownCall(source, { name, arguments: input, attachment }, audited, ended) {
    let open = true;
    /** @param {"completed" | "failed" | "cancelled"} status @param {unknown} told @param {Outcome} outcome */
    const finish = (status, told, outcome) => {
      if (!open) return;
      open = false;
      audited(status, told);
      ended(outcome);
    };
    /** @param {unknown} error @param {"failed" | "cancelled"} status */
    const fail = (error, status) => {
      const known = /** @type {BusError} */ (error);
      finish(status, `${known.code}: ${known.message}`, { error: known });
    };
    const running =
      attachment === undefined
        ? this._parts.kernelTools.run(name, input, source)
        : Promise.reject(
            new BusError("ATTACHMENT_UNSUPPORTED", "The kernel's tools take no attachment."),
          );
    running.then(
      (ok) => finish("completed", ok, { ok }),
      (error) => fail(error, "failed"),
    );
    return { cancel: (/** @type {string} */ reason) => fail(cancelled(reason, true), "cancelled") };
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
    if (this.inFlight(source.id) < BUS_LIMITS.maxCallsInFlight) return null;
    return new BusError(
      "TOO_MANY_CALLS",
      `${BUS_LIMITS.maxCallsInFlight} calls of yours are in flight; this one was not begun.`,
    );
  }

  /**
   * @param {CallSource} source
   * @param {{ cancel: (reason: string) => void }} call
   * @returns {() => void} Takes it out again.
   */
  _open(source, call) {
    const calls = this._inFlight.get(source.id) ?? new Set();
    calls.add(call);
    this._inFlight.set(source.id, calls);
    return () => {
      calls.delete(call);
      if (calls.size === 0 && this._inFlight.get(source.id) === calls) {
        this._inFlight.delete(source.id);
      }
    };
  }
}

/** @param {boolean} begun */
function doneSoFar(begun) {
  return begun ? "it may have been done, look before you try again" : "nothing was run";
}

/**
 * @param {string} reason
 * @param {boolean} begun
 */
function cancelled(reason, begun) {
  return new BusError("CANCELLED", `The call was cancelled (${reason}): ${doneSoFar(begun)}.`);
}

/**
 * @param {number} seconds
 * @param {boolean} begun
 */
function timedOut(seconds, begun) {
  return new BusError("TIMEOUT", `The call did not end in ${seconds} s: ${doneSoFar(begun)}.`);
}
