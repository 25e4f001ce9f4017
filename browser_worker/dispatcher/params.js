// @ts-check
/**
 * Reads the parameters of a method. Anything malformed, a count below its minimum included, is
 * -32602; a count above its maximum is `LIMIT_EXCEEDED`.
 */

import { isObject } from "../contract/json_number.js";
import { toPlain } from "../contract/strict_json.js";
import { AppError, RpcError } from "./app_error.js";

/** @typedef {Record<string, unknown>} Params */

/**
 * @param {Params} params
 * @param {string} name
 * @returns {unknown}
 */
function member(params, name) {
  return Object.hasOwn(params, name) ? params[name] : undefined;
}

/**
 * @param {string} name
 * @param {string} what
 */
function invalid(name, what) {
  return new RpcError("INVALID_PARAMS", `params.${name} must be ${what}`);
}

/**
 * @param {Params} params
 * @param {string} name
 * @returns {string}
 */
export function requiredString(params, name) {
  const value = member(params, name);
  if (typeof value !== "string") throw invalid(name, "a string");
  return value;
}

/**
 * @param {Params} params
 * @param {string} name
 * @returns {string | undefined}
 */
export function optionalString(params, name) {
  return member(params, name) === undefined ? undefined : requiredString(params, name);
}

/**
 * A whole number of any size, or undefined.
 *
 * @param {Params} params
 * @param {string} name
 * @returns {number | bigint | undefined}
 */
export function optionalInteger(params, name) {
  const value = member(params, name);
  if (value === undefined) return undefined;
  const plain = toPlain(value);
  if (typeof plain === "bigint" || Number.isSafeInteger(plain)) return plain;
  throw invalid(name, "an integer");
}

/**
 * A count from 1 to `maximum`, or undefined.
 *
 * @param {Params} params
 * @param {string} name
 * @param {number} maximum
 * @returns {number | undefined}
 */
export function optionalCount(params, name, maximum) {
  const value = optionalInteger(params, name);
  if (value === undefined) return undefined;
  if (value < 1) throw invalid(name, "at least 1");
  if (value > maximum) {
    throw new AppError("LIMIT_EXCEEDED", `params.${name} is at most ${maximum}.`, {
      limit: name,
      maximum,
    });
  }
  return Number(value);
}

/**
 * True or false.
 *
 * @param {Params} params
 * @param {string} name
 * @param {boolean} fallback Where it is absent.
 * @returns {boolean}
 */
export function optionalBoolean(params, name, fallback) {
  const value = member(params, name);
  if (value === undefined) return fallback;
  if (typeof value !== "boolean") throw invalid(name, "true or false");
  return value;
}

/**
 * A place to go on from: a whole number that is not negative.
 *
 * @param {Params} params
 * @param {string} name
 * @returns {number | bigint} 0 where it is absent.
 */
export function optionalOffset(params, name) {
  const value = optionalInteger(params, name) ?? 0;
  if (value < 0) throw invalid(name, "at least 0");
  return value;
}

/**
 * A list of 1 to `maximum` objects.
 *
 * @param {Params} params
 * @param {string} name
 * @param {number} maximum
 * @returns {Params[]}
 */
export function requiredObjects(params, name, maximum) {
  const value = member(params, name);
  if (!Array.isArray(value) || value.length === 0) throw invalid(name, "a list that is not empty");
  if (value.length > maximum) {
    throw new AppError("LIMIT_EXCEEDED", `params.${name} holds at most ${maximum}.`, {
      limit: name,
      maximum,
    });
  }
  if (!value.every(isObject)) throw invalid(name, "a list of objects");
  return value;
}

/**
 * Any value, as parsed; undefined where it is absent.
 *
 * @param {Params} params
 * @param {string} name
 */
export function optionalValue(params, name) {
  return member(params, name);
}
