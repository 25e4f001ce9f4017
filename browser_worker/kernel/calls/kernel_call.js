// @ts-check
/** One call of a tool of the trusted page itself. It ends exactly once. Contract: bus, kernel tools. */

import { BusError } from "../../contract/bus_error.js";
import { asks } from "../consent/open_questions.js";
import { endedCall } from "./call_end.js";

/** @import { AuditRing } from "../audit/audit_ring.js" */
/** @import { CallSource } from "./broker.js" */
/** @import { Outcome } from "../endpoints/endpoint.js" */
/** @import { KernelTools } from "../tools/kernel_tools.js" */
/** @import { RoutedRequest } from "./routed_call.js" */

/**
 * @typedef {object} KernelCallParts
 * @property {KernelTools} tools
 * @property {ReturnType<AuditRing["begin"]>} audited
 * @property {(outcome: Outcome) => void} ended Told once.
 */

export class KernelCall {
  /**
   * @param {CallSource} source
   * @param {RoutedRequest} request
   * @param {KernelCallParts} parts
   */
  constructor(source, request, parts) {
    this._source = source;
    this._request = request;
    this._parts = parts;
    this._controller = new AbortController();
    this._over = false;
  }

  get target() {
    return null;
  }

  /** A tool asks the owner before it does anything. */
  get hasBegun() {
    return !asks(this._controller.signal);
  }

  get waits() {
    return !this.hasBegun;
  }

  begin() {
    const { name, arguments: input, attachment } = this._request;
    if (attachment !== undefined) {
      const text = "The workspace's own tools take no attachment; nothing was run.";
      this._fail(new BusError("ATTACHMENT_UNSUPPORTED", text), "failed");
      return;
    }
    this._parts.tools.run(name, input, this._source, this._controller.signal).then(
      (ok) => this._finish("completed", this._parts.tools.isSecret(name) ? "" : ok, { ok }),
      (error) => this._fail(error, "failed"),
    );
  }

  /**
   * @param {BusError} error
   * @param {"cancelled" | "timed out" | "failed"} status
   */
  end(error, status) {
    if (this._over) return;
    this._fail(endedCall(error, this.hasBegun), status);
    if (status !== "failed") this._controller.abort(error);
  }

  /**
   * @param {BusError} error
   * @param {"failed" | "cancelled" | "timed out"} status
   */
  _fail(error, status) {
    this._finish(status, `${error.code}: ${error.message}`, { error });
  }

  /**
   * @param {"completed" | "failed" | "cancelled" | "timed out"} status
   * @param {unknown} told
   * @param {Outcome} outcome
   */
  _finish(status, told, outcome) {
    if (this._over) return;
    this._over = true;
    this._parts.audited(status, told);
    this._parts.ended(outcome);
  }
}
