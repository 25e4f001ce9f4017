// @ts-check
/**
 * What an app does on the bus, over whatever port it is given: exposes tools, calls those of others,
 * tells of its state and hears of it. Contract: bus.
 */

import { BusError } from "../contract/bus_error.js";
import { busClient, requireText } from "./bus_client.js";
import { ExposedTools } from "./exposed_tools.js";
import { follow } from "./follow_state.js";
import { asRequest } from "./own_request.js";
import { PortSession } from "./port_session.js";
import { privateActions } from "./private_actions.js";
import { reportFailure } from "./report_failure.js";
import { scopedClient } from "./scoped_client.js";
import { StateChanges } from "./state_changes.js";

/** @import { Ask, CallOptions, MsgBusClient, ResultWithAttachment, ToolCall, ToolDescription } from "./bus_client.js" */
/** @import { ToolHandler, ToolOptions } from "./exposed_tools.js" */
/** @import { DeadlinePowers } from "../contract/deadlines.js" */
/** @import { FollowOptions } from "./follow_state.js" */
/** @import { IncomingRequest } from "./incoming_request.js" */
/** @import { Answer } from "./outgoing_requests.js" */
/** @import { AppPort } from "./port_session.js" */
/** @import { StateChange } from "./state_changes.js" */

/** @typedef {{ endpoint: string, session: string }} Connected What the kernel calls this endpoint. */

export class AppRuntime {
  /** @param {DeadlinePowers} powers */
  constructor(powers) {
    this._setTimer = powers.setTimer;
    /** @type {Ask} */
    const ask = (action, payload, options) => this._session.ask(action, payload, options);
    this._client = busClient(ask);
    /** What is no tool: the app's own affairs with the workspace. */
    this.actions = privateActions(ask);
    this._tools = new ExposedTools((request) => scopedClient(request, ask));
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
  callTool(call, options = undefined) {
    return this._client.callTool(call, options);
  }

  /**
   * Calls a tool that may give a buffer with its result.
   *
   * @param {ToolCall} call
   * @param {CallOptions} [options]
   * @returns {Promise<ResultWithAttachment>} Rejects with a `BusError`.
   */
  callToolWithAttachment(call, options = undefined) {
    return this._client.callToolWithAttachment(call, options);
  }

  /** The installed apps: what they say of themselves is theirs. @returns {Promise<any[]>} */
  listApps() {
    return this._client.listApps();
  }

  /** The endpoints that are live now. @returns {Promise<any[]>} */
  listEndpoints() {
    return this._client.listEndpoints();
  }

  /**
   * The tools of an endpoint, as it tells them now.
   *
   * @param {string} target
   * @returns {Promise<ToolDescription[]>}
   */
  listTools(target) {
    return this._client.listTools(target);
  }

  /**
   * Tells the other endpoints of this app that its state has changed.
   *
   * @param {string} topic
   * @param {number} revision Rises with each change, over reloads too.
   * @returns {Promise<void>} Rejects with a `BusError`.
   */
  publishAppStateChange(topic, revision) {
    return asRequest(async () => {
      requireText("topic", topic);
      if (!Number.isSafeInteger(revision)) {
        throw new BusError("INVALID_INPUT", "A revision is an integer; nothing was sent.");
      }
      await this._session.ask("app.state.publish", { topic, revision });
    });
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
   * The calling half of the bus as one object, that needs no `this`. A handler calls others with its
   * `context.kernel` instead.
   *
   * @returns {MsgBusClient}
   */
  createMsgBusClient() {
    return { ...this._client };
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
