// @ts-check
/** Offers the tools that a page has registered with its browser as actions of a dispatcher. */

import { addHost } from "../dispatcher/added_hosts.js";
import { findModelContext, offersTools } from "./model_context.js";
import { ownTools } from "./own_tools.js";
import { ToolHost } from "./tool_host.js";

/** @import { Dispatcher } from "../dispatcher/dispatcher.js" */
/** @import { ModelContextLike } from "./model_context.js" */

/**
 * @typedef {object} OfferOptions
 * @property {ModelContextLike | null} [modelContext] The browser's `document.modelContext`, or what stands
 *   for it; found by itself by default.
 * @property {(message: string) => void} [warn] Told of a tool that cannot be offered; the console by
 *   default.
 */

/**
 * Offers the browser's tools as actions named `webmcp.` and the tool's name, behind the dispatcher's
 * own, as they come and go. A tool that says that it only reads is a read; any other is a write without a
 * revision. Whoever registers a tool, a script of somebody else's too, offers it to who may call the
 * dispatcher. Where the browser has no such tools, nothing happens. Contract: the dispatcher.
 *
 * @param {Dispatcher} dispatcher
 * @param {OfferOptions} [options]
 * @returns {() => void} Takes them away again. Running calls end as they would have.
 */
export function offerModelContextTools(
  dispatcher,
  {
    modelContext = findModelContext(),
    warn = (message) => console.warn(`Bascule: ${message}`),
  } = {},
) {
  if (modelContext === null || !offersTools(modelContext)) return () => {};
  const own = ownTools(modelContext);
  const host = new ToolHost(modelContext, { warn, every, isOwn: (name) => own.has(name) });
  const remove = addHost(dispatcher, host);
  return () => {
    remove();
    host.stop();
  };
}

/**
 * @param {number} milliseconds
 * @param {() => void} callback
 */
function every(milliseconds, callback) {
  const timer = setInterval(callback, milliseconds);
  return () => clearInterval(timer);
}
