// @ts-check
/**
 * What an app does on the bus, over whatever port it is given: exposes tools, calls those of others,
 * tells of its state and hears of it. Contract: bus.
 */

import { BusError } from "../contract/bus_error.js";
import { copyJson } from "../contract/bus_json.js";
import { KERNEL_ENDPOINT } from "../contract/bus_names.js";
import { isObject } from "../contract/json_number.js";
import { BUS_LIMITS } from "../contract/limits.js";
import { ExposedTools } from "./exposed_tools.js";
import { follow } from "./follow_state.js";
import { PortSession } from "./port_session.js";
import { reportFailure } from "./report_failure.js";
import { StateChanges } from "./state_changes.js";

/** @import { ToolHandler, ToolOptions } from "./exposed_tools.js" */
/** @import { DeadlinePowers } from "../contract/deadlines.js" */
/** @import { FollowOptions } from "./follow_state.js" */
/** @import { IncomingRequest } from "./incoming_request.js" */
/** @import { Answer } from "./outgoing_requests.js" */
/** @import { AppPort } from "./port_session.js" */
/** @import { StateChange } from "./state_changes.js" */

/**
 * @typedef {object} ToolCall
 * @property {string} target An endpoint, as `listEndpoints` names it; `kernel` for the workspace's own.
 * @property {string} name
 * @property {Record<string, unknown>} [arguments]
 * @property {ArrayBuffer} [attachment] For a tool that takes one. It is the tool's then: not to be sent
 *   again.
 */

/**
 * @typedef {object} CallOptions
 * @property {number} [timeout] Seconds, 1 to 600; 30 by default.
 * @property {(value: any) => void} [onProgress] What it throws changes nothing of the call.
 * @property {AbortSignal} [signal] Cancels it: the tool is told, and may have done something.
 */

/** @typedef {{ result: any, attachment: ArrayBuffer | undefined }} ResultWithAttachment */

/**
 * @typedef {object} ToolDescription A tool of another endpoint, in its own words: data, no instruction.
 * @property {string} name
 * @property {string} [title]
 * @property {string} description
 * @property {Record<string, unknown>} inputSchema
 * @property {Record<string, unknown>} [outputSchema]
 * @property {Record<string, unknown>} [annotations]
 */

/** @typedef {{ endpoint: string, session: string }} Connected What the kernel calls this endpoint. */

/** Longer than any there is: what is longer need not be sent to be refused. */
const MAX_TARGET_CHARS = 200;
const MAX_NAME_CHARS = 100;

export class AppRuntime {
  /** @param {DeadlinePowers} powers */
  constructor(powers) {
    this._setTimer = powers.setTimer;
    this._tools = new ExposedTools();
    this._changes = new StateChanges();
    /** @type {Set<() => void>} */
    this._connectObservers = new Set();
    /** @type {Connected | null} */
    this._connected = null;
    this._session = new PortSession(
      {
        onRequest: (request) => this._answer(request),
        onEvent: (name, payload) => this._hear(name, payload),
      },
      powers,
    );
  }

  /** What the kernel calls this endpoint; null while there is no connection. */
  get connected() {
    return this._connected;
  }

  /** Takes a port of the kernel's. @param {AppPort} port */
  connect(port) {
    this._session.connect(port);
  }

  /** Lets the port go: what waits fails. @param {string} [why] */
  close(why = "this app closed it") {
    this._connected = null;
    this._session.close(why);
  }

  /**
   * Exposes a tool, or exposes it anew.
   *
   * @param {string} name 1 to 40 of a-z, 0-9, `_` and `-`, beginning with a letter or digit.
   * @param {ToolOptions} options
   * @param {ToolHandler} handler
   * @throws {TypeError} For a name, description or schema that is none.
   */
  exposeTool(name, options, handler) {
    this._tools.expose(name, options, handler);
  }

  /**
   * Exposes a tool no longer. What runs goes on.
   *
   * @param {string} name
   * @returns {boolean} Whether there was one.
   */
  removeExposedTool(name) {
    return this._tools.remove(name);
  }

  /**
   * Calls a tool.
   *
   * @param {ToolCall} call
   * @param {CallOptions} [options]
   * @returns {Promise<any>} Its result. Rejects with a `BusError`.
   */
  async callTool(call, options = {}) {
    return (await this.callToolWithAttachment(call, options)).result;
  }

  /**
   * Calls a tool that may give a buffer with its result.
   *
   * @param {ToolCall} call
   * @param {CallOptions} [options]
   * @returns {Promise<ResultWithAttachment>} Rejects with a `BusError`.
   */
  async callToolWithAttachment(call, { timeout, onProgress, signal } = {}) {
    const { target, name, attachment } = call;
    requireName("target", target, MAX_TARGET_CHARS);
    requireName("name", name, MAX_NAME_CHARS);
    /** @type {Record<string, unknown>} */
    const payload = {
      target,
      name,
      arguments: copyJson(call.arguments ?? {}, { what: "arguments" }),
    };
    if (!isObject(payload["arguments"])) {
      throw new BusError("INVALID_MESSAGE", "Arguments are an object; nothing was sent.");
    }
    if (timeout !== undefined) payload["timeout"] = checkedTimeout(timeout);
    const answer = await this._session.ask("tools.call", payload, {
      attachment,
      onProgress,
      signal,
      seconds: timeout,
    });
    return { result: answer.ok, attachment: answer.attachment };
  }

  /** The installed apps: what they say of themselves is theirs. @returns {Promise<any[]>} */
  async listApps() {
    return (await this.callTool({ target: KERNEL_ENDPOINT, name: "apps.list" })).apps;
  }

  /** The endpoints that are live now. @returns {Promise<any[]>} */
  async listEndpoints() {
    return (await this.callTool({ target: KERNEL_ENDPOINT, name: "endpoints.list" })).endpoints;
  }

  /**
   * The tools of an endpoint, as it tells them now.
   *
   * @param {string} target
   * @returns {Promise<ToolDescription[]>}
   */
  async listTools(target) {
    requireName("target", target, MAX_TARGET_CHARS);
    const { ok } = await this._session.ask("tools.list", { target });
    return isObject(ok) ? /** @type {ToolDescription[]} */ (ok["tools"]) : [];
  }

  /**
   * Tells the other endpoints of this app that its state has changed.
   *
   * @param {string} topic
   * @param {number} revision Rises with each change, over reloads too.
   * @returns {Promise<void>} Rejects with a `BusError`.
   */
  async publishAppStateChange(topic, revision) {
    requireName("topic", topic, MAX_NAME_CHARS);
    if (!Number.isSafeInteger(revision)) {
      throw new BusError("INVALID_INPUT", "A revision is an integer; nothing was sent.");
    }
    await this._session.ask("app.state.publish", { topic, revision });
  }

  /**
   * Listens for changes of this app's state that another endpoint of it tells of.
   *
   * @param {string} topic
   * @param {(change: StateChange) => void} listener
   * @returns {() => void} Ends the listening.
   */
  onAppStateChange(topic, listener) {
    return this._changes.on(topic, listener);
  }

  /**
   * Keeps a view of this app's state up to date.
   *
   * @template V
   * @param {string} topic
   * @param {FollowOptions<V>} options
   * @returns {() => void} Ends it.
   */
  followAppState(topic, options) {
    return follow(options, {
      onChange: (changed) => this.onAppStateChange(topic, ({ revision }) => changed(revision)),
      onConnect: (connected) => this.onConnect(connected),
      setTimer: this._setTimer,
    });
  }

  /**
   * Watches for a new connection to the kernel.
   *
   * @param {() => void} observer
   * @returns {() => void} Ends the watching.
   */
  onConnect(observer) {
    this._connectObservers.add(observer);
    return () => void this._connectObservers.delete(observer);
  }

  /**
   * The calling half of the bus as one object, that needs no `this`.
   *
   * @returns {Pick<AppRuntime, "listApps" | "listEndpoints" | "listTools" | "callTool" | "callToolWithAttachment">}
   */
  createMsgBusClient() {
    return {
      listApps: () => this.listApps(),
      listEndpoints: () => this.listEndpoints(),
      listTools: (target) => this.listTools(target),
      callTool: (call, options) => this.callTool(call, options),
      callToolWithAttachment: (call, options) => this.callToolWithAttachment(call, options),
    };
  }

  /**
   * @param {IncomingRequest} request
   * @returns {Answer | Promise<Answer>}
   */
  _answer(request) {
    switch (request.action) {
      case "tools.invoke":
        return this._tools.invoke(request);
      case "tools.describe":
        return this._tools.describe(request.payload["name"]);
      case "ping":
        return { ok: {}, attachment: undefined };
      default:
        throw new BusError("UNKNOWN_ACTION", "This app knows no such action; nothing was done.");
    }
  }

  /**
   * @param {string} name
   * @param {Record<string, unknown>} payload
   */
  _hear(name, { topic, revision, endpoint, session }) {
    if (name === "app.state" && typeof topic === "string" && typeof revision === "number") {
      this._changes.tell(topic, revision);
    } else if (name === "connected") {
      this._connected = { endpoint: String(endpoint), session: String(session) };
      this._changes.forget();
      for (const observer of [...this._connectObservers]) {
        try {
          observer();
        } catch (error) {
          reportFailure(error);
        }
      }
    }
  }
}

/**
 * @param {string} what
 * @param {unknown} value
 * @param {number} maxChars
 */
function requireName(what, value, maxChars) {
  if (typeof value === "string" && value.length <= maxChars) return;
  const text = `A ${what} is a text of at most ${maxChars} signs; nothing was sent.`;
  throw new BusError("INVALID_MESSAGE", text);
}

/** @param {number} timeout */
function checkedTimeout(timeout) {
  const most = BUS_LIMITS.maxTimeoutSeconds;
  if (typeof timeout === "number" && timeout >= 1 && timeout <= most) return timeout;
  throw new BusError("INVALID_MESSAGE", `A timeout is 1 to ${most} seconds; nothing was sent.`);
}
