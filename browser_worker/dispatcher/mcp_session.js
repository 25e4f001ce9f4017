// @ts-check
/**
 * MCP for one session of an app: requests that have passed the front, run and answered.
 *
 * Remembers which requests are in flight, and nothing else. Contract: MCP.
 */

import { InFlight } from "./in_flight.js";
import { errorLine, toolError, wireError } from "./mcp_answers.js";
import { McpFront } from "./mcp_front.js";
import { answerResources } from "./mcp_resources.js";
import { runTool } from "./mcp_tools.js";
import { failed, succeeded } from "./session_answer.js";
import { TaskProgressLines } from "./task_progress.js";
import { TaskWatch } from "./task_watch.js";

/** @import { Dispatcher } from "./dispatcher.js" */
/** @import { Envelope } from "./envelope.js" */
/** @import { CallMark } from "./in_flight.js" */
/** @import { AppRequest, Taken } from "./mcp_front.js" */
/** @import { MethodContext } from "./methods.js" */
/** @import { Params } from "./params.js" */
/** @import { SessionAnswer } from "./session_answer.js" */

/** What is listed and read of an app may be another at the next call. */
const RESOURCES_TTL_MS = 0;

/** The MCP side of one agent session. */
export class McpSession {
  /**
   * @param {Dispatcher} dispatcher
   * @param {string | undefined} name The bridge session that this belongs to.
   * @param {((line: string) => void) | undefined} notify Sends a line that answers nothing, where that can be.
   */
  constructor(dispatcher, name, notify) {
    this._dispatcher = dispatcher;
    this._name = name;
    this._notify = notify;
    this._front = new McpFront(dispatcher.app);
    this._inFlight = new InFlight();
  }

  /**
   * What a message asks for, or the answer to it. Runs nothing and marks nothing.
   *
   * @param {Envelope} envelope
   * @returns {Taken}
   */
  take(envelope) {
    return this._front.takeEnvelope(envelope);
  }

  /**
   * Does what a message asks for.
   *
   * @param {Taken} taken
   * @param {(() => boolean) | undefined} expired Whether the caller has gone by now.
   * @returns {Promise<SessionAnswer>} Never rejects.
   */
  async handle(taken, expired) {
    switch (taken.kind) {
      case "app":
        return this._run(taken, expired);
      case "answered":
        return { line: taken.line, ending: { ok: taken.ok, deferred: false } };
      case "cancelled":
        // What has begun goes on, and nobody waits for it.
        this._inFlight.cancel(taken.requestId);
        return { line: undefined };
      case "ignored":
        return { line: undefined };
    }
  }

  /**
   * The answer of who has no place for a valid request. Nothing is run.
   *
   * @param {unknown} id
   * @param {Taken} taken
   * @param {unknown} error
   * @returns {string}
   */
  refuse(id, taken, error) {
    return taken.kind === "app" ? this._failure(taken, error) : errorLine(id, wireError(error));
  }

  /**
   * @param {AppRequest} request
   * @param {(() => boolean) | undefined} expired
   * @returns {Promise<SessionAnswer>}
   */
  async _run(request, expired) {
    const mark = this._inFlight.begin(request.id);
    try {
      const context = {
        dispatcher: this._dispatcher,
        session: this._name,
        // What still waits for its turn when it is cancelled is not begun.
        expired: () => mark.cancelled || expired?.() === true,
      };
      this._dispatcher.requireEnabled();
      const answer = await (request.method === "tools/call"
        ? this._tool(context, request, mark)
        : this._resources(context, request));
      return { ...answer, cancelled: mark.cancelled };
    } catch (error) {
      this._dispatcher.reportHostError(error);
      const line = this._failure(request, error);
      return { line, ending: failed(error), cancelled: mark.cancelled };
    } finally {
      this._inFlight.end(mark);
    }
  }

  /**
   * @param {MethodContext} context
   * @param {AppRequest} request
   * @param {CallMark} mark
   * @returns {Promise<SessionAnswer>}
   */
  async _tool(context, request, mark) {
    const { params, progressToken } = request;
    const progress = new TaskProgressLines(progressToken);
    const watch = new TaskWatch(this._dispatcher, mark, progress, this._notify);
    const given = /** @type {Params} */ (params["arguments"] ?? {});
    const { structured, content } = await runTool(context, String(params["name"]), given, watch);
    const line = this._front.toolResult(request, structured, content);
    return { line, ending: succeeded(structured) };
  }

  /**
   * @param {MethodContext} context
   * @param {AppRequest} request
   * @returns {Promise<SessionAnswer>}
   */
  async _resources(context, request) {
    const told = await answerResources(context, request);
    if ("refusal" in told) {
      const { refusal, code } = told;
      const line = this._front.error(request, refusal);
      return { line, ending: { ok: false, deferred: false, code } };
    }
    const { result, ...more } = told;
    const line = this._front.result(request, result, { ttlMs: RESOURCES_TTL_MS, ...more });
    return { line, ending: succeeded(result) };
  }

  /**
   * @param {AppRequest} request
   * @param {unknown} error
   * @returns {string} Of a tool a result that says so.
   */
  _failure(request, error) {
    return request.method === "tools/call"
      ? this._front.toolFailure(request, toolError(error, String(request.params["name"])))
      : errorLine(request.id, wireError(error));
  }
}
