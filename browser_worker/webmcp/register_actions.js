// @ts-check
/** Registers a dispatcher's actions as tools of the browser, for its own agent and those in the page. */

import { browserSession } from "../contract/browser_session.js";
import { isObject } from "../contract/json_number.js";
import { StrictJsonError, stringify } from "../contract/strict_json.js";
import { AppError, sendableError } from "../dispatcher/app_error.js";
import { jsonCopy } from "../dispatcher/json_copy.js";
import { Task } from "../dispatcher/task_table.js";
import { findModelContext, listTools, registerTool } from "./model_context.js";
import { ownTools } from "./own_tools.js";
import { PREFIX } from "./tool_names.js";

/** @import { ActionSpec } from "../dispatcher/action_spec.js" */
/** @import { Dispatcher } from "../dispatcher/dispatcher.js" */
/** @import { ModelContextLike } from "./model_context.js" */

/**
 * @typedef {object} RegisterOptions
 * @property {ModelContextLike | null} [modelContext] The browser's `document.modelContext`, or what stands
 *   for it; found by itself by default.
 * @property {(action: ActionSpec) => boolean} [filter] Which actions; all by default.
 * @property {AbortSignal} [signal] Takes them back, as the returned function does.
 * @property {(message: string) => void} [warn] Told of an action that the browser refuses; the console by
 *   default.
 */

/** How many registrations this page has made. */
let registrations = 0;

/**
 * Registers the actions that the dispatcher has now as tools of the browser, under their own names.
 * Whoever calls one is outside the app: the dispatcher has to be enabled, also when the call's turn
 * comes, and the host is told a session that is no terminal's, so that a workspace asks its owner. A
 * call needs no revision and waits for its end, since such an agent can ask for neither. An output is given as it is; an error as
 * `{isError: true}` with the whole error in text and in `structuredContent`; work that goes on as
 * `{task}`. Where the browser has no such registry, nothing happens. A name that the page has registered
 * itself stays the page's; tools that came from the browser are not given back to it. Contract: the
 * dispatcher.
 *
 * @param {Dispatcher} dispatcher
 * @param {RegisterOptions} [options]
 * @returns {() => void} Takes them back, and ends the session: running calls end as they would have, unless
 *   the host ends them, and what its owner allowed is void.
 */
export function registerWithModelContext(
  dispatcher,
  {
    modelContext = findModelContext(),
    filter = () => true,
    signal,
    warn = (message) => console.warn(`Bascule: ${message}`),
  } = {},
) {
  const controller = new AbortController();
  const stop = () => controller.abort();
  if (modelContext === null || typeof modelContext.registerTool !== "function") return stop;
  if (signal?.aborted) return stop;
  signal?.addEventListener("abort", stop, { once: true });
  const session = browserSession(++registrations);
  controller.signal.addEventListener("abort", () => dispatcher.sessionEnded(session));
  const powers = { dispatcher, session, context: modelContext, signal: controller.signal, warn };
  const registration = new Registration(powers);
  registration.run(filter).catch((error) => {
    warn(`The actions are not registered with the browser: ${String(error)}`);
  });
  return stop;
}

/** One call of `registerWithModelContext`. */
class Registration {
  /**
   * @param {object} powers
   * @param {Dispatcher} powers.dispatcher
   * @param {string} powers.session
   * @param {ModelContextLike} powers.context
   * @param {AbortSignal} powers.signal
   * @param {(message: string) => void} powers.warn
   */
  constructor({ dispatcher, session, context, signal, warn }) {
    this._dispatcher = dispatcher;
    this._session = session;
    this._context = context;
    this._signal = signal;
    this._warn = warn;
  }

  /** @param {(action: ActionSpec) => boolean} filter */
  async run(filter) {
    const specs = await this._dispatcher.actions();
    const taken = await this._taken();
    const wanted = [...specs.values()]
      .filter(({ name }) => !name.startsWith(PREFIX))
      .filter(filter);
    await Promise.all(wanted.map((spec) => this._register(spec, taken)));
  }

  /** @returns {Promise<Set<string>>} Names of this document: some browsers would replace such a tool. */
  async _taken() {
    try {
      const tools = await listTools(this._context);
      return new Set(tools.filter(({ owner }) => owner === null).map(({ name }) => name));
    } catch {
      return new Set();
    }
  }

  /**
   * @param {ActionSpec} spec
   * @param {Set<string>} taken
   */
  async _register(spec, taken) {
    if (this._signal.aborted) return;
    if (taken.has(spec.name)) {
      this._warn(`The browser has a tool ${spec.name} already: the action is not registered.`);
      return;
    }
    const own = ownTools(this._context);
    const forget = () => void own.delete(spec.name);
    own.add(spec.name);
    this._signal.addEventListener("abort", forget, { once: true });
    try {
      await registerTool(this._context, this._tool(spec), this._signal);
    } catch (error) {
      if (this._signal.aborted) return;
      this._signal.removeEventListener("abort", forget);
      forget();
      this._warn(`The browser does not take ${spec.name} as a tool: ${String(error)}`);
    }
  }

  /** @param {ActionSpec} spec */
  _tool({ name, description, kind, inputSchema, outputSchema }) {
    return {
      name,
      description,
      inputSchema: nativeSchema(inputSchema),
      outputSchema: nativeSchema(outputSchema),
      annotations: { readOnlyHint: kind === "read" },
      execute: (/** @type {unknown} */ input) => this._call(name, input),
    };
  }

  /**
   * @param {string} name
   * @param {unknown} input
   * @returns {Promise<unknown>} Never rejects: of what is thrown, a browser tells its caller no word.
   */
  async _call(name, input) {
    try {
      this._dispatcher.requireEnabled();
      // Whoever kept the tool, or waits for a turn, calls nothing once it was taken back.
      const caller = { session: this._session, expired: () => this._signal.aborted };
      const output = await this._dispatcher.executeLatest(name, plainInput(input), caller);
      return native(output instanceof Task ? { task: told(output) } : output);
    } catch (error) {
      this._dispatcher.reportHostError(error);
      const whole = native({ error: sendableError(error) });
      const text = `${whole.error.message}\n${JSON.stringify(whole)}`;
      return { isError: true, content: [{ type: "text", text }], structuredContent: whole };
    }
  }
}

/**
 * @param {unknown} input
 * @returns {unknown}
 * @throws {AppError} `INVALID_INPUT`
 */
function plainInput(input) {
  try {
    return jsonCopy(input ?? {});
  } catch (error) {
    if (!(error instanceof StrictJsonError)) throw error;
    const errors = [{ path: "", message: "is not JSON" }];
    throw new AppError("INVALID_INPUT", "The input is not JSON.", { errors });
  }
}

/** @param {Task} task */
function told({ id, action, state, progress }) {
  return progress === undefined ? { id, action, state } : { id, action, state, progress };
}

/** @param {unknown} schema A registry takes an object. */
function nativeSchema(schema) {
  return isObject(schema) ? native(schema) : { type: "object" };
}

/**
 * With the browser's own numbers: it cannot write others.
 *
 * @param {unknown} value
 * @returns {any}
 */
function native(value) {
  return JSON.parse(stringify(value));
}
