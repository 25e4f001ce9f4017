// @ts-check
/**
 * A workspace as the host of a dispatcher: a terminal lists and calls the tools of the apps that run in
 * it, as actions `app.<app>.<tool>`. It decides nothing itself: the kernel's policy is asked of each call.
 * Contract: bus, the terminal.
 */

import { BusError } from "../../contract/bus_error.js";
import { checkJson } from "../../contract/bus_json.js";
import { readEndpointId } from "../../contract/bus_names.js";
import { isObject } from "../../contract/json_number.js";
import { BUS_LIMITS } from "../../contract/limits.js";
import { entrypointOnly } from "../agent/turn_gate.js";
import { applicationError } from "./application_errors.js";
import { CallWatch } from "./call_watch.js";
import { KeptAttachments } from "./kept_attachments.js";
import { LOCKED, missingAction } from "./missing_actions.js";
import { ToolActions, appOfAction } from "./kernel_actions.js";
import { LiveTools } from "./live_tools.js";
import { bytesOf, mediaTypeOf } from "./terminal_attachments.js";
import { callerOf } from "./terminal_caller.js";
import { WORKSPACE_ACTIONS } from "./workspace_actions.js";
import { WorkspaceCalls } from "./workspace_calls.js";

/** @import { ActionSpec } from "../../dispatcher/action_spec.js" */
/** @import { CallContext, Host, Resource, Unavailability } from "../../dispatcher/host.js" */
/** @import { EndpointSummary } from "../endpoints/endpoint_registry.js" */
/** @import { Grant } from "../grants/grants.js" */
/** @import { Kernel } from "../kernel.js" */
/** @import { KernelPowers } from "../kernel_powers.js" */
/** @import { ToolAction } from "./kernel_actions.js" */
/** @import { Kept } from "./kept_attachments.js" */
/** @import { ToolsOfEndpoint } from "./live_tools.js" */
/** @import { WorkspaceShell } from "./workspace_calls.js" */

/**
 * @typedef {object} KernelHostOptions
 * @property {Kernel} kernel
 * @property {WorkspaceShell} shell
 * @property {Pick<KernelPowers, "now" | "setTimer" | "newId">} powers
 * @property {{ all: () => readonly Grant[] }} [grants] What the owner has allowed.
 * @property {number} [timeoutSeconds] How long a call of a terminal may last: a longer one than 5 s is a
 *   task, which can be cancelled.
 */

/** @typedef {{ action: ToolAction, endpoint: string }} Route */

/** Who looks which tools there are, for whichever session it is. */
const LOOKS = "external:bridge";

/** What a terminal is told while the person is asked. */
const ASKS = "The owner of the workspace is asked in the page: a yes there lets the call begin.";

const ALLOWED = "The owner said yes: the app's tool runs.";

/** The topic by which an app tells the revision of its whole state. */
const STATE = "state";

/** @implements {Host} */
export class KernelHost {
  /** @param {KernelHostOptions} options */
  constructor(options) {
    const {
      kernel,
      shell,
      powers,
      grants,
      timeoutSeconds = BUS_LIMITS.maxTimeoutSeconds,
    } = options;
    this._kernel = kernel;
    this._shell = shell;
    this._timeoutSeconds = timeoutSeconds;
    this._live = new LiveTools(kernel, powers);
    this._workspace = new WorkspaceCalls({ kernel, shell, grants, live: this._live });
    this._watch = new CallWatch(powers);
    this._made = new ToolActions();
    this._attachments = new KeptAttachments(powers.newId);
    /** Where each action was found at the last look. @type {Map<string, Route>} */
    this._routes = new Map();
    /** What the endpoints said at the last look. @type {ToolsOfEndpoint[]} */
    this._listed = [];
    /** Looks end in order: a call must not overtake an earlier one that had to wait for an app.
     * @type {Promise<ToolsOfEndpoint[]>} */
    this._looked = Promise.resolve([]);
    /** Calls to different apps overlap; those to one app keep their order on its port. @readonly */
    this.concurrent = true;
    // Who unlocks may be somebody else.
    kernel.onChange(() => this._forgetWhereLocked());
  }

  /**
   * The workspace's own actions, and those of every endpoint that says in time which tools it has. Of
   * two tools of one name in an app the background's is taken, then the focused tile's.
   *
   * @returns {Promise<ActionSpec[]>}
   */
  async actions() {
    const before = this._looked;
    this._looked = Promise.all([this._live.list(LOOKS), before]).then(([listed]) => listed);
    return this._found(await this._looked);
  }

  /**
   * @param {ToolsOfEndpoint[]} listed
   * @returns {ActionSpec[]}
   */
  _found(listed) {
    const ranked = listed
      .map(({ endpoint, tools }) => ({ endpoint, tools, rank: this._rank(endpoint) }))
      .sort((one, other) => one.rank - other.rank);
    /** @type {Map<string, Route>} */
    const routes = new Map();
    for (const { endpoint, tools } of ranked) {
      for (const descriptor of tools ?? []) {
        const action = this._made.of(endpoint.app, descriptor);
        if (action === null || routes.has(action.spec.name)) continue;
        routes.set(action.spec.name, { action, endpoint: endpoint.endpoint });
      }
    }
    this._routes = routes;
    this._listed = listed;
    return [...WORKSPACE_ACTIONS, ...[...routes.values()].map(({ action }) => action.spec)];
  }

  /**
   * Of an app's action: what the app last published of its topic `state`.
   *
   * @param {string} [action]
   * @returns {number | null}
   */
  revision(action) {
    const app = action === undefined ? null : appOfAction(action);
    return app === null ? null : this._kernel.revision(app, STATE);
  }

  capabilities() {
    return 0;
  }

  /** @returns {Unavailability | null} */
  modal() {
    if (!this._kernel.locked) return null;
    return LOCKED;
  }

  /**
   * Of a tool that only a tile of its app can call.
   *
   * @param {string} action
   * @returns {Unavailability | null}
   */
  availability(action) {
    const route = this._routes.get(action);
    if (route === undefined) return null;
    const { app, tool } = route.action;
    const entrypoints = this._kernel.app(app)?.declares?.agent ?? [];
    return entrypointOnly(readEndpointId(route.endpoint), tool, entrypoints);
  }

  /**
   * Of an app that is there and whose tools cannot be asked for now.
   *
   * @param {string} action
   * @returns {Unavailability | null}
   */
  missing(action) {
    return missingAction(action, this._kernel, this._listed);
  }

  /** What is live, and where the person is. */
  inspect() {
    const { locked } = this._kernel;
    const focused = locked ? null : this._shell.focusedEndpoint;
    return { locked, focused, endpoints: this._kernel.endpoints() };
  }

  /**
   * @param {string} uri
   * @param {number} offset Bytes.
   * @param {number} limit Bytes.
   * @returns {Resource | null}
   */
  readResource(uri, offset, limit) {
    this._forgetWhereLocked();
    return this._attachments.read(uri, offset, limit);
  }

  /** What tools gave to terminals, newest first. @returns {Kept[]} */
  resources() {
    this._forgetWhereLocked();
    return this._attachments.list();
  }

  /** What a terminal was allowed ends with its session, and so do its calls. @param {string} session */
  sessionEnded(session) {
    this._kernel.endSession(callerOf(session));
  }

  /** What waits for a yes on its behalf is not begun; all else goes on. @param {string} session */
  sessionUnreached(session) {
    this._kernel.withdrawQuestions(callerOf(session));
  }

  /**
   * @param {string} action
   * @param {any} input
   * @param {CallContext} context
   * @returns {Promise<unknown>} Rejects with an `AppError`.
   */
  async execute(action, input, context) {
    const route = this._routes.get(action);
    try {
      if (appOfAction(action) === null) return await this._workspace.call(action, input, context);
      if (route === undefined) {
        throw new BusError("UNKNOWN_TOOL", "The tool is not there any more; nothing was run.");
      }
      return await this._call(route, input, context);
    } catch (error) {
      throw applicationError(error, route?.action.takes ? "/arguments" : "");
    }
  }

  /** @param {EndpointSummary} endpoint */
  _rank({ endpoint, kind }) {
    if (kind === "background") return 0;
    if (endpoint === this._shell.focusedEndpoint) return 1;
    return kind === "tile" ? 2 : 3;
  }

  /**
   * @param {Route} route
   * @param {any} input
   * @param {CallContext} context
   */
  async _call({ action, endpoint }, input, context) {
    const { takes, gives, tool, spec, mediaTypes } = action;
    const given = takes ? input.arguments : input;
    if (!isObject(given)) {
      const text = "A tool takes an object; nothing was run.";
      throw new BusError("INVALID_INPUT", text);
    }
    const attachment =
      takes && input.attachment !== undefined
        ? bytesOf(input.attachment, (uri) => this._attachments.copy(uri))
        : undefined;
    const answer = await this._watch.run(context, async ({ signal, look, onProgress }) => {
      const call = {
        caller: callerOf(context.session),
        target: endpoint,
        name: tool,
        arguments: given,
        timeoutSeconds: this._timeoutSeconds,
        signal,
        onProgress,
        onWaiting: () => context.defer("consent", ASKS),
        onAllowed: () => {
          // A yes to what was taken back a moment ago begins nothing.
          look();
          context.defer("running", ALLOWED);
        },
      };
      try {
        return await this._kernel.call(attachment === undefined ? call : { ...call, attachment });
      } catch (error) {
        if (error instanceof BusError && error.code === "NOT_JSON") requireSent(given);
        throw error;
      }
    });
    if (!gives) return answer.result;
    if (answer.attachment === undefined) return { result: answer.result };
    const size = answer.attachment.byteLength;
    const mimeType = mediaTypeOf(mediaTypes, answer.result);
    const resource = this._attachments.keep(spec.name, mimeType, answer.attachment);
    return { result: answer.result, attachment: { resource, mimeType, size } };
  }

  _forgetWhereLocked() {
    if (this._kernel.locked) this._attachments.clear();
  }
}

/**
 * Numbers that JavaScript does not hold come in by a line, and cannot travel on the bus.
 *
 * @param {unknown} given
 */
function requireSent(given) {
  try {
    checkJson(given, { what: "arguments" });
  } catch (error) {
    if (!(error instanceof BusError)) throw error;
    const path = String(error.data?.["path"] ?? "");
    throw new BusError("INVALID_INPUT", error.message, {
      data: { errors: [{ path, message: error.message }] },
    });
  }
}
