// @ts-check
/**
 * How a call fails, as errors that a program can decide by: each has a `code` and an `outcome`.
 * The twins of the Python client's exceptions. Contract: errors.
 */

import { JSON_RPC_ERROR } from "../contract/error_codes.js";

/**
 * What a call that failed may have done: "unknown" that it may have run, so that the state is to be
 * inspected before another try; "not_delivered" that the page never got it. With null nothing was done.
 *
 * @typedef {"not_delivered" | "unknown" | null} Outcome
 */

/**
 * The app's handler had begun, or may have: only what it did or gave was wrong. Where `data.readOnly` says that the
 * action changes nothing, that is no matter.
 */
const MAY_HAVE_RUN = new Set(["HOST_ERROR", "INVALID_OUTPUT", "LIMIT_EXCEEDED"]);
const MAX_ERRORS_TOLD = 10;
/** @type {ReadonlyMap<number, string>} */
const JSON_RPC_CODES = new Map(
  Object.entries(JSON_RPC_ERROR).map(([name, number]) => [number, name]),
);

/** Whatever fails in calling an app. */
export class BasculeError extends Error {
  /**
   * @param {string} code
   * @param {string} message
   * @param {{ outcome?: Outcome, hint?: string | undefined, cause?: unknown }} [more]
   */
  constructor(code, message, { outcome = null, hint, cause } = {}) {
    super(
      hint === undefined ? message : `${message} ${hint}`,
      cause === undefined ? undefined : { cause },
    );
    this.name = new.target.name;
    /** @readonly */
    this.code = code;
    /** @readonly */
    this.outcome = outcome;
  }
}

/**
 * A call did not come to an answer of the app. `code` is the bridge's own, such as NOT_ATTACHED or
 * BROWSER_GONE, or one of these: NO_BRIDGE, UNREACHABLE, CONNECTION_LOST, DEADLINE_EXCEEDED, ABORTED,
 * NOT_A_BRIDGE, BAD_ANSWER, START_FAILED.
 */
export class BridgeFailure extends BasculeError {}

/** The call's own deadline passed. It never means that something was cancelled. */
export class DeadlineExceeded extends BridgeFailure {}

/** The caller's own signal ended the call; `cause` is its reason. What runs in the page runs on. */
export class CallAborted extends BridgeFailure {
  /** @param {unknown} reason @param {Outcome} outcome */
  constructor(reason, outcome) {
    super("ABORTED", "The caller gave the call up.", { outcome, cause: reason });
  }
}

/** The app answered with an error: the call came to its end there, and failed. */
export class ActionError extends BasculeError {
  /**
   * @param {number} number The JSON-RPC error's.
   * @param {string} message
   * @param {Record<string, unknown>} data The error's members.
   */
  constructor(number, message, data) {
    const named = member(data, "code");
    const code =
      typeof named === "string" ? named : (JSON_RPC_CODES.get(number) ?? "UNKNOWN_ERROR");
    const told = [...details(data, message)].map((line) => `(${line})`);
    // An app that knows that the action only reads says so.
    const changes = member(data, "readOnly") !== true;
    super(code, [`${message} [${codeTold(code, data, message)}]`, ...told].join(" "), {
      outcome: MAY_HAVE_RUN.has(code) && changes ? "unknown" : null,
    });
    /** @readonly */
    this.number = number;
    /** @readonly */
    this.data = data;
  }
}

/**
 * What an error's members tell, in sentences: the first places of an input that do not fit, the
 * revision that the app is at, why an action is not available, the limit that was passed, when to try again. What
 * the message says already is left out.
 *
 * @param {Record<string, unknown>} data
 * @param {string} message
 * @returns {Generator<string>}
 */
function* details(data, message) {
  const errors = member(data, "errors");
  for (const error of Array.isArray(errors) ? errors.slice(0, MAX_ERRORS_TOLD) : []) {
    if (typeof error?.message === "string") yield `${error.path || "input"}: ${error.message}`;
  }
  const availability = /** @type {any} */ (member(data, "availability"));
  if (availability?.code && availability.reason !== message) {
    yield `${availability.reason} [${availability.code}]`;
  }
  const [expected, actual] = [member(data, "expected"), member(data, "actual")];
  if (expected !== undefined && actual !== undefined) {
    yield `Revision ${expected} was expected; it is at ${actual}.`;
  }
  const [limit, maximum] = [member(data, "limit"), member(data, "maximum")];
  if (limit !== undefined && maximum !== undefined) yield `The limit ${limit} is ${maximum}.`;
  const later = member(data, "retryAfterMs");
  if (typeof later === "number" && later > 0) yield `Try again in ${Math.ceil(later / 1_000)} s.`;
}

/**
 * The code that says most: why it is not available, where the message is that reason.
 *
 * @param {string} code
 * @param {Record<string, unknown>} data
 * @param {string} message
 */
function codeTold(code, data, message) {
  const availability = /** @type {any} */ (member(data, "availability"));
  return availability?.reason === message && availability.code ? `${availability.code}` : code;
}

/** @param {Record<string, unknown>} data @param {string} name */
function member(data, name) {
  return Object.hasOwn(data, name) ? data[name] : undefined;
}

/**
 * The request was sent, and who answers is no bridge.
 *
 * @param {string} reason
 */
export function notABridge(reason) {
  return new BridgeFailure("NOT_A_BRIDGE", `What answers there is not a bridge: ${reason}.`, {
    outcome: "unknown",
    hint: "`bascule list` shows the bridges that run.",
  });
}
