// @ts-check
/**
 * Whether a call or a list may go from its source to its target, and on whose behalf: first provenance,
 * then what an app's own calls may do, then agents' turns, then the policy. Contract: bus, routing policy,
 * provenance.
 */

import { BusError } from "../../contract/bus_error.js";
import { KERNEL_ENDPOINT } from "../../contract/bus_names.js";
import { ask } from "../grants/routing_policy.js";

/** @import { CallSource } from "./broker.js" */
/** @import { Endpoint } from "../endpoints/endpoint.js" */
/** @import { Invocations, Root } from "./invocations.js" */
/** @import { KernelTools } from "../tools/kernel_tools.js" */
/** @import { RoutingPolicy } from "../grants/routing_policy.js" */

/** @typedef {Pick<import("./late_signal.js").LateSignal, "signal">} Waits Most calls wait for nobody's decision. */

/**
 * @typedef {object} StartedTurn
 * @property {Root} root
 * @property {() => void} ended Told once, when the turn's first call is over.
 */

/**
 * @typedef {object} TurnRequest A call of an endpoint's tool.
 * @property {CallSource} source
 * @property {Endpoint} target
 * @property {string} tool
 * @property {Waits} waits Its signal aborts where nobody waits for the call any more.
 */

/**
 * @typedef {object} AgentTurns Which calls begin an agent's turn.
 * @property {(request: TurnRequest) => null | Promise<StartedTurn | { refusal: BusError }>} admit Null where
 *   the tool is no entrypoint. A rejection refuses.
 * @property {(root: Root) => BusError | null} count Counts one more call on behalf of a root; why it may
 *   not be begun, where it may not.
 */

/**
 * @typedef {object} Admitted
 * @property {Root | null} root On whose behalf the target is called; null for the page itself.
 * @property {AbortSignal | undefined} signal Aborts where the leave is taken back.
 * @property {(() => void) | undefined} ended Of a turn.
 */

/**
 * @typedef {object} Admission
 * @property {() => void} waiting Somebody is asked, and waited for.
 * @property {(refusal: BusError) => void} refused
 * @property {(admitted: Admitted) => void} admitted
 */

/**
 * @typedef {object} Asked
 * @property {CallSource} source
 * @property {Endpoint} target
 * @property {string | null} tool Null for a list.
 * @property {Record<string, unknown>} arguments
 * @property {number | null} attachmentBytes
 * @property {Waits} waits Its signal aborts where nobody waits for the decision any more.
 */

/**
 * @typedef {object} AdmissionParts
 * @property {Invocations} invocations
 * @property {RoutingPolicy} policy
 * @property {KernelTools} kernelTools
 */

export class CallAdmission {
  /** @param {AdmissionParts} parts */
  constructor(parts) {
    this._parts = parts;
    /** @type {AgentTurns | null} */
    this.turns = null;
  }

  /**
   * Decides on a call to an app's endpoint. One of the two is told, once at most.
   *
   * @param {Asked} asked
   * @param {Admission} told
   */
  decide(asked, told) {
    const { source, target, tool } = asked;
    const refused =
      this.scopeRefusal(source, target.place.app) ??
      trayRefusal(source, target) ??
      this._countRefusal(source);
    if (refused !== null) {
      told.refused(refused);
      return;
    }
    const turn = tool === null ? null : this._turn({ source, target, tool, waits: asked.waits });
    if (turn !== null) {
      turn.then(
        (started) => {
          if ("refusal" in started) told.refused(started.refusal);
          else told.admitted({ root: started.root, signal: undefined, ended: started.ended });
        },
        () => told.refused(noTurn()),
      );
    } else if (target.place.app === source.app) {
      told.admitted({ root: source.root, signal: undefined, ended: undefined });
    } else this._ask(asked, told);
  }

  /**
   * An app that runs a call of somebody else's reaches no further in its own name, from none of its
   * endpoints: what it asks is asked for the other, or not at all. A call that it has made of itself is in
   * its own name too, else one within the app would be the way round this.
   *
   * @param {CallSource} source
   * @param {string | null} app Of the target; null for the page itself.
   * @returns {BusError | null}
   */
  scopeRefusal(source, app) {
    if (source.app === null || app === source.app || !isInOwnName(source)) return null;
    const foreign = this._parts.invocations.foreignTo(source.app);
    if (foreign === undefined) return null;
    return new BusError(
      "SCOPED_CONTEXT_REQUIRED",
      "This app runs a tool for somebody else, and calls on in that name only: by the tool's context.kernel. Nothing was run; try again when the tool has ended.",
    );
  }

  /**
   * @param {CallSource} source
   * @param {string} name A tool of the page itself.
   * @returns {BusError | null}
   */
  kernelToolRefusal(source, name) {
    const scope = this._parts.kernelTools.needsScope(name) ? this.scopeRefusal(source, null) : null;
    return scope ?? this._countRefusal(source);
  }

  /**
   * @param {CallSource} source
   * @returns {BusError | null}
   */
  _countRefusal({ root }) {
    return root === null ? null : (this.turns?.count(root) ?? null);
  }

  /** @param {TurnRequest} request */
  _turn(request) {
    if (this.turns === null || request.source.id === KERNEL_ENDPOINT) return null;
    try {
      return this.turns.admit(request);
    } catch {
      return Promise.resolve({ refusal: noTurn() });
    }
  }

  /**
   * @param {Asked} asked
   * @param {Admission} told
   */
  _ask({ source, target, tool, arguments: given, attachmentBytes, waits }, told) {
    const question = {
      caller: source.id,
      callerApp: source.app,
      target: target.id,
      targetApp: target.place.app,
      tool,
      arguments: given,
      attachmentBytes,
      root: source.root,
      via: this._parts.invocations.via(source.invocation),
    };
    ask(this._parts.policy, question, waits.signal, {
      waiting: told.waiting,
      decided: (refusal, leave) => {
        // Who asked in its own name may have begun to run something for another meanwhile.
        const refused = refusal ?? this.scopeRefusal(source, target.place.app);
        if (refused !== null) told.refused(refused);
        else told.admitted({ root: source.root, signal: leave, ended: undefined });
      },
    });
  }
}

function noTurn() {
  return new BusError("OWNER_REQUIRED", "No turn was begun; nothing was run.");
}

/** @param {CallSource} source Of an app. */
function isInOwnName({ app, invocation, root }) {
  return invocation === null || (root?.kind === "app" && root.app === app);
}

/**
 * @param {CallSource} source
 * @param {Endpoint} target
 * @returns {BusError | null}
 */
function trayRefusal({ root }, { place }) {
  if (root?.kind !== "agent" || place.kind !== "tray") return null;
  const text = "A popover of the tray takes no calls of an agent; nothing was run.";
  return new BusError("OWNER_REQUIRED", text);
}
