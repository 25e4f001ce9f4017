// @ts-check
/**
 * The browser's own registry of a page's tools, `document.modelContext`, in the shapes that browsers
 * have given it so far. Its shape still moves: every member is looked for before it is used, and this
 * is the only module that knows them. No polyfill.
 */

import { andThen } from "../dispatcher/eventually.js";

/** @import { Eventually } from "../dispatcher/eventually.js" */

/**
 * @typedef {object} ModelContextLike What has been seen of it. Chromium has `getTools`, `executeTool` and
 *   events; Firefox has `getTools`, `invokeTool` and `unregisterTool`.
 * @property {(tool: any, options?: any) => unknown} [registerTool]
 * @property {(name: any) => unknown} [unregisterTool]
 * @property {() => Eventually<readonly any[]>} [getTools]
 * @property {(tool: any, input: any, options?: any) => unknown} [executeTool]
 * @property {(name: any, input: any) => unknown} [invokeTool]
 * @property {(type: "toolchange", listener: () => void) => void} [addEventListener]
 * @property {(type: "toolchange", listener: () => void) => void} [removeEventListener]
 */

/**
 * @typedef {object} BrowserTool A tool as the browser lists it, whatever the shape.
 * @property {string} name Unique in its document only.
 * @property {string} description Never empty.
 * @property {unknown} inputSchema Undefined where it says nothing.
 * @property {unknown} outputSchema
 * @property {boolean} readOnly
 * @property {boolean} untrusted Its output may hold text that the page does not vouch for.
 * @property {object | null} owner The window of its document; null for this one.
 * @property {object} handle What the browser gave: what it takes to run the tool.
 */

/**
 * Finds the registry of this page.
 *
 * @param {any} [scope] The window.
 * @returns {ModelContextLike | null} Null in a browser without one.
 */
export function findModelContext(scope = globalThis) {
  // The navigator's came first; where both are there, using it is told in the console.
  for (const holder of [scope.document, scope.navigator]) {
    const found = holder?.modelContext;
    if (typeof found === "object" && found !== null) return found;
  }
  return null;
}

/**
 * Whether the tools can be listed and run by the page itself.
 *
 * @param {ModelContextLike} context
 */
export function offersTools({ getTools, executeTool, invokeTool }) {
  return (
    typeof getTools === "function" &&
    (typeof executeTool === "function" || typeof invokeTool === "function")
  );
}

/**
 * Lists the tools of this page and of the frames that it may see.
 *
 * @param {ModelContextLike} context
 * @param {object} [view] This page's window.
 * @returns {Eventually<BrowserTool[]>} Those of this document first. Rejects or throws where a policy
 *   forbids it.
 */
export function listTools(context, view = globalThis) {
  return andThen(context.getTools?.() ?? [], (handles) => {
    const tools = [...handles]
      .map((handle) => readTool(handle, view))
      .filter((tool) => tool !== null);
    return [...tools.filter(({ owner }) => owner === null), ...tools.filter(({ owner }) => owner)];
  });
}

/**
 * @param {any} handle
 * @param {object} view
 * @returns {BrowserTool | null} Null for what is no tool, and for what cannot be read: the others stay.
 */
function readTool(handle, view) {
  try {
    return readMembers(handle, view);
  } catch {
    return null;
  }
}

/**
 * @param {any} handle
 * @param {object} view
 * @returns {BrowserTool | null}
 */
function readMembers(handle, view) {
  const { name, title, description, annotations } = handle;
  if (typeof name !== "string" || name === "") return null;
  const owner = handle.source ?? handle.window ?? null;
  return {
    name,
    description: [description, title, name].find((text) => typeof text === "string" && text !== ""),
    inputSchema: readSchema(handle.inputSchema),
    outputSchema: readSchema(handle.outputSchema),
    readOnly: annotations?.readOnlyHint === true,
    untrusted: annotations?.untrustedContentHint === true,
    owner: owner === view ? null : owner,
    handle,
  };
}

/**
 * Some browsers give a schema as text.
 *
 * @param {unknown} schema
 * @returns {unknown}
 */
function readSchema(schema) {
  if (schema === null || schema === undefined || schema === "") return undefined;
  if (typeof schema !== "string") return schema;
  try {
    return JSON.parse(schema);
  } catch {
    return schema;
  }
}

/**
 * Runs a tool.
 *
 * @param {ModelContextLike} context
 * @param {BrowserTool} tool
 * @param {Record<string, unknown>} input Plain data of the caller's own: it may be marked.
 * @param {AbortSignal} [signal] Asks the tool to stop, where the browser passes that on.
 * @returns {Promise<unknown>} What the browser made of the tool's answer: often JSON as text.
 */
export async function runTool(context, tool, input, signal) {
  if (typeof context.executeTool !== "function") return context.invokeTool?.(tool.name, input);
  return context.executeTool(
    tool.handle,
    readableAsText(input),
    signal === undefined ? {} : { signal },
  );
}

/**
 * Some browsers take the input as an object, others as JSON text, and trying one after the other could
 * run a tool twice. So the object reads as its own JSON where text is wanted.
 *
 * @param {Record<string, unknown>} input
 */
function readableAsText(input) {
  if (Object.hasOwn(input, "toString")) return input;
  return Object.defineProperty(input, "toString", { value: () => JSON.stringify(input) });
}

/**
 * Watches for tools that come and go.
 *
 * @param {ModelContextLike} context
 * @param {() => void} callback
 * @returns {(() => void) | null} Ends the watching; null in a browser that does not tell.
 */
export function onToolChange(context, callback) {
  if (typeof context.addEventListener !== "function") return null;
  context.addEventListener("toolchange", callback);
  return () => context.removeEventListener?.("toolchange", callback);
}

/**
 * Registers a tool until the signal says otherwise.
 *
 * @param {ModelContextLike} context
 * @param {{ name: string, [member: string]: unknown }} tool
 * @param {AbortSignal} signal
 * @returns {Promise<void>} Rejects where the browser refuses it.
 */
export async function registerTool(context, tool, signal) {
  await context.registerTool?.(tool, { signal });
  if (typeof context.unregisterTool !== "function") return;
  // Such a browser knows no signal, or both: then there is nothing left to take back.
  const unregister = async () => {
    try {
      await context.unregisterTool?.(tool.name);
    } catch {
      // It is gone.
    }
  };
  if (signal.aborted) await unregister();
  else signal.addEventListener("abort", unregister, { once: true });
}
