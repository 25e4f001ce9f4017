// @ts-check
/** Models of the browser's registry of tools, in the shapes that browsers have. */

import { setImmediate } from "node:timers/promises";

/** @typedef {{ signal?: AbortSignal }} Options */

/**
 * @typedef {object} Tool
 * @property {string} name
 * @property {string} description
 * @property {unknown} [inputSchema]
 * @property {unknown} [outputSchema]
 * @property {Record<string, boolean>} [annotations]
 * @property {(input: any, options: { signal: AbortSignal }) => unknown} execute
 */

/** Chromium's: a document's registry that tells of changes; tools run in a task of their own. */
export class ChromiumContext extends EventTarget {
  /** @param {{ text?: boolean }} [shape] Whether schemas and inputs are JSON text, as they were at first. */
  constructor({ text = false } = {}) {
    super();
    this.text = text;
    /** @type {Map<string, { tool: Tool, window: object }>} */
    this.tools = new Map();
    /** How often a tool has begun to run. */
    this.runs = 0;
    this.listings = 0;
  }

  /**
   * @param {Tool} tool
   * @param {Options & { window?: object }} [options] `window`: that of a frame.
   */
  async registerTool(tool, { signal, window = globalThis } = {}) {
    const key = window === globalThis ? tool.name : `frame ${tool.name}`;
    if (this.tools.has(key)) throw new DOMException("Duplicate tool name", "InvalidStateError");
    if (!/^[A-Za-z0-9_.-]{1,128}$/.test(tool.name)) {
      throw new DOMException("Invalid tool name", "InvalidStateError");
    }
    signal?.throwIfAborted();
    this.tools.set(key, { tool, window });
    signal?.addEventListener("abort", () => {
      this.tools.delete(key);
      setImmediate().then(() => this.dispatchEvent(new Event("toolchange")));
    });
    await setImmediate();
    this.dispatchEvent(new Event("toolchange"));
  }

  async getTools() {
    this.listings++;
    const tools = [...this.tools.values()].map(({ tool, window }) => this.listed(tool, window));
    await setImmediate();
    return tools;
  }

  /**
   * @param {Tool} tool
   * @param {object} window
   */
  listed({ name, description, inputSchema, outputSchema, annotations }, window) {
    const readOnlyHint = annotations?.["readOnlyHint"] === true;
    const untrustedContentHint = annotations?.["untrustedContentHint"] === true;
    return {
      name,
      title: "",
      description,
      window,
      origin: "http://127.0.0.1",
      ...(inputSchema === undefined
        ? {}
        : { inputSchema: this.text ? JSON.stringify(inputSchema) : structuredClone(inputSchema) }),
      ...(outputSchema === undefined ? {} : { outputSchema: structuredClone(outputSchema) }),
      ...(annotations === undefined ? {} : { annotations: { readOnlyHint, untrustedContentHint } }),
    };
  }

  /**
   * @param {any} handle
   * @param {unknown} input
   * @param {Options} [options]
   */
  async executeTool(handle, input = {}, { signal } = {}) {
    const passed = this.text ? parsed(String(input)) : input;
    if (typeof passed !== "object" || passed === null)
      throw new TypeError("value is not an object");
    const copy = JSON.parse(JSON.stringify(passed));
    const key = handle.window === globalThis ? handle.name : `frame ${handle.name}`;
    const { tool } = this.tools.get(key) ?? {};
    if (tool === undefined) throw new DOMException("The operation failed", "UnknownError");
    const controller = new AbortController();
    const stopped = new Promise((_resolve, reject) => {
      signal?.addEventListener("abort", () => {
        controller.abort(signal.reason);
        reject(signal.reason);
      });
    });
    await setImmediate();
    this.runs++;
    const answer = (async () => {
      try {
        return await tool.execute(copy, { signal: controller.signal });
      } catch {
        throw new DOMException("Tool was executed but the invocation failed.", "UnknownError");
      }
    })();
    const value = await Promise.race([answer, stopped]);
    return typeof value === "object" && value !== null ? JSON.stringify(value) : String(value);
  }
}

/** @param {string} text */
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    throw new DOMException("Failed to parse input arguments", "UnknownError");
  }
}

/** Firefox's: lists at once, knows no signal and no event, replaces a tool of the same name. */
export class FirefoxContext {
  constructor() {
    /** @type {Map<string, Tool>} */
    this.tools = new Map();
  }

  /** @param {Tool} tool */
  registerTool(tool) {
    this.tools.set(tool.name, tool);
  }

  /** @param {string} name */
  unregisterTool(name) {
    if (!this.tools.delete(name)) throw new DOMException("Tool not found", "NotFoundError");
  }

  getTools() {
    return [...this.tools.values()].map(({ name, description, inputSchema, annotations }) => ({
      name,
      description,
      ...(inputSchema === undefined ? {} : { inputSchema }),
      ...(annotations === undefined ? {} : { annotations }),
      execute: () => {},
    }));
  }

  /**
   * @param {string} name
   * @param {unknown} input
   */
  async invokeTool(name, input = {}) {
    const tool = this.tools.get(name);
    if (tool === undefined) throw new DOMException("Tool not found", "NotFoundError");
    if (typeof input !== "object") throw new TypeError("Input must be an object");
    return tool.execute(input, { signal: new AbortController().signal });
  }
}

/** Every shape, for tests that hold in all. */
export const SHAPES = {
  Chromium: () => new ChromiumContext(),
  "Chromium with text": () => new ChromiumContext({ text: true }),
  Firefox: () => new FirefoxContext(),
};

/** Lets a browser's own tasks run: a listing, a registration, an event. */
export async function settled() {
  for (let turn = 0; turn < 8; turn++) await setImmediate();
}
