// @ts-check
/**
 * Tools that the trusted page itself offers on the bus, by dotted names; each makes its own checks of
 * who calls. Contract: bus, kernel tools.
 */

import { BusError, problemsData } from "../../contract/bus_error.js";
import { copyJson } from "../../contract/bus_json.js";
import { isKernelToolName } from "../../contract/bus_names.js";
import { compile } from "../../contract/schema.js";

/** @import { Validator } from "../../contract/schema.js" */
/** @import { CallSource } from "../calls/broker.js" */
/** @import { ToolDescriptor } from "./tool_descriptors.js" */

/**
 * @typedef {object} KernelTool
 * @property {Omit<ToolDescriptor, "name">} description
 * @property {(input: any, source: CallSource, signal: AbortSignal) => unknown} run Gives JSON, or a
 *   promise of it. A `BusError` is told to the caller, of anything else only that it failed. The signal
 *   aborts where nobody waits any more.
 * @property {boolean} [needsScope] Whether an app that runs a call of somebody else's has to say so to use
 *   it: true, but for what only looks.
 * @property {boolean} [secret] Whether its result is in no audit.
 * @property {boolean} [asksOwner] Whether it may ask the owner, for which there is time of its own.
 */

/**
 * @typedef {object} Kept
 * @property {ToolDescriptor} descriptor
 * @property {Validator} input
 * @property {KernelTool["run"]} run
 * @property {boolean} needsScope
 * @property {boolean} secret
 * @property {boolean} asksOwner
 */

export class KernelTools {
  constructor() {
    /** @type {Map<string, Kept>} */
    this._tools = new Map();
  }

  /**
   * @param {string} name
   * @param {KernelTool} tool
   * @throws {TypeError} For a name without a dot, or one that is taken.
   */
  add(name, { description, run, needsScope = true, secret = false, asksOwner = false }) {
    if (!isKernelToolName(name)) throw new TypeError(`not a name for a kernel's tool: ${name}`);
    if (this._tools.has(name)) throw new TypeError(`there is a kernel's tool ${name} already`);
    const input = compile(description.inputSchema);
    const descriptor = { name, ...description };
    this._tools.set(name, { descriptor, input, run, needsScope, secret, asksOwner });
  }

  /** @param {string} name Of a tool, or of none. */
  needsScope(name) {
    return this._tools.get(name)?.needsScope ?? false;
  }

  /** @param {string} name Of a tool, or of none. */
  isSecret(name) {
    return this._tools.get(name)?.secret ?? false;
  }

  /** @param {string} name Of a tool, or of none. */
  asksOwner(name) {
    return this._tools.get(name)?.asksOwner ?? false;
  }

  /** @returns {ToolDescriptor[]} */
  descriptors() {
    return [...this._tools.values()].map(({ descriptor }) => descriptor);
  }

  /**
   * @param {string} name
   * @param {Record<string, unknown>} input
   * @param {CallSource} source
   * @param {AbortSignal} signal
   * @returns {Promise<unknown>} Rejects with a `BusError` that can be sent.
   */
  async run(name, input, source, signal) {
    const tool = this._tools.get(name);
    if (tool === undefined) {
      throw new BusError("UNKNOWN_TOOL", `The kernel has no tool ${name.slice(0, 60)}.`);
    }
    const errors = tool.input.errors(input);
    if (errors.length > 0) {
      throw new BusError("INVALID_INPUT", `The arguments are not what ${name} takes.`, {
        data: problemsData(errors),
      });
    }
    try {
      return copyJson(await tool.run(input, source, signal), { what: "result" });
    } catch (error) {
      throw sendable(error, name);
    }
  }
}

/**
 * @param {unknown} error
 * @param {string} name
 */
function sendable(error, name) {
  try {
    if (error instanceof BusError) return BusError.fromWire(copyJson(error.toWire()));
  } catch {
    // Its data is none that can be sent.
  }
  return new BusError("TOOL_FAILED", `${name} failed; it may have done part of it.`);
}
