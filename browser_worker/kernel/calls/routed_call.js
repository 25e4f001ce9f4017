// @ts-check
/**
 * One call on its way: decided on, described, run, answered. It ends exactly once, whatever happens,
 * and gives back all that it held. Contract: bus, calling.
 *
 * | state | goes on to |
 * | --- | --- |
 * | deciding | describing, running, ended |
 * | describing | running, ended |
 * | running | describing, where the tool was exposed anew meanwhile; ended |
 * | ended | |
 */

import {
  checkInputAttachment,
  checkOutputAttachment,
  requireAttachmentSize,
  requireSendable,
} from "../../contract/bus_attachments.js";
import { BusError, problemsData } from "../../contract/bus_error.js";
import { isToolName } from "../../contract/bus_names.js";
import { isObject } from "../../contract/json_number.js";
import { BUS_LIMITS } from "../../contract/limits.js";
import { errorFrom } from "../app_errors.js";
import { endedCall } from "./call_end.js";
import { wellFormed } from "../well_formed.js";

/** @import { SchemaProblem } from "../../contract/schema.js" */
/** @import { AttachmentLedger } from "./attachment_ledger.js" */
/** @import { AuditRing } from "../audit/audit_ring.js" */
/** @import { Endpoint, Outcome } from "../endpoints/endpoint.js" */
/** @import { Invocation } from "./invocations.js" */
/** @import { Tool, ToolReader } from "../tools/tool_descriptors.js" */

/** @typedef {"deciding" | "describing" | "running" | "ended"} RoutedState */

/**
 * @typedef {object} RoutedRequest What is asked for.
 * @property {string} target
 * @property {string} name
 * @property {Record<string, unknown>} arguments Checked JSON.
 * @property {ArrayBuffer | undefined} attachment
 */

/**
 * @typedef {object} RoutedSurroundings
 * @property {AttachmentLedger} ledger
 * @property {ToolReader} reader
 * @property {(target: Endpoint, decided: (refusal: BusError | null) => void) => void} decide
 * @property {(target: Endpoint) => Invocation | null} enter Begins the invocation that the target is asked
 *   under. Throws a `BusError` where there can be none.
 * @property {(invocation: Invocation) => void} leave
 * @property {ReturnType<AuditRing["begin"]>} audited
 * @property {(progress: unknown) => void} progress
 * @property {(outcome: Outcome) => void} ended Told once.
 */

/** A tool that changes as often as this in mid-call is given up. */
const MAX_DESCRIPTIONS = 3;

/** Of what is wrong at one place: a schema is an app's own, and so are the words that name it. */
const MAX_PROBLEM_CHARS = 500;

const NOTHING_HELD = () => {};
const NOTHING_RUN = "nothing was run";

export class RoutedCall {
  /**
   * @param {string} caller
   * @param {Endpoint | undefined} target Undefined where there is none of that name.
   * @param {RoutedRequest} request
   * @param {RoutedSurroundings} around
   */
  constructor(caller, target, request, around) {
    /** @type {RoutedState} */
    this.state = "deciding";
    /** @readonly @type {Endpoint | null} */
    this.target = target ?? null;
    this._caller = caller;
    this._request = request;
    this._attachment = request.attachment;
    /** Of the buffer that was sent on; null for none. @type {number | null} */
    this._sentBytes = null;
    this._around = around;
    this._descriptions = 0;
    this._asked = 0;
    this._release = NOTHING_HELD;
    /** @type {Invocation | null} */
    this._invocation = null;
  }

  begin() {
    const { target } = this;
    const { target: id, name } = this._request;
    try {
      if (target === null) {
        const text = `No endpoint ${id.slice(0, 200)} is live; nothing was run. List the endpoints.`;
        throw new BusError("UNKNOWN_ENDPOINT", text);
      }
      if (!isToolName(name)) throw unknownTool(id, name);
      if (this._attachment !== undefined) {
        const { byteLength } = this._attachment;
        requireAttachmentSize(byteLength, NOTHING_RUN);
        this._release = this._around.ledger.take(this._caller, byteLength, NOTHING_RUN);
      }
    } catch (error) {
      this._failWith(error, "refused");
      return;
    }
    this._around.decide(target, (refusal) => {
      if (this.state !== "deciding") return;
      if (refusal !== null) this._fail(endedCall(refusal, false), "refused");
      else this._decided(target);
    });
  }

  /**
   * Ends the call for a reason from outside: its deadline, its caller, its target. Its caller is told
   * whether the tool may have done something.
   *
   * @param {BusError} error
   * @param {"cancelled" | "timed out" | "failed"} status
   */
  end(error, status) {
    this._fail(endedCall(error, this.hasBegun), status);
  }

  /** Whether the tool may have done something already: that it was asked and did not run is the app's own word. */
  get hasBegun() {
    return this.state === "running" || this._descriptions > 0;
  }

  /** Whether it waits for leave, and nobody was asked for anything yet. */
  get waits() {
    return this.state === "deciding";
  }

  /** @param {Endpoint} target */
  _decided(target) {
    const confirmed = target.confirmed.get(this._request.name);
    if (confirmed === undefined) this._describe(target);
    else this._run(target, confirmed);
  }

  /** @param {Endpoint} target */
  _describe(target) {
    this.state = "describing";
    const { name } = this._request;
    this._asked = target.ask(
      "tools.describe",
      { name },
      {
        done: (outcome) => {
          if (this.state !== "describing") return;
          if ("error" in outcome)
            this._fail(errorFrom(target, outcome.error, this.hasBegun), "failed");
          else this._described(target, isObject(outcome.ok) ? outcome.ok["tools"] : undefined);
        },
      },
    );
  }

  /**
   * @param {Endpoint} target
   * @param {unknown} tools
   */
  _described(target, tools) {
    const { name } = this._request;
    const raw = Array.isArray(tools) ? tools[0] : undefined;
    try {
      if (raw === undefined) throw unknownTool(target.id, name);
      const tool = this._around.reader.read(raw);
      if (tool.descriptor.name !== name) throw unknownTool(target.id, name);
      if (target.confirmed.size >= BUS_LIMITS.maxTools) target.confirmed.clear();
      target.confirmed.set(name, tool);
      this._run(target, tool);
    } catch (error) {
      target.confirmed.delete(name);
      this._failWith(error, "failed");
    }
  }

  /**
   * @param {Endpoint} target
   * @param {Tool} tool
   */
  _run(target, tool) {
    const { name, arguments: given } = this._request;
    const problems = tool.input.errors(given);
    if (problems.length > 0) {
      const text = `The arguments are not what ${name} takes; nothing was run.`;
      this._fail(new BusError("INVALID_INPUT", text, { data: problemsOf(problems) }), "failed");
      return;
    }
    try {
      checkInputAttachment(tool.attachments, this._attachment);
      // The page itself may have sent it elsewhere meanwhile.
      requireSendable(this._attachment);
      this._invocation = this._around.enter(target);
    } catch (error) {
      this._failWith(error, "failed");
      return;
    }
    this.state = "running";
    const attachment = this._attachment;
    this._sentBytes = attachment === undefined ? null : attachment.byteLength;
    this._attachment = undefined;
    this._asked = target.ask(
      "tools.invoke",
      { name, version: tool.version, arguments: given, caller: this._caller },
      {
        ...(attachment === undefined ? {} : { attachment }),
        ...(this._invocation === null ? {} : { invocation: this._invocation.token }),
        done: (outcome) => {
          this._leave();
          if (this.state === "running") this._answered(target, tool, outcome);
        },
        progress: (value) => {
          if (this.state === "running") this._around.progress(value);
        },
      },
    );
  }

  /**
   * @param {Endpoint} target
   * @param {Tool} tool
   * @param {Outcome} outcome
   */
  _answered(target, tool, outcome) {
    if ("error" in outcome) {
      this._fail(errorFrom(target, outcome.error, this.hasBegun), "failed");
    } else if (isObject(outcome.ok) && Object.hasOwn(outcome.ok, "result")) {
      this._completed(tool, outcome.ok["result"], outcome.attachment);
    } else if (isObject(outcome.ok) && outcome.ok["changed"] === true) {
      this._changed(target, outcome.attachment);
    } else {
      const text = "The app answered with no result; its tool may have run.";
      this._fail(new BusError("INVALID_OUTPUT", text), "failed");
    }
  }

  /**
   * The tool was exposed anew, or removed, since it was described, and has not run: the buffer came
   * back.
   *
   * @param {Endpoint} target
   * @param {ArrayBuffer | undefined} attachment
   */
  _changed(target, attachment) {
    target.confirmed.delete(this._request.name);
    this._descriptions += 1;
    if ((attachment?.byteLength ?? null) !== this._sentBytes) {
      const text = "The app did not run its tool, and did not give the attachment back.";
      this._fail(new BusError("INVALID_OUTPUT", text), "failed");
    } else if (this._descriptions === MAX_DESCRIPTIONS) {
      const text = "The tool keeps changing; nothing was run.";
      this._fail(new BusError("UNKNOWN_TOOL", text), "failed");
    } else {
      this._attachment = attachment;
      this._describe(target);
    }
  }

  /**
   * @param {Tool} tool
   * @param {unknown} result
   * @param {ArrayBuffer | undefined} attachment
   */
  _completed(tool, result, attachment) {
    const problems = tool.output?.errors(result) ?? [];
    if (problems.length > 0) {
      const text = `${this._request.name} ran, but gave something else than it promises.`;
      this._fail(new BusError("INVALID_OUTPUT", text, { data: problemsOf(problems) }), "failed");
      return;
    }
    try {
      checkOutputAttachment(tool.attachments, attachment);
      if (attachment !== undefined && this.target !== null) {
        // What the call brought has arrived: only what comes back is still under way.
        this._release();
        const { byteLength } = attachment;
        this._release = this._around.ledger.take(this.target.id, byteLength, "the tool ran");
      }
    } catch (error) {
      this._failWith(error, "failed");
      return;
    }
    this._finish("completed", result, { ok: result, attachment });
  }

  /** The target has run what it was asked: what it calls from now on is not for this call. */
  _leave() {
    const invocation = this._invocation;
    this._invocation = null;
    if (invocation !== null) this._around.leave(invocation);
  }

  /**
   * @param {unknown} error
   * @param {"failed" | "refused"} status
   */
  _failWith(error, status) {
    if (!(error instanceof BusError)) throw error;
    this._fail(error, status);
  }

  /**
   * @param {BusError} error
   * @param {"failed" | "refused" | "cancelled" | "timed out"} status
   */
  _fail(error, status) {
    this._finish(status, `${error.code}: ${error.message}`, { error });
  }

  /**
   * @param {"completed" | "failed" | "refused" | "cancelled" | "timed out"} status
   * @param {unknown} told
   * @param {Outcome} outcome
   */
  _finish(status, told, outcome) {
    if (this.state === "ended") return;
    const waits = this.state === "running" || this.state === "describing";
    this.state = "ended";
    this._attachment = undefined;
    if (waits && this._asked > 0) this.target?.forget(this._asked, status);
    this._leave();
    this._around.audited(status, told);
    this._around.ended(outcome);
    this._release();
  }
}

/**
 * @param {string} target
 * @param {string} name
 */
function unknownTool(target, name) {
  return new BusError(
    "UNKNOWN_TOOL",
    `${target} exposes no tool ${name.slice(0, 60)}; nothing was run. List its tools.`,
  );
}

/** @param {SchemaProblem[]} problems */
function problemsOf(problems) {
  return problemsData(problems, (message) => wellFormed(message, MAX_PROBLEM_CHARS));
}
