// @ts-check
/**
 * What is checked before a host is called, in the contract's order: capability, input, revision
 * required, revision stale, availability. Changes nothing.
 */

import { toPlain } from "../contract/strict_json.js";
import { AppError } from "./app_error.js";
import { firstNotJson } from "./not_json.js";

/** @import { ActionSpec } from "./action_spec.js" */
/** @import { CheckedHost } from "./checked_host.js" */
/** @import { Caller, ExternalCall } from "./calls.js" */

/**
 * @param {Caller} caller
 * @throws {AppError} `UNAVAILABLE` for a caller who has gone: nothing begins for nobody.
 */
export function requireCaller({ expired }) {
  if (!expired?.()) return;
  const reason = "The caller's time ran out before its turn came; nothing was run.";
  throw new AppError("UNAVAILABLE", reason, { availability: { code: "EXPIRED", reason } });
}

/**
 * @param {ReadonlyMap<string, ActionSpec>} specs
 * @param {string} name
 * @param {Pick<CheckedHost, "missing">} host
 * @returns {ActionSpec}
 * @throws {AppError} `UNKNOWN_ACTION`; `UNAVAILABLE` where it cannot be looked for now.
 */
export function actionNamed(specs, name, host) {
  const spec = specs.get(name);
  if (spec !== undefined) return spec;
  const availability = host.missing(name);
  if (availability !== null) {
    throw new AppError("UNAVAILABLE", availability.reason, { availability });
  }
  throw new AppError("UNKNOWN_ACTION", "The app has no action of this name.");
}

/** The checks of one dispatcher's calls. */
export class CallChecks {
  /** @param {CheckedHost} host */
  constructor(host) {
    this._host = host;
  }

  /**
   * @param {ActionSpec} spec
   * @param {ExternalCall} call
   * @param {boolean} external Whether it comes from outside: then it needs a revision.
   * @returns {unknown} The input as a handler takes it.
   * @throws {AppError} The first that fails.
   */
  run(spec, call, external) {
    requireCaller(call);
    this._checkCapability(spec);
    const input = call.input === undefined ? {} : call.input;
    // What came from outside was parsed; what the app itself gives may be anything.
    const wrong = external ? undefined : firstNotJson(input);
    const errors = wrong === undefined ? spec.input.errors(input) : [wrong];
    if (errors.length > 0) {
      throw new AppError("INVALID_INPUT", "The input does not match the action's schema.", {
        errors,
      });
    }
    if (external) this._checkRevision(spec, call.expectedRevision);
    this._checkAvailability(spec);
    return toPlain(input);
  }

  /**
   * Checks again what the app itself can have changed since: within a batch, say.
   *
   * @param {ActionSpec} spec
   * @throws {AppError}
   */
  again(spec) {
    this._checkCapability(spec);
    this._checkAvailability(spec);
  }

  /** @param {ActionSpec} spec */
  _checkCapability(spec) {
    const required = BigInt(spec.capabilities);
    if (required === 0n) return;
    const held = this._host.capabilities();
    if ((BigInt(held) & required) === required) return;
    throw new AppError(
      "CAPABILITY_REQUIRED",
      "The app does not hold a capability that this needs.",
      { required: spec.capabilities, held },
    );
  }

  /**
   * @param {ActionSpec} spec
   * @param {number | bigint | undefined} expected
   */
  _checkRevision(spec, expected) {
    const actual = this._host.revision(spec.name);
    if (expected === undefined) {
      if (spec.kind === "write" && actual !== null) {
        throw new AppError(
          "REVISION_REQUIRED",
          "A write needs expectedRevision: the revision of the last answer.",
        );
      }
      return;
    }
    if (actual === null || BigInt(expected) !== BigInt(actual)) {
      throw new AppError(
        "STALE_REVISION",
        "The state has changed since that revision; read it again.",
        { expected, actual },
      );
    }
  }

  /** @param {ActionSpec} spec */
  _checkAvailability(spec) {
    const availability = this._host.unavailable(spec.name);
    if (availability === null) return;
    throw new AppError("UNAVAILABLE", availability.reason, { availability });
  }
}
