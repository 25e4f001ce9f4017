// @ts-check
/**
 * What MCP's messages mean here: revisions, reserved keys, error numbers, and the first checks.
 * The twin of `bridge/contract/mcp_messages.py`.
 *
 * Both revisions are told apart by each message alone. Knows no tool and no app. Contract: MCP.
 */

import { JSON_RPC_ERROR } from "./error_codes.js";
import { JsonNumber, isObject } from "./json_number.js";

export const MODERN = "2026-07-28";
export const LEGACY = "2025-11-25";
/** Answered to an `initialize` only where somebody asked for it. */
export const OLDER = "2025-06-18";
export const SUPPORTED = Object.freeze([MODERN, LEGACY]);

export const META_PROTOCOL_VERSION = "io.modelcontextprotocol/protocolVersion";
export const META_CLIENT_CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";
export const META_CLIENT_INFO = "io.modelcontextprotocol/clientInfo";
export const META_LOG_LEVEL = "io.modelcontextprotocol/logLevel";
export const META_SERVER_INFO = "io.modelcontextprotocol/serverInfo";
const NEEDED = `${META_PROTOCOL_VERSION} and ${META_CLIENT_CAPABILITIES}`;

export const INITIALIZE = "initialize";
const DISCOVER = "server/discover";
/** The methods that need an app. */
export const LATER_METHODS = Object.freeze(
  new Set(["tools/call", "resources/list", "resources/templates/list", "resources/read"]),
);
export const MODERN_METHODS = Object.freeze(new Set([...LATER_METHODS, DISCOVER, "tools/list"]));
export const LEGACY_METHODS = Object.freeze(
  new Set([...LATER_METHODS, INITIALIZE, "ping", "tools/list"]),
);

const LOG_LEVELS = new Set([
  "debug",
  "info",
  "notice",
  "warning",
  "error",
  "critical",
  "alert",
  "emergency",
]);

/** @typedef {"modern" | "legacy"} Era Which of the two kinds of revision a message is of. */

/** The numbers that MCP adds to those of JSON-RPC. */
export const MCP_ERROR = Object.freeze({
  /** In the legacy revision only; the modern one has invalid params for it. */
  RESOURCE_NOT_FOUND: -32002,
  /** Over HTTP only. */
  HEADER_MISMATCH: -32020,
  MISSING_CAPABILITY: -32021,
  UNSUPPORTED_PROTOCOL_VERSION: -32022,
});

/**
 * @typedef {object} Refusal Why a request is not taken: a JSON-RPC error.
 * @property {number} number
 * @property {string} message
 * @property {Record<string, unknown>} [data]
 */

/** @typedef {Record<string, unknown>} Params */

/**
 * Says whether a request is one of MCP, and of no other protocol: by its envelope or method.
 *
 * @param {string} method
 * @param {Params} params
 * @returns {boolean}
 */
export function selectsMcp(method, params) {
  return method === INITIALIZE || eraOf(method, params) === "modern";
}

/**
 * Says by which rules a message is read. Nothing is remembered from an earlier one.
 *
 * @param {string} method
 * @param {Params} params
 * @returns {Era}
 */
export function eraOf(method, params) {
  const meta = own(params, "_meta");
  const enveloped =
    isObject(meta) &&
    (Object.hasOwn(meta, META_PROTOCOL_VERSION) || Object.hasOwn(meta, META_CLIENT_CAPABILITIES));
  return method === DISCOVER || enveloped ? "modern" : "legacy";
}

/**
 * Checks that a modern request has what every one has. The first of the checks.
 *
 * @param {Params} params
 * @returns {Refusal | undefined}
 */
export function metaRefusal(params) {
  const meta = own(params, "_meta");
  if (!isObject(meta)) return invalidParams(`params._meta must be an object with ${NEEDED}`);
  if (
    !Object.hasOwn(meta, META_PROTOCOL_VERSION) ||
    !Object.hasOwn(meta, META_CLIENT_CAPABILITIES)
  ) {
    return invalidParams(`params._meta must have ${NEEDED}`);
  }
  if (!isObject(meta[META_CLIENT_CAPABILITIES])) {
    return invalidParams(`params._meta: ${META_CLIENT_CAPABILITIES} must be an object`);
  }
  return undefined;
}

/**
 * Checks the revision of a modern request, after `metaRefusal`.
 *
 * @param {Params} params
 * @returns {Refusal | undefined}
 */
export function versionRefusal(params) {
  const version = own(metaOf(params), META_PROTOCOL_VERSION);
  if (typeof version !== "string") {
    return invalidParams(`params._meta: ${META_PROTOCOL_VERSION} must be a string`);
  }
  if (version === MODERN) return undefined;
  return {
    number: MCP_ERROR.UNSUPPORTED_PROTOCOL_VERSION,
    message: "This revision is not served; see supported.",
    data: { supported: [...SUPPORTED], requested: version },
  };
}

/**
 * Checks that there is such a method.
 *
 * @param {string} method
 * @param {Era} era
 * @returns {Refusal | undefined}
 */
export function methodRefusal(method, era) {
  const known = era === "modern" ? MODERN_METHODS : LEGACY_METHODS;
  if (known.has(method)) return undefined;
  const number = JSON_RPC_ERROR.METHOD_NOT_FOUND;
  return { number, message: "No such method in this revision of MCP." };
}

/**
 * Checks the members of `_meta` that any request may have. The last of the common checks.
 *
 * @param {Params} params
 * @param {Era} era
 * @returns {Refusal | undefined}
 */
export function shapeRefusal(params, era) {
  if (!Object.hasOwn(params, "_meta")) return undefined;
  const meta = params["_meta"];
  if (!isObject(meta)) return invalidParams("params._meta must be an object");
  if (Object.hasOwn(meta, "progressToken") && progressToken(params) === undefined) {
    return invalidParams("params._meta.progressToken must be a string or an integer");
  }
  const level = own(meta, META_LOG_LEVEL);
  if (era === "modern" && level !== undefined && !LOG_LEVELS.has(/** @type {string} */ (level))) {
    return invalidParams(`params._meta: ${META_LOG_LEVEL} must be a level of syslog`);
  }
  return undefined;
}

/** @typedef {string | number | bigint | JsonNumber} ProgressToken With the token of its number. */

/**
 * The token by which a request asks to be told of its progress.
 *
 * @param {Params} params
 * @returns {ProgressToken | undefined}
 */
export function progressToken(params) {
  const token = own(metaOf(params), "progressToken");
  if (typeof token === "string") return token;
  const plain = token instanceof JsonNumber ? token.toPlain() : token;
  return typeof plain === "bigint" || Number.isInteger(plain)
    ? /** @type {number | bigint | JsonNumber} */ (token)
    : undefined;
}

/** @param {Params} params */
function metaOf(params) {
  const meta = own(params, "_meta");
  return isObject(meta) ? meta : {};
}

/**
 * @param {Params} params
 * @param {string} name
 */
function own(params, name) {
  return Object.hasOwn(params, name) ? params[name] : undefined;
}

/**
 * @param {string} message
 * @returns {Refusal}
 */
function invalidParams(message) {
  return { number: JSON_RPC_ERROR.INVALID_PARAMS, message };
}
