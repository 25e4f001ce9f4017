// @ts-check
/**
 * Errors that become JSON-RPC errors. Everything else that is thrown becomes `HOST_ERROR`
 * without its text, in one place: `toWireError`.
 */

import { APP_ERROR, JSON_RPC_ERROR } from "../contract/error_codes.js";
import { JSON_LIMITS } from "../contract/limits.js";
import { parse, stringify } from "../contract/strict_json.js";

/** @import { AppErrorCode } from "../contract/error_codes.js" */
/** @import { StrictJsonError } from "../contract/strict_json.js" */

/** @typedef {{ code: number, message: string, data?: Record<string, unknown> }} WireError */

/** An application error of the closed set, with the members that its row of the table has. */
export class AppError extends Error {
  /**
   * @param {AppErrorCode} code
   * @param {string} message What happened and what to do, for a person.
   * @param {Record<string, unknown>} [data] Members beside `code`.
   * @throws {TypeError} For a code that is not in the set.
   */
  constructor(code, message, data = {}) {
    if (!Object.hasOwn(APP_ERROR, code)) throw new TypeError(`no application error: ${code}`);
    super(message);
    this.name = "AppError";
    this.code = code;
    this.data = data;
  }
}

/** An error of JSON-RPC itself: a bad line, request, method or parameter. */
export class RpcError extends Error {
  /**
   * @param {keyof typeof JSON_RPC_ERROR} kind
   * @param {string} message
   */
  constructor(kind, message) {
    super(message);
    this.name = "RpcError";
    this.kind = kind;
  }
}

/**
 * The code that an error of the contract has, or undefined for what a host threw. Even a thrown
 * Proxy whose traps throw is only the latter.
 *
 * @param {unknown} error
 * @returns {string | undefined}
 */
export function contractCode(error) {
  try {
    if (error instanceof AppError && Object.hasOwn(APP_ERROR, error.code)) return error.code;
    if (error instanceof RpcError && Object.hasOwn(JSON_RPC_ERROR, error.kind)) return error.kind;
  } catch {
    // Not one of ours.
  }
  return undefined;
}

/** @type {WireError} */
const HOST_ERROR = Object.freeze({
  code: APP_ERROR.HOST_ERROR,
  message: "The app failed while it handled this call; it may have done part of it.",
  data: Object.freeze({ code: "HOST_ERROR" }),
});

/** What an error may hold, so that the line around it, its id included, stays within the limits. */
const ERROR_LIMITS = Object.freeze({
  ...JSON_LIMITS,
  maxEncodedBytes: JSON_LIMITS.maxEncodedBytes - 4_096,
  maxDepth: JSON_LIMITS.maxDepth - 1,
  maxValues: JSON_LIMITS.maxValues - 3,
});

/** What an error may hold that stands inside a result, or inside another error. */
const NESTED_LIMITS = Object.freeze({ ...ERROR_LIMITS, maxDepth: JSON_LIMITS.maxDepth - 5 });

/**
 * The same as `toWireError`, always fit to be sent inside a result: an error that cannot be written
 * keeps its code, and one that cannot even be read is `HOST_ERROR`.
 *
 * @param {unknown} error
 * @returns {WireError} Plain data of its own.
 */
export function sendableError(error) {
  try {
    const whole = toWireError(error);
    try {
      return parse(stringify(whole, NESTED_LIMITS));
    } catch {
      return {
        code: whole.code,
        message: "The error cannot be told in full.",
        ...(whole.data === undefined ? {} : { data: { code: whole.data["code"] } }),
      };
    }
  } catch {
    return HOST_ERROR;
  }
}

/**
 * The same as JSON text, without fail.
 *
 * @param {unknown} error
 * @returns {string}
 */
export function wireErrorText(error) {
  try {
    return stringify(toWireError(error), ERROR_LIMITS);
  } catch {
    return stringify(sendableError(error));
  }
}

/**
 * Makes of anything thrown what may be sent. No text of an unknown exception leaks.
 *
 * @param {unknown} error
 * @returns {WireError}
 */
export function toWireError(error) {
  if (error instanceof AppError && Object.hasOwn(APP_ERROR, error.code)) {
    return {
      code: APP_ERROR[error.code],
      message: error.message,
      data: { ...error.data, code: error.code },
    };
  }
  if (error instanceof RpcError && Object.hasOwn(JSON_RPC_ERROR, error.kind)) {
    return { code: JSON_RPC_ERROR[error.kind], message: error.message };
  }
  return HOST_ERROR;
}

/**
 * Says which application error a refusal of the JSON writer or reader is.
 *
 * @param {StrictJsonError} error
 * @returns {AppError}
 */
export function limitExceeded(error) {
  return new AppError("LIMIT_EXCEEDED", `Over the limit ${error.limit} of ${error.maximum}.`, {
    limit: error.limit,
    maximum: error.maximum,
  });
}
