// @ts-check
/** What a terminal does with a workspace itself: the actions of `workspace_actions.js`. Contract: bus, the terminal. */

import { BusError } from "../../contract/bus_error.js";
import { KERNEL_ENDPOINT, readEndpointId } from "../../contract/bus_names.js";
import { BUS_LIMITS } from "../../contract/limits.js";
import { AppError } from "../../dispatcher/app_error.js";
import { invalidInput } from "./application_errors.js";
import { ownGrants } from "./own_grants.js";
import { callerOf } from "./terminal_caller.js";
import { toldEndpoints, toldTools } from "./told_tools.js";

/** @import { CallContext } from "../../dispatcher/host.js" */
/** @import { Grant } from "../grants/grants.js" */
/** @import { Kernel } from "../kernel.js" */
/** @import { LiveTools } from "./live_tools.js" */

/**
 * @typedef {object} WorkspaceShell What the host needs of the page around the kernel.
 * @property {string | null} focusedEndpoint The tile that the person works in.
 * @property {(app: string, tile?: string) => Promise<string>} openTile Opens or shows a tile and gives its
 *   endpoint once that is live. Rejects with a `BusError`; `UNKNOWN_ENDPOINT` for what is not installed.
 */

/**
 * @typedef {object} WorkspaceParts
 * @property {Kernel} kernel
 * @property {WorkspaceShell} shell
 * @property {{ all: () => readonly Grant[] } | undefined} grants
 * @property {LiveTools} live
 */

/** The one action of the workspace's own that changes something. */
const OPEN = "workspace.tile.open";

export class WorkspaceCalls {
  /** @param {WorkspaceParts} parts */
  constructor({ kernel, shell, grants, live }) {
    this._kernel = kernel;
    this._shell = shell;
    this._grants = grants;
    this._live = live;
  }

  /**
   * @param {string} action
   * @param {any} input
   * @param {CallContext} context
   * @returns {Promise<unknown>} Rejects with a `BusError` or an `AppError`.
   */
  async call(action, input, context) {
    switch (action) {
      case "workspace.apps.list":
        return this._ask("apps.list", context);
      case "workspace.endpoints.list":
        return this._ask("endpoints.list", context);
      case "workspace.tools.list":
        return this._tools(input.endpoint, context);
      case OPEN:
        return { endpoint: await this._open(input, context) };
      case "workspace.audit.list":
        return { entries: this._entries(input) };
      case "workspace.grants.list":
        return this._allowed(context);
      default:
        throw new AppError("UNKNOWN_ACTION", "The workspace has no action of this name.");
    }
  }

  /**
   * @param {string} name A tool of the kernel's own.
   * @param {CallContext} context
   */
  async _ask(name, context) {
    const call = { caller: callerOf(context.session), target: KERNEL_ENDPOINT, name };
    return (await this._kernel.call(call)).result;
  }

  /**
   * @param {string | undefined} endpoint
   * @param {CallContext} context
   */
  async _tools(endpoint, context) {
    const looks = callerOf(context.session);
    if (endpoint === undefined) {
      const endpoints = toldEndpoints(await this._live.list(looks));
      return { untrusted: true, endpoints };
    }
    try {
      const tools = await this._kernel.listTools(endpoint, looks);
      return { untrusted: true, endpoints: [toldTools(endpoint, tools)] };
    } catch (error) {
      throw unknownAt(error, "/endpoint");
    }
  }

  /**
   * No call that the kernel routes, but the owner sees who changed the screen.
   *
   * @param {{ app: string, tile?: string }} input
   * @param {CallContext} context
   */
  async _open(input, { session }) {
    const { app, tile } = input;
    const ended = this._kernel.audit.begin({
      caller: callerOf(session),
      target: KERNEL_ENDPOINT,
      tool: OPEN,
      arguments: input,
    });
    try {
      const endpoint = await this._shell.openTile(app, tile);
      ended("completed", { endpoint });
      return endpoint;
    } catch (error) {
      ended("failed", error instanceof BusError ? `${error.code}: ${error.message}` : "HOST_ERROR");
      throw unknownAt(error, tile === undefined ? "/app" : "/tile");
    }
  }

  /** @param {{ app?: string, limit?: number }} input */
  _entries({ app, limit = BUS_LIMITS.maxAuditEntries }) {
    const isOf = (/** @type {string} */ id) => readEndpointId(id)?.app === app;
    return (
      this._kernel.audit
        // What is private between an app and the page is for its owner only.
        .entries((entry) => !entry.private)
        .filter((entry) => app === undefined || isOf(entry.caller) || isOf(entry.target))
        .map(({ private: _private, ...entry }) => entry)
        .slice(-limit)
    );
  }

  /** @param {CallContext} context */
  _allowed({ session }) {
    return { grants: ownGrants(this._grants?.all() ?? [], callerOf(session)) };
  }
}

/**
 * @param {unknown} error
 * @param {string} path What named what there is not.
 */
function unknownAt(error, path) {
  if (!(error instanceof BusError) || error.code !== "UNKNOWN_ENDPOINT") return error;
  return invalidInput(error.message, [{ path, message: error.message }]);
}
