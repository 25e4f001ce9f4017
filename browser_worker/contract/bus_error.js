// @ts-check
/**
 * What goes wrong on the bus, by name: a closed set, the same on both ends of a port.
 * Contract: bus.
 */

import { BUS_LIMITS } from "./limits.js";

/**
 * Every code that a call can end with. The ones from `OWNER_REQUIRED` to `UI_BUSY` are decisions of
 * a policy; a caller may try again after `retryAfterMs` where it is told.
 */
export const BUS_ERROR_CODES = Object.freeze(
  /** @type {const} */ ([
    "OWNER_REQUIRED",
    "SCOPED_CONTEXT_REQUIRED",
    "INVOCATION_INVALID",
    "AGENT_CONSENT_DENIED",
    "AGENT_CONSENT_TIMEOUT",
    "AGENT_CONSENT_LIMIT",
    "AGENT_MODE_REVOKED",
    "AGENT_MODE_LIMIT",
    "UI_BUSY",
    "TOO_MANY_CALLS",
    "INVALID_MESSAGE",
    "NOT_JSON",
    "TOO_LARGE",
    "UNKNOWN_ACTION",
    "UNKNOWN_ENDPOINT",
    "UNKNOWN_TOOL",
    "INVALID_INPUT",
    "INVALID_OUTPUT",
    "TIMEOUT",
    "CANCELLED",
    "ENDPOINT_GONE",
    "TOOL_FAILED",
    "ATTACHMENT_UNSUPPORTED",
    "ATTACHMENT_TOO_LARGE",
    "ATTACHMENT_LIMIT",
    "ATTACHMENT_DETACHED",
    "FLOODED",
    "LOCKED",
  ]),
);

/** @typedef {typeof BUS_ERROR_CODES[number]} BusErrorCode */

/**
 * @typedef {object} WireError An error as it travels.
 * @property {string} code
 * @property {string} message
 * @property {number} [retryAfterMs]
 * @property {Record<string, unknown>} [data]
 */

/** @type {ReadonlySet<string>} */
const KNOWN = new Set(BUS_ERROR_CODES);

/**
 * @param {unknown} code
 * @returns {code is BusErrorCode}
 */
export function isBusErrorCode(code) {
  return typeof code === "string" && KNOWN.has(code);
}

/**
 * The first things that are wrong with a value, as an error's `data` has them.
 *
 * @param {readonly { path: string, message: string }[]} problems
 * @param {(message: string) => string} [told] What becomes of each message.
 */
export function problemsData(problems, told = (message) => message) {
  const first = problems.slice(0, BUS_LIMITS.maxProblems);
  return { errors: first.map(({ path, message }) => ({ path, message: told(message) })) };
}

/** A failure of the bus, or of a tool behind it. */
export class BusError extends Error {
  /**
   * @param {BusErrorCode} code
   * @param {string} message What happened, whether anything may have been done, and what to do.
   * @param {{ retryAfterMs?: number, data?: Record<string, unknown> }} [more] `retryAfterMs` is when
   *   another try can succeed; `data` is JSON with details.
   */
  constructor(code, message, { retryAfterMs, data } = {}) {
    super(message);
    this.name = "BusError";
    /** @readonly */
    this.code = code;
    /** @readonly @type {number | undefined} */
    this.retryAfterMs = retryAfterMs;
    /** @readonly @type {Record<string, unknown> | undefined} */
    this.data = data;
  }

  /** @returns {WireError} */
  toWire() {
    /** @type {WireError} */
    const wire = { code: this.code, message: this.message };
    if (this.retryAfterMs !== undefined) wire.retryAfterMs = this.retryAfterMs;
    if (this.data !== undefined) wire.data = this.data;
    return wire;
  }

  /**
   * Reads an error that came by a port. A code that is not in the set is not passed on as one.
   *
   * @param {WireError} wire As `readMessage` has checked it.
   */
  static fromWire({ code, message, retryAfterMs, data }) {
    if (!isBusErrorCode(code)) return new BusError("TOOL_FAILED", message, { data: { code } });
    return new BusError(code, message, {
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
      ...(data === undefined ? {} : { data }),
    });
  }
}
