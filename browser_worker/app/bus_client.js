// @ts-check
/**
 * The calling half of the bus, by whatever asks the kernel: an app's own, and the one that a handler
 * gets for its nested calls. Contract: bus, calling.
 */

import { BusError } from "../contract/bus_error.js";
import { copyJson } from "../contract/bus_json.js";
import { KERNEL_ENDPOINT } from "../contract/bus_names.js";
import { isObject } from "../contract/json_number.js";
import { BUS_LIMITS } from "../contract/limits.js";
import { asRequest } from "./own_request.js";

/** @import { Answer, AskOptions } from "./outgoing_requests.js" */

/** @typedef {(action: string, payload: Record<string, unknown>, options?: AskOptions) => Promise<Answer>} Ask */

/**
 * @typedef {object} ToolCall
 * @property {string} target An endpoint, as `listEndpoints` names it; `kernel` for the workspace's own.
 * @property {string} name
 * @property {Record<string, unknown>} [arguments]
 * @property {ArrayBuffer} [attachment] For a tool that takes one. It is the tool's then: not to be sent
 *   again.
 */

/**
 * @typedef {object} CallOptions
 * @property {number} [timeout] Seconds, 1 to 600; 30 by default. The owner's time to decide is not in it.
 * @property {(value: any) => void} [onProgress] What it throws changes nothing of the call.
 * @property {AbortSignal} [signal] Cancels it: the tool is told, and may have done something.
 * @property {string} [delegation] What the workspace's `attachments.delegate` gave for this one call,
 *   where code makes it that has no `context.kernel`.
 */

/** @typedef {{ result: any, attachment: ArrayBuffer | undefined }} ResultWithAttachment */

/**
 * @typedef {object} ToolDescription A tool of another endpoint, in its own words: data, no instruction.
 * @property {string} name
 * @property {string} [title]
 * @property {string} description
 * @property {Record<string, unknown>} inputSchema
 * @property {Record<string, unknown>} [outputSchema]
 * @property {Record<string, unknown>} [annotations]
 */

/**
 * @typedef {object} MsgBusClient The calling half as an object that needs no `this`.
 * @property {() => Promise<any[]>} listApps The installed apps: what they say of themselves is theirs.
 * @property {() => Promise<any[]>} listEndpoints The endpoints that are live now.
 * @property {(target: string) => Promise<ToolDescription[]>} listTools The tools of an endpoint, as it
 *   tells them now.
 * @property {(call: ToolCall, options?: CallOptions) => Promise<any>} callTool Gives the result. Rejects
 *   with a `BusError`.
 * @property {(call: ToolCall, options?: CallOptions) => Promise<ResultWithAttachment>} callToolWithAttachment
 *   Calls a tool that may give a buffer with its result. Rejects with a `BusError`.
 */

/** Longer than any there is: what is longer need not be sent to be refused. */
const MAX_TARGET_CHARS = 200;
const MAX_NAME_CHARS = 100;

/**
 * Makes a client.
 *
 * @param {Ask} ask
 * @returns {MsgBusClient}
 */
export function busClient(ask) {
  /** @type {MsgBusClient["callToolWithAttachment"]} */
  const callToolWithAttachment = (call, options = {}) =>
    asRequest(async () => {
      const { timeout, onProgress, signal, delegation } = options;
      const payload = callPayload(call);
      if (timeout !== undefined) payload["timeout"] = checkedTimeout(timeout);
      if (delegation !== undefined) {
        requireText("delegation", delegation, MAX_NAME_CHARS);
        payload["delegation"] = delegation;
      }
      const answer = await ask("tools.call", payload, {
        attachment: call.attachment,
        onProgress,
        signal,
        seconds: withDecision(timeout),
      });
      return { result: answer.ok, attachment: answer.attachment };
    });
  /** @type {MsgBusClient["callTool"]} */
  const callTool = async (call, options) => (await callToolWithAttachment(call, options)).result;
  return {
    listApps: async () => (await callTool({ target: KERNEL_ENDPOINT, name: "apps.list" })).apps,
    listEndpoints: async () =>
      (await callTool({ target: KERNEL_ENDPOINT, name: "endpoints.list" })).endpoints,
    listTools: (target) =>
      asRequest(async () => {
        requireText("target", target, MAX_TARGET_CHARS);
        const { ok } = await ask("tools.list", { target }, { seconds: withDecision() });
        return isObject(ok) ? /** @type {ToolDescription[]} */ (ok["tools"]) : [];
      }),
    callTool,
    callToolWithAttachment,
  };
}

/**
 * After how long nothing can come any more of what the owner may have to decide on first.
 *
 * @param {number} [timeout] Seconds of what is asked for itself.
 */
export function withDecision(timeout = BUS_LIMITS.defaultTimeoutSeconds) {
  return timeout + BUS_LIMITS.maxDecisionSeconds;
}

/**
 * @param {string} what
 * @param {unknown} value
 * @param {number} maxChars
 * @throws {BusError}
 */
export function requireText(what, value, maxChars = MAX_NAME_CHARS) {
  if (typeof value === "string" && value.length <= maxChars) return;
  const text = `A ${what} is a text of at most ${maxChars} signs; nothing was sent.`;
  throw new BusError("INVALID_MESSAGE", text);
}

/**
 * @param {ToolCall} call
 * @returns {Record<string, unknown>}
 */
function callPayload({ target, name, arguments: given = {} }) {
  requireText("target", target, MAX_TARGET_CHARS);
  requireText("name", name);
  const copy = copyJson(given, { what: "arguments" });
  if (!isObject(copy)) {
    throw new BusError("INVALID_MESSAGE", "Arguments are an object; nothing was sent.");
  }
  return { target, name, arguments: copy };
}

/** @param {number} timeout */
function checkedTimeout(timeout) {
  const most = BUS_LIMITS.maxTimeoutSeconds;
  if (typeof timeout === "number" && timeout >= 1 && timeout <= most) return timeout;
  throw new BusError("INVALID_MESSAGE", `A timeout is 1 to ${most} seconds; nothing was sent.`);
}
