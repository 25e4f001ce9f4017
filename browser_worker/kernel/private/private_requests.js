// @ts-check
/**
 * Runs the private actions of endpoints: each is let in by its row, run by its handler, and answered
 * once, without progress. What one takes or gives is in no audit. Contract: bus, private actions.
 */

import { BusError } from "../../contract/bus_error.js";
import { copyJson } from "../../contract/bus_json.js";
import { KERNEL_ENDPOINT } from "../../contract/bus_names.js";
import { BUS_LIMITS } from "../../contract/limits.js";
import { EndReason, endedCall } from "../calls/call_end.js";
import { asks } from "../consent/open_questions.js";
import { PRIVATE_ACTIONS, isPrivateAction } from "./private_actions.js";
import { admit, isPerhapsEarly } from "./private_gate.js";

/** @import { AuditRing } from "../audit/audit_ring.js" */
/** @import { CallHandle } from "../calls/broker.js" */
/** @import { Endpoint, Outcome } from "../endpoints/endpoint.js" */
/** @import { AppDeclarations, Attention } from "./private_gate.js" */
/** @import { SenderActivation } from "./sender_activation.js" */

/**
 * @typedef {object} PrivateContext
 * @property {Endpoint} endpoint Who asks; its `session` ends with its port.
 * @property {string} app
 * @property {AppDeclarations} declares What its manifest declared as it asked.
 * @property {boolean} click Whether the handler still has to have the owner click in the page itself.
 * @property {AbortSignal} signal Aborts where nobody waits any more.
 */

/** @typedef {(payload: any, context: PrivateContext) => unknown} PrivateHandler Gives JSON, or a promise. */

/**
 * @typedef {object} PrivateParts
 * @property {AuditRing} audit
 * @property {Attention} attention
 * @property {(app: string) => AppDeclarations} declaresOf
 */

/** @typedef {{ endpoint: Endpoint, end: (error: BusError) => void }} Running */

export class PrivateRequests {
  /** @param {PrivateParts} parts */
  constructor(parts) {
    this._parts = parts;
    /** @type {Map<string, PrivateHandler>} */
    this._handlers = new Map();
    /** @type {Set<Running>} */
    this._running = new Set();
  }

  /**
   * Provides an action.
   *
   * @param {string} action One of the table.
   * @param {PrivateHandler} handler What it throws that is no `BusError` is told as a failure only.
   * @throws {TypeError} For one that the table does not have, or that is provided already.
   */
  on(action, handler) {
    if (!isPrivateAction(action)) throw new TypeError(`no private action: ${action}`);
    if (this._handlers.has(action)) throw new TypeError(`${action} is provided already`);
    this._handlers.set(action, handler);
  }

  /**
   * @param {Endpoint} endpoint
   * @param {string} action One of the table.
   * @param {Record<string, unknown>} payload
   * @param {(outcome: Outcome) => void} done Told once.
   * @param {SenderActivation | null} [sender] Null where the browser cannot tell.
   * @returns {CallHandle}
   */
  run(endpoint, action, payload, done, sender = null) {
    const controller = new AbortController();
    const audited = this._parts.audit.begin({
      caller: endpoint.id,
      target: KERNEL_ENDPOINT,
      tool: action,
      arguments: undefined,
      private: true,
    });
    let begun = false;
    /** @type {Running} */
    const running = {
      endpoint,
      // An action that asks the owner does nothing before.
      end: (error) => {
        end({ error: endedCall(error, begun && !asks(controller.signal)) }, "cancelled");
      },
    };
    /**
     * @param {Outcome} outcome
     * @param {"completed" | "failed" | "refused" | "cancelled"} status
     */
    const end = (outcome, status) => {
      if (!this._running.delete(running)) return;
      audited(status, "error" in outcome ? outcome.error.code : "");
      done(outcome);
      if (status === "cancelled") controller.abort();
    };
    const busy = [...this._running].filter((each) => each.endpoint === endpoint).length;
    this._running.add(running);
    const begin = () => {
      if (!this._running.has(running)) return;
      try {
        const asked = { endpoint, action, sender, signal: controller.signal };
        const context = this._admitted(asked, busy);
        const handler = this._handlers.get(action);
        if (handler === undefined) {
          throw new BusError(
            "UNKNOWN_ACTION",
            `This workspace has no ${action}; nothing was done.`,
          );
        }
        begun = true;
        void this._handle(handler, payload, context, action).then((outcome) =>
          end(outcome, "error" in outcome ? "failed" : "completed"),
        );
      } catch (error) {
        if (!(error instanceof BusError)) throw error;
        end({ error }, "refused");
      }
    };
    const early = this._caughtUp(endpoint, action, sender);
    if (early === undefined) begin();
    else void early.then(begin);
    return {
      cancel: (reason) =>
        running.end(new EndReason("CANCELLED", `${action} was cancelled (${reason})`)),
    };
  }

  /** @param {Endpoint} endpoint Its port is gone: nobody waits for what it asked. */
  endpointGone(endpoint) {
    for (const running of [...this._running]) {
      if (running.endpoint === endpoint) {
        running.end(new EndReason("ENDPOINT_GONE", "Who asked has gone"));
      }
    }
  }

  /** Ends all of them. @param {BusError} error */
  close(error) {
    for (const running of [...this._running]) running.end(error);
  }

  /**
   * @param {{ endpoint: Endpoint, action: string, sender: SenderActivation | null, signal: AbortSignal }} asked
   * @param {number} busy
   * @returns {PrivateContext}
   */
  _admitted({ endpoint, action, sender, signal }, busy) {
    const most = BUS_LIMITS.maxPrivateActionsOfEndpoint;
    if (busy >= most) {
      const text = `${most} such requests of yours wait already; this one was not begun.`;
      throw new BusError("TOO_MANY_CALLS", text);
    }
    const { id, place } = endpoint;
    const { attention, declaresOf } = this._parts;
    const rule = PRIVATE_ACTIONS[action];
    if (rule === undefined) throw new BusError("UNKNOWN_ACTION", "There is no such action.");
    const declares = declaresOf(place.app);
    const { refusal, click } = admit(action, rule, { id, place, declares, attention, sender });
    if (refusal !== null) throw refusal;
    return { endpoint, app: place.app, declares, click, signal };
  }

  /**
   * @param {Endpoint} endpoint
   * @param {string} action
   * @param {SenderActivation | null} sender
   * @returns {Promise<void> | undefined} Nothing where there is nothing to wait for.
   */
  _caughtUp({ id, place }, action, sender) {
    const { attention, declaresOf } = this._parts;
    const rule = PRIVATE_ACTIONS[action];
    if (rule === undefined || attention.caughtUp === undefined) return undefined;
    const asked = { id, place, declares: declaresOf(place.app), attention, sender };
    return isPerhapsEarly(action, rule, asked) ? attention.caughtUp(id) : undefined;
  }

  /**
   * @param {PrivateHandler} handler
   * @param {Record<string, unknown>} payload
   * @param {PrivateContext} context
   * @param {string} action
   * @returns {Promise<Outcome>}
   */
  async _handle(handler, payload, context, action) {
    try {
      const given = await handler(payload, context);
      return { ok: copyJson(given === undefined ? {} : given, { what: "result" }) };
    } catch (error) {
      if (error instanceof BusError) return { error };
      return { error: new BusError("TOOL_FAILED", `${action} failed; it may have been done.`) };
    }
  }
}
