// @ts-check
/**
 * An app's own MCP session: runs what the front lets through, and knows what is in flight, so that
 * it can be cancelled. Never throws and never rejects. Contract: MCP.
 */

import { numberToken } from "../contract/json_number.js";
import { failed, succeeded } from "./ending.js";
import { errorLine, toolError, wireError } from "./mcp_answers.js";
import { McpFront } from "./mcp_front.js";
import { answerResources } from "./mcp_resources.js";
import { runTool } from "./mcp_tools.js";
import { TaskProgressLines } from "./task_progress.js";

/** @import { Dispatcher } from "./dispatcher.js" */
/** @import { Ending } from "./ending.js" */
/** @import { Envelope } from "./envelope.js" */
/** @import { AppRequest, Taken } from "./mcp_front.js" */
/** @import { Params } from "./params.js" */
/** @import { Task } from "./task_table.js" */

/** @typedef {{ line: string, ending: Ending, cancelled: boolean }} McpAnswer `cancelled`: nobody waits for it. */

/** Lists of an app's own may be others at the next call. */
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
    /** @type {Set<InFlight>} */
    this._inFlight = new Set();
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
   * Runs a request that the front let through.
   *
   * @param {AppRequest} request
   * @param {() => boolean} [expired] Whether the caller has gone by now.
   * @returns {Promise<McpAnswer>}
   */
  async run(request, expired) {
    const call = new InFlight(request.id);
    const gone = () => call.cancelled || expired?.() === true;
    this._inFlight.add(call);
    try {
      const { line, ending } = await this._answer(request, call, gone);
      return { line, ending, cancelled: call.cancelled };
    } finally {
      this._inFlight.delete(call);
    }
  }

  /**
   * Marks what is in flight: it is not begun any more, and nobody waits for it. What has begun goes on.
   *
   * @param {unknown} requestId Of no call in flight: ignored.
   */
  cancel(requestId) {
    for (const call of this._inFlight) if (call.is(requestId)) call.cancel();
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
   * @param {unknown} error
   * @returns {string} Of a tool a result that says so.
   */
  _failure(request, error) {
    return request.method === "tools/call"
      ? this._front.toolFailure(request, toolError(error))
      : errorLine(request.id, wireError(error));
  }

  /**
   * @param {AppRequest} request
   * @param {InFlight} call
   * @param {() => boolean} expired
   * @returns {Promise<{ line: string, ending: Ending }>}
   */
  async _answer(request, call, expired) {
    try {
      this._dispatcher.requireEnabled();
      return await (request.method === "tools/call"
        ? this._tool(request, call, expired)
        : this._resources(request, expired));
    } catch (error) {
      this._dispatcher.reportHostError(error);
      return { line: this._failure(request, error), ending: failed(error) };
    }
  }

  /**
   * @param {AppRequest} request
   * @param {InFlight} call
   * @param {() => boolean} expired
   */
  async _tool(request, call, expired) {
    const { params } = request;
    const progress = new TaskProgressLines(request.progressToken);
    const context = {
      ...this._context(expired),
      tell: (/** @type {Task} */ task) => {
        const line = progress.line(task);
        if (line !== undefined) this._notify?.(line);
      },
      stoppable: (/** @type {() => void} */ stop) => call.onCancel(stop),
    };
    const given = /** @type {Params} */ (params["arguments"] ?? {});
    const { structured, content } = await runTool(context, String(params["name"]), given);
    const line = this._front.toolResult(request, structured, content);
    return { line, ending: succeeded(structured) };
  }

  /**
   * @param {AppRequest} request
   * @param {() => boolean} expired
   * @returns {Promise<{ line: string, ending: Ending }>}
   */
  async _resources(request, expired) {
    const told = await answerResources(this._context(expired), request);
    if ("refusal" in told) {
      const { refusal, code } = told;
      const line = this._front.error(request, refusal);
      return { line, ending: { ok: false, deferred: false, code } };
    }
    const line = this._front.result(request, told.result, { ttlMs: RESOURCES_TTL_MS });
    return { line, ending: succeeded(told.result) };
  }

  /** @param {() => boolean} expired */
  _context(expired) {
    return { dispatcher: this._dispatcher, session: this._name, expired };
  }
}

/** A request between its arrival and its answer. */
class InFlight {
  /** @param {unknown} id */
  constructor(id) {
    this._key = keyOf(id);
    this._stop = () => {};
    this.cancelled = false;
  }

  /** @param {unknown} id */
  is(id) {
    return keyOf(id) === this._key;
  }

  /** @param {() => void} stop Called at once when it is cancelled. */
  onCancel(stop) {
    this._stop = stop;
    if (this.cancelled) stop();
  }

  cancel() {
    this.cancelled = true;
    this._stop();
  }
}

/**
 * Ids are the same by their tokens: `1` and `"1"` are two, and so are `1` and `1.0`.
 *
 * @param {unknown} id
 * @returns {string}
 */
function keyOf(id) {
  return typeof id === "string"
    ? `"${id}`
    : numberToken(/** @type {Parameters<typeof numberToken>[0]} */ (id));
}
