// @ts-check
/**
 * Calls of an app to its own backend: the methods that were approved with the app, without a question, with
 * one attachment each way. No tools: nobody discovers or routes them. Contract: bus, private actions.
 */

import { requireAttachmentSize } from "../../contract/bus_attachments.js";
import { BusError } from "../../contract/bus_error.js";
import { isObject } from "../../contract/json_number.js";
import { BUS_LIMITS } from "../../contract/limits.js";
import { EndReason, endedCall } from "../calls/call_end.js";
import { backendError } from "./backend_errors.js";
import { prepare } from "./canister_run.js";

/** @import { AttachmentLedger, Release } from "../calls/attachment_ledger.js" */
/** @import { AuditRing } from "../audit/audit_ring.js" */
/** @import { CallHandle } from "../calls/broker.js" */
/** @import { Endpoint, Outcome } from "../endpoints/endpoint.js" */
/** @import { SelfCall } from "../endpoints/endpoint_requests.js" */
/** @import { KernelPowers } from "../kernel_powers.js" */
/** @import { FoundMethod, InstalledCanisters } from "./installed_canisters.js" */

/**
 * @typedef {object} SelfCallParts
 * @property {InstalledCanisters} installed
 * @property {AttachmentLedger} ledger
 * @property {Pick<AuditRing, "begin">} audit
 * @property {Pick<KernelPowers, "setTimer">} powers
 */

/** @typedef {(error: BusError, status: "failed" | "cancelled" | "timed out") => void} End */
/**
 * @typedef {object} Running
 * @property {Endpoint} endpoint
 * @property {End} end
 * @property {boolean} begun Whether the backend may have been asked.
 */

export class SelfCalls {
  /**
   * @param {SelfCallParts} parts
   * @param {number} [timeoutSeconds]
   */
  constructor(parts, timeoutSeconds = BUS_LIMITS.defaultTimeoutSeconds) {
    this._parts = parts;
    this._timeoutSeconds = timeoutSeconds;
    /** @type {Set<Running>} */
    this._running = new Set();
  }

  /** How many have not ended. */
  get inFlight() {
    return this._running.size;
  }

  /**
   * @param {Endpoint} endpoint
   * @param {SelfCall} call
   * @param {(outcome: Outcome) => void} done Told once.
   * @returns {CallHandle}
   */
  call(endpoint, call, done) {
    const { audit, powers } = this._parts;
    const controller = new AbortController();
    const audited = audit.begin({
      caller: endpoint.id,
      // Within the app, as it is to whoever looks: nothing of it leaves.
      target: endpoint.id,
      tool: `canister.${call.kind}_self`,
      arguments: undefined,
      private: true,
    });
    /** @type {Release[]} */
    const held = [];
    /**
     * @param {Outcome} outcome
     * @param {"completed" | "failed" | "cancelled" | "timed out"} status
     */
    const settle = (outcome, status) => {
      if (!this._running.delete(running)) return;
      stopTimer();
      audited(status, "error" in outcome ? outcome.error.code : "");
      done(outcome);
      for (const release of held) release();
    };
    /** @type {Running} */
    const running = {
      endpoint,
      begun: false,
      end: (reason, status) => {
        const error = reason instanceof EndReason ? endedCall(reason, running.begun) : reason;
        settle({ error }, status);
        controller.abort(error);
      },
    };
    const busy = [...this._running].filter((each) => each.endpoint === endpoint).length;
    this._running.add(running);
    const stopTimer = powers.setTimer(this._timeoutSeconds * 1_000, () => {
      const why = `The backend did not answer in ${this._timeoutSeconds} s`;
      running.end(new EndReason("TIMEOUT", why), "timed out");
    });
    const begin = () => void (running.begun = true);
    this._run(endpoint, call, { busy, held, begin, signal: controller.signal }).then(
      (outcome) => settle(outcome, "completed"),
      (error) => running.end(backendError(error), "failed"),
    );
    return {
      cancel: (reason) => {
        running.end(new EndReason("CANCELLED", `The call was cancelled (${reason})`), "cancelled");
      },
    };
  }

  /** @param {Endpoint} endpoint Its port is gone: nobody waits for what it asked. */
  endpointGone(endpoint) {
    const error = new EndReason("ENDPOINT_GONE", "Who asked has gone");
    for (const running of [...this._running]) {
      if (running.endpoint === endpoint) running.end(error, "cancelled");
    }
  }

  /**
   * @param {Endpoint} endpoint
   * @param {SelfCall} call
   * @param {{ busy: number, held: Release[], begin: () => void, signal: AbortSignal }} more
   * @returns {Promise<{ ok: unknown, attachment?: ArrayBuffer }>}
   */
  async _run(endpoint, { kind, payload, attachment }, { busy, held, begin, signal }) {
    const { installed, ledger } = this._parts;
    const most = BUS_LIMITS.maxCallsInFlight;
    if (busy >= most) {
      const text = `${most} calls of yours to the backend are in flight; this one was not begun.`;
      throw new BusError("TOO_MANY_CALLS", text);
    }
    const { method, arguments: given = {} } = payload;
    if (typeof method !== "string" || !isObject(given)) {
      const text = "A call of the backend has a method and arguments; nothing was run.";
      throw new BusError("INVALID_MESSAGE", text);
    }
    if (attachment !== undefined) {
      requireAttachmentSize(attachment.byteLength, "nothing was run");
      held.push(ledger.take(endpoint.id, attachment.byteLength, "nothing was run"));
    }
    const found = await installed.method(endpoint.place.app, method);
    requireApproved(found, kind);
    signal.throwIfAborted();
    begin();
    const answer = await prepare(found, given, attachment).run([signal]);
    if (answer.attachment === undefined) return { ok: answer.result };
    const bytes = answer.attachment.byteLength;
    held.push(ledger.take(endpoint.id, bytes, "the backend ran, and may have changed something"));
    return { ok: answer.result, attachment: answer.attachment };
  }
}

/**
 * @param {FoundMethod} found
 * @param {"query" | "update"} kind
 */
function requireApproved({ method, preapproved }, kind) {
  if (!preapproved) {
    const text =
      "This method was not approved with the app; nothing was run. canister.call_dialog asks the owner.";
    throw new BusError("OWNER_REQUIRED", text);
  }
  if (kind === "query" && method.kind !== "query") {
    const text = "This method may change data; nothing was run. Call it by canister.update_self.";
    throw new BusError("OWNER_REQUIRED", text);
  }
}
