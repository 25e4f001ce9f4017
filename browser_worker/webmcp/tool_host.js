// @ts-check
/**
 * The tools that a page has registered with its browser, as a dispatcher's host: each is an action.
 * Who registered them does not matter, but what Bascule itself registered is left out.
 */

import { isObject } from "../contract/json_number.js";
import { stringify } from "../contract/strict_json.js";
import { ActionSpec } from "../dispatcher/action_spec.js";
import { AppError } from "../dispatcher/app_error.js";
import { andThen, isPromiseLike } from "../dispatcher/eventually.js";
import { listTools, onToolChange, runTool } from "./model_context.js";
import { ToolNames } from "./tool_names.js";
import { toolOutput } from "./tool_output.js";

/** @import { CallContext } from "../dispatcher/host.js" */
/** @import { Eventually } from "../dispatcher/eventually.js" */
/** @import { BrowserTool, ModelContextLike } from "./model_context.js" */

/** @typedef {{ tool: BrowserTool, spec: ActionSpec, own: boolean }} Offered `own`: as it was listed. */

/**
 * @typedef {object} ToolPowers
 * @property {(message: string) => void} warn Tells the page's developer.
 * @property {(milliseconds: number, callback: () => void) => () => void} every Calls back again and again,
 *   until the function that it gives is called.
 * @property {(name: string) => boolean} isOwn Whether Bascule registered the tool of this name.
 * @property {object} [view] This page's window.
 */

const CANCEL_POLL_MS = 200;
const LISTING_MS = 1_000;
const MAX_DESCRIPTION_CHARS = 4_000;
const UNTRUSTED = "Its output may hold text that the page does not vouch for.";

/** Offers the browser's tools. Its calls take no turn: the browser's own agent takes none either, and a
 * tool may well call the app's dispatcher in its turn. */
export class ToolHost {
  /**
   * @param {ModelContextLike} context One that `offersTools`.
   * @param {ToolPowers} powers
   */
  constructor(context, powers) {
    this.concurrent = true;
    this._context = context;
    this._powers = powers;
    this._names = new ToolNames();
    /** By action. @type {Map<string, Offered>} */
    this._offered = new Map();
    /** Spec by action, with what it was made of. @type {Map<string, { of: string | null, spec: ActionSpec | null }>} */
    this._specs = new Map();
    this._listings = 0;
    this._told = false;
    /** Whether the browser has left a listing unanswered for so long that nobody waits for it. */
    this._silent = false;
    this._unwatch = onToolChange(context, () => this._listAgain());
    this._listAgain();
  }

  /** Ends the watching. */
  stop() {
    this._unwatch?.();
  }

  /**
   * At once in a browser that tells of changes, so that the app's own calls stay synchronous. A browser
   * that does not answer holds up the app's own calls for a moment, once.
   *
   * @returns {Eventually<ActionSpec[]>}
   */
  actions() {
    if (this._unwatch !== null || this._silent) return this._present();
    return andThen(this._inTime(this._list()), () => this._present());
  }

  /** A tool has no revision: its writes need none. */
  revision() {
    return null;
  }

  capabilities() {
    return 0;
  }

  /**
   * @param {string} action
   * @param {Record<string, unknown>} input
   * @param {CallContext} call
   * @returns {Promise<Record<string, unknown>>}
   */
  async execute(action, input, call) {
    const tool = this._offered.get(action)?.tool;
    if (tool === undefined) {
      throw new AppError("UNKNOWN_ACTION", "The page has taken this tool back.");
    }
    if (!isObject(input)) {
      const errors = [{ path: "", message: "must be an object" }];
      throw new AppError("INVALID_INPUT", "A tool of the browser takes an object.", { errors });
    }
    const controller = new AbortController();
    const leave = this._powers.every(CANCEL_POLL_MS, () => {
      if (call.cancelRequested()) controller.abort();
    });
    try {
      return toolOutput(await runTool(this._context, tool, native(input), controller.signal));
    } catch (error) {
      // No event tells of a frame that went away with its tools.
      if (!(error instanceof AppError)) this._listAgain();
      throw error;
    } finally {
      leave();
    }
  }

  _present() {
    return [...this._offered.values()]
      .filter(({ tool: { owner, name }, own }) =>
        owner === null
          ? // One that was just taken back is still in the list.
            !own && !this._powers.isOwn(name)
          : !(/** @type {{ closed?: boolean }} */ (owner).closed),
      )
      .map(({ spec }) => spec);
  }

  /**
   * @param {Eventually<void>} listed
   * @returns {Eventually<void>}
   */
  _inTime(listed) {
    if (!isPromiseLike(listed)) return listed;
    return new Promise((resolve) => {
      const late = this._powers.every(LISTING_MS, () => {
        late();
        this._silent = true;
        resolve();
      });
      void Promise.resolve(listed).then(() => {
        late();
        resolve();
      });
    });
  }

  _listAgain() {
    const listed = this._list();
    if (isPromiseLike(listed)) void Promise.resolve(listed);
  }

  /** @returns {Eventually<void>} Never rejects or throws: where the list is refused, there is no tool. */
  _list() {
    const listing = ++this._listings;
    const take = (/** @type {BrowserTool[]} */ tools) => {
      this._silent = false;
      if (listing === this._listings) this._take(tools);
    };
    const refused = (/** @type {unknown} */ error) => {
      take([]);
      this._warnOnce(error);
    };
    try {
      const tools = listTools(this._context, this._powers.view);
      if (isPromiseLike(tools)) return Promise.resolve(tools).then(take).catch(refused);
      take(tools);
    } catch (error) {
      refused(error);
    }
  }

  /** @param {unknown} error */
  _warnOnce(error) {
    if (this._told) return;
    this._told = true;
    this._powers.warn(`The browser does not list this page's tools: ${String(error)}`);
  }

  /** @param {BrowserTool[]} tools */
  _take(tools) {
    this._offered = new Map();
    for (const tool of tools) {
      const action = this._names.of(tool.owner ?? this, tool.name);
      const spec = this._spec(action, tool);
      const own = tool.owner === null && this._powers.isOwn(tool.name);
      if (spec !== null) this._offered.set(action, { tool, spec, own });
    }
  }

  /**
   * @param {string} action
   * @param {BrowserTool} tool
   * @returns {ActionSpec | null} Null for a tool that cannot be an action.
   */
  _spec(action, tool) {
    const { description, inputSchema, outputSchema, readOnly, untrusted } = tool;
    const of = textOf([description, inputSchema, outputSchema, readOnly, untrusted]);
    const known = this._specs.get(action);
    if (known?.of === of) return known.spec;
    let spec = null;
    try {
      if (of === null) throw new TypeError("its schemas are not JSON");
      spec = specOf(action, tool);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      this._powers.warn(`The tool ${tool.name} of this page is not offered as an action: ${why}`);
    }
    this._specs.set(action, { of, spec });
    return spec;
  }
}

/**
 * @param {string} action
 * @param {BrowserTool} tool
 * @returns {ActionSpec}
 * @throws {Error} For a schema that is none, or that our validator does not take.
 */
function specOf(action, tool) {
  // A page may write half a character, and one such description would spoil the app's whole list.
  const said = tool.description
    .slice(0, MAX_DESCRIPTION_CHARS)
    .replace(/[\uD800-\uDBFF]$/, "")
    .replace(/\p{Surrogate}/gu, "\uFFFD");
  const description = tool.untrusted ? `${said} ${UNTRUSTED}` : said;
  const options = {
    inputSchema: schemaOf(tool.inputSchema),
    // What a tool gives that is no object is put into one, so that a schema for it would not fit.
    outputSchema: isObjectSchema(tool.outputSchema) ? tool.outputSchema : { type: "object" },
  };
  return tool.readOnly
    ? ActionSpec.read(action, description, options)
    : ActionSpec.write(action, description, options);
}

/**
 * @param {unknown} value
 * @returns {string | null} Null for what has no text as JSON.
 */
function textOf(value) {
  try {
    return JSON.stringify(value);
  } catch {
    return null;
  }
}

/**
 * @param {unknown} schema
 * @returns {Record<string, unknown>}
 */
function schemaOf(schema) {
  if (schema === undefined) return { type: "object" };
  if (!isObject(schema)) throw new TypeError("its input schema is no object");
  return schema;
}

/**
 * @param {unknown} schema
 * @returns {schema is Record<string, unknown>}
 */
function isObjectSchema(schema) {
  return isObject(schema) && schema["type"] === "object";
}

/**
 * The input with the browser's own numbers, as it would have read them itself.
 *
 * @param {unknown} input
 * @returns {any}
 */
function native(input) {
  return JSON.parse(stringify(input));
}
