// @ts-check
/**
 * Errors that become JSON-RPC errors. Everything else that is thrown becomes `HOST_ERROR`
 * without its text, in one place: `toWireError`.
 */

import { APP_ERROR, JSON_RPC_ERROR } from "../contract/error_codes.js";

/** @import { AppErrorCode } from "../contract/error_codes.js" */
/** @import { StrictJsonError } from "../contract/strict_json.js" */

/** @typedef {{ code: number, message: string, data?: Record<string, unknown> }} WireError */

/** An application error of the closed set, with the members that its row of the table has. */
export class AppError extends Error {
  /**
   * @param {AppErrorCode} code
   * @param {string} message What happened and what to do, for a person.
   * @param {Record<string, unknown>} [data] Members beside `code`.
   */
  constructor(code, message, data = {}) {
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
 * Makes of anything thrown what may be sent. No text of an unknown exception leaks.
 *
 * @param {unknown} error
 * @returns {WireError}
 */
export function toWireError(error) {
  if (error instanceof AppError) {
    return {
      code: APP_ERROR[error.code],
      message: error.message,
      data: { code: error.code, ...error.data },
    };
  }
  if (error instanceof RpcError) {
    return { code: JSON_RPC_ERROR[error.kind], message: error.message };
  }
  return toWireError(
    new AppError(
      "HOST_ERROR",
      "The app failed while it handled this call; it may have done part of it.",
    ),
  );
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
