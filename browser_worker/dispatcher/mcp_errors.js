// @ts-check
/**
 * Errors of tools for a model that sees nothing but the tools: what to do, by the error's code. A code
 * that refuses a call says, whoever throws it, that nothing was done. Words only: what an error is,
 * and the line that tells it, are made elsewhere. Contract: MCP, errors of tools.
 */

import { isObject } from "../contract/json_number.js";
import { clipped } from "./clipped_text.js";

/** @import { WireError } from "./app_error.js" */

/** What to do, for each code that a tool's error can have. @type {Readonly<Record<string, string>>} */
export const HINTS = Object.freeze({
  DISABLED:
    "Nothing was run. Only the person at the app can let calls in again: in a page by Resume in Bascule's panel. Ask them to.",
  UNKNOWN_ACTION: "Nothing was run. Find its exact name with actions_search.",
  INVALID_INPUT:
    "Nothing was run. Ask actions_describe for the action's inputSchema, and call again with an input that matches it.",
  INVALID_OUTPUT:
    "An action that was called has run: do not repeat it. Look with state_inspect what it did. The fault is the app's own.",
  CAPABILITY_REQUIRED:
    "Nothing was run. Only the person at the app can give it this capability. actions_search shows what there is besides.",
  UNAVAILABLE:
    "Nothing was run. Try again when the reason is gone, which the person may have to see to. actions_search tells what can run now.",
  REVISION_REQUIRED:
    "Nothing was run. Give expectedRevision: actions_describe tells the revision that this action expects.",
  STALE_REVISION:
    "Nothing was done. Look with state_inspect what has changed, decide anew, and give the revision that you read then; actions_describe tells it as well.",
  TRANSACTION_UNSUPPORTED:
    "Nothing was run. Leave this action out of the atomic batch, or call actions_batch without atomic.",
  TRANSACTION_DOMAIN:
    "Nothing was run. actions_describe tells the transaction domain of each action: make one atomic batch of each, or call actions_batch without atomic.",
  DEFERRED_IN_TRANSACTION: "Run this action by itself, with actions_execute.",
  ROLLED_BACK:
    "Everything that the batch had done is undone. data.index says which call failed, from 0, and data.cause why: mend that call and send the batch again.",
  UNKNOWN_TASK:
    "Tasks are forgotten some time after their end, and all of them when the app starts anew. Look with state_inspect whether the work was done.",
  UNKNOWN_RESOURCE:
    "Nothing was read. Give the URI exactly as the app gave it; an old one may be gone: have the app make it again.",
  LIMIT_EXCEEDED:
    "An action that was called may have run: look with state_inspect before you call it again. Ask for less at once.",
  UNSUPPORTED_PROTOCOL_VERSION:
    "Nothing was run. The app and this bridge are of different versions: ask the person to update them.",
  SESSION_LIMIT:
    "Nothing was run. Try again in a moment. If it stays so, ask the person to close other clients of the app.",
  HOST_ERROR:
    "Look with state_inspect what was done before you try again: to repeat it may do it twice.",
  INVALID_PARAMS: "Nothing was run. Mend the arguments by the inputSchema of the tool.",
});

const NO_INSPECTION =
  "Nothing was read. Find actions of kind read with actions_search, and look by those.";
const NO_PICTURES = "This app draws no pictures of itself: it has no action ui.render.";
const LOOK_OTHERWISE = "Nothing was run. Look with state_inspect instead.";
const MAX_TOLD_VIOLATIONS = 3;
/** Of an error that is told whole elsewhere: clients show a model a few thousand of a text. */
const MAX_SHORT_CHARS = 2_000;

/**
 * A nested error with a hint what to do. A hint of the app's own stays as it is.
 *
 * @param {WireError} error
 * @param {string} [tool] The one that failed, where it is known.
 * @returns {WireError} Never throws.
 */
export function forModel(error, tool) {
  try {
    return withHint(error, tool);
  } catch {
    // An app's own data may do anything when it is read.
    return error;
  }
}

/**
 * A tool's result with hints in the errors within: of calls, and of a task.
 *
 * @param {string} tool
 * @param {Record<string, unknown>} result
 * @returns {Record<string, unknown>}
 */
export function resultForModel(tool, result) {
  if (tool === "actions_batch" && Array.isArray(result["results"])) {
    return { ...result, results: result["results"].map(itemForModel) };
  }
  if (tool === "task_status" || tool === "task_cancel") {
    return { ...result, task: itemForModel(result["task"]) };
  }
  return result;
}

/**
 * What is to be read of an error: its message, the first violations, and the hint.
 *
 * @param {WireError} error
 * @returns {string}
 */
export function errorText({ message, data }) {
  const violations = Array.isArray(data?.["errors"]) ? data["errors"] : [];
  const told = violations.slice(0, MAX_TOLD_VIOLATIONS).flatMap(violation);
  const hint = data?.["hint"];
  return [message, ...told, ...(typeof hint === "string" ? [hint] : [])].join("\n");
}

/**
 * An error's code and the beginning of `errorText`.
 *
 * @param {WireError} error
 * @param {number} maxBytes As JSON.
 * @returns {string}
 */
export function shortErrorText(error, maxBytes) {
  const code = error.data?.["code"];
  const named = typeof code === "string" ? `${code}: ` : "";
  return clipped(`${named}${errorText(error)}`, MAX_SHORT_CHARS, maxBytes);
}

/**
 * @param {WireError} error
 * @param {string | undefined} tool
 * @returns {WireError}
 */
function withHint(error, tool) {
  const { data } = error;
  const code = data?.["code"];
  if (data === undefined || typeof code !== "string" || !Object.hasOwn(HINTS, code)) return error;
  const drawsNone = code === "UNKNOWN_ACTION" && tool === "view_render";
  let { message } = error;
  if (drawsNone) message = NO_PICTURES;
  if (code === "INVALID_PARAMS") message = message.replace(/^params\./, "arguments.");
  /** @type {Record<string, unknown>} */
  const told = { ...data };
  if (code === "ROLLED_BACK" && isObject(told["cause"])) {
    told["cause"] = forModel(/** @type {WireError} */ (/** @type {unknown} */ (told["cause"])));
  }
  if (!Object.hasOwn(told, "hint")) {
    told["hint"] = drawsNone ? LOOK_OTHERWISE : hintFor(code, data);
  }
  return { ...error, message, data: told };
}

/**
 * @param {string} code
 * @param {Record<string, unknown>} data
 */
function hintFor(code, data) {
  const availability = data["availability"];
  const looks = isObject(availability) && availability["code"] === "NO_INSPECTION";
  return looks ? NO_INSPECTION : HINTS[code];
}

/**
 * @param {unknown} item Of a result, as it was made.
 * @returns {unknown}
 */
function itemForModel(item) {
  if (!isObject(item) || !isObject(item["error"])) return item;
  return {
    ...item,
    error: forModel(/** @type {WireError} */ (/** @type {unknown} */ (item["error"]))),
  };
}

/**
 * @param {unknown} each
 * @returns {string[]}
 */
function violation(each) {
  if (!isObject(each)) return [];
  const { path, message } = each;
  if (typeof path !== "string" || typeof message !== "string") return [];
  return [path === "" ? message : `${path}: ${message}`];
}
