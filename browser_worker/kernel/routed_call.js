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

import { checkInputAttachment, checkOutputAttachment } from "../contract/bus_attachments.js";
import { BusError } from "../contract/bus_error.js";
import { isObject } from "../contract/json_number.js";
import { gone } from "./endpoint.js";

/** @import { SchemaProblem } from "../contract/schema.js" */
/** @import { AttachmentLedger } from "./attachment_ledger.js" */
/** @import { AuditRing } from "./audit_ring.js" */
/** @import { Endpoint, Outcome } from "./endpoint.js" */
/** @import { Tool, ToolReader } from "./tool_descriptors.js" */

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
 * @property {(target: string, name: string, decided: (refusal: BusError | null) => void) => void} decide
 * @property {ReturnType<AuditRing["begin"]>} audited
 * @property {(progress: unknown) => void} progress
 * @property {(outcome: Outcome) => void} ended Told once.
 */

/** A tool that changes as often as this in mid-call is given up. */
const MAX_DESCRIPTIONS = 3;

/** Codes that an app may give for a failure of its own; a decision of the kernel's is none of them. */
const CODES_OF_APPS = new Set([
  "INVALID_INPUT",
  "INVALID_OUTPUT",
  "NOT_JSON",
  "TOO_LARGE",
  "UNKNOWN_TOOL",
  "TOOL_FAILED",
  "CANCELLED",
  "ATTACHMENT_UNSUPPORTED",
  "ATTACHMENT_TOO_LARGE",
  "ATTACHMENT_DETACHED",
]);

export class RoutedCall {
  /**
   * @param {string} caller
   * @param {RoutedRequest} request
   * @param {RoutedSurroundings} around
   */
  constructor(caller, request, around) {
    /** @type {RoutedState} */
    this.state = "deciding";
    /** @readonly */
    this.caller = caller;
    this._request = request;
    this._attachment = request.attachment;
    this._around = around;
    this._descriptions = 0;
    /** @type {Endpoint | null} */
    this._target = null;
    this._asked = 0;
    this._release = () => {};
  }

  /** @param {Endpoint | undefined} target Undefined where there is none of that name. */
  begin(target) {
    const { target: name } = this._request;
    if (target === undefined) {
      const text = `No endpoint ${name.slice(0, 200)} is live; nothing was run. List the endpoints.`;
      this._fail(new BusError("UNKNOWN_ENDPOINT", text), "refused");
      return;
    }
    this._target = target;
    if (this._attachment !== undefined) {
      try {
        this._release = this._around.ledger.take(this.caller, this._attachment.byteLength);
      } catch (error) {
        if (!(error instanceof BusError)) throw error;
        this._fail(error, "refused");
        return;
      }
    }
    this._around.decide(name, this._request.name, (refusal) => {
      if (this.state !== "deciding") return;
      if (refusal !== null) this._fail(refusal, "refused");
      else if (!target.open) this._fail(gone(target.id, false), "failed");
      else this._decided(target);
    });
  }

  /**
   * Ends the call for a reason from outside: its deadline, its caller.
   *
   * @param {BusError} error
   * @param {"cancelled" | "timed out"} status
   */
  end(error, status) {
    this._fail(error, status);
  }

  /** Whether the tool may have done something already. */
  get hasBegun() {
    return this.state === "running";
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
          if ("error" in outcome) this._fail(this._errorOf(outcome.error), "failed");
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
      target.confirmed.set(name, tool);
      this._run(target, tool);
    } catch (error) {
      if (!(error instanceof BusError)) throw error;
      target.confirmed.delete(name);
      this._fail(error, "failed");
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
    } catch (error) {
      if (!(error instanceof BusError)) throw error;
      this._fail(error, "failed");
      return;
    }
    this.state = "running";
    const attachment = this._attachment;
    this._attachment = undefined;
    this._asked = target.ask(
      "tools.invoke",
      { name, version: tool.version, arguments: given, caller: this.caller },
      {
        attachment,
        done: (outcome) => {
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
      this._fail(this._errorOf(outcome.error), "failed");
    } else if (isObject(outcome.ok) && Object.hasOwn(outcome.ok, "result")) {
      this._completed(tool, outcome.ok["result"], outcome.attachment);
    } else if (isObject(outcome.ok) && outcome.ok["changed"] === true) {
      // It was exposed anew since it was described, and has not run: the buffer came back.
      target.confirmed.delete(this._request.name);
      this._attachment = outcome.attachment;
      this._descriptions += 1;
      if (this._descriptions < MAX_DESCRIPTIONS) this._describe(target);
      else
        this._fail(
          new BusError("UNKNOWN_TOOL", "The tool keeps changing; nothing was run."),
          "failed",
        );
    } else {
      const text = "The app answered with no result; its tool may have run.";
      this._fail(new BusError("INVALID_OUTPUT", text), "failed");
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
    /** @type {() => void} */
    let release = () => {};
    try {
      checkOutputAttachment(tool.attachments, attachment);
      if (attachment !== undefined && this._target !== null) {
        release = this._around.ledger.take(this._target.id, attachment.byteLength);
      }
    } catch (error) {
      if (!(error instanceof BusError)) throw error;
      this._fail(error, "failed");
      return;
    }
    this._finish("completed", result, { ok: result, attachment });
    release();
  }

  /** @param {BusError} error As the endpoint, or its end, gives it. */
  _errorOf(error) {
    if (CODES_OF_APPS.has(error.code) || this._target?.open !== true) return error;
    return new BusError("TOOL_FAILED", error.message, { data: { code: error.code } });
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
    this._release();
    if (waits && this._asked > 0) this._target?.forget(this._asked, status);
    this._around.audited(status, told);
    this._around.ended(outcome);
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
  return { errors: problems.slice(0, 16).map(({ path, message }) => ({ path, message })) };
}
