// @ts-check
/** Values of Candid that hold no others: primitives, bytes, and references. Each at both sides. */

import { isObject } from "../../contract/json_number.js";
import { isWellFormed } from "../../contract/utf8.js";
import { base64 } from "../../dispatcher/resources.js";
import { NUMBERS, isWithin, readDecimal } from "./candid_numbers.js";
import { readPrincipal } from "./principal_text.js";

/** @import { NumberRule } from "./candid_numbers.js" */
/** @import { Primitive, Shape } from "./candid_types.js" */

/** A value that is none of its type. */
export class CandidValueError extends Error {
  /**
   * @param {string} path A JSON Pointer.
   * @param {string} message
   */
  constructor(path, message) {
    super(message);
    this.name = "CandidValueError";
    /** @readonly */
    this.path = path;
  }
}

/**
 * @param {string} path
 * @param {string} message
 */
export function wrong(path, message) {
  return new CandidValueError(path, message);
}

/**
 * What stands at either side of a conversion.
 *
 * @typedef {object} Side
 * @property {(shape: Shape, value: unknown, path: string) => unknown} leaf
 * @property {boolean} fromJson
 */

const BASE64 =
  /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?$/;
const NOT_FINITE = new Map([
  ["NaN", NaN],
  ["Infinity", Infinity],
  ["-Infinity", -Infinity],
]);

/** @type {Side} */
export const FROM_JSON = {
  fromJson: true,
  leaf(shape, value, path) {
    switch (shape.kind) {
      case "blob":
        if (typeof value !== "string" || !BASE64.test(value)) throw wrong(path, "must be base64");
        return Uint8Array.from(atob(value), (byte) => byte.charCodeAt(0));
      case "primitive":
        return readPrimitive(shape.name, value, path);
      default:
        return reference(shape, value, path);
    }
  },
};

/** @type {Side} */
export const TO_JSON = {
  fromJson: false,
  leaf(shape, value, path) {
    switch (shape.kind) {
      case "blob":
        if (!(value instanceof Uint8Array)) throw wrong(path, "must be a Uint8Array");
        return base64(value);
      case "primitive":
        return writePrimitive(shape.name, value, path);
      default:
        return reference(shape, value, path);
    }
  },
};

/**
 * @param {Primitive} name
 * @param {unknown} value
 * @param {string} path
 */
function readPrimitive(name, value, path) {
  switch (name) {
    case "float32":
    case "float64":
      return float(name, NOT_FINITE.get(/** @type {string} */ (value)) ?? value, path);
    default:
      if (!isInteger(name)) return same(name, value, path);
      return NUMBERS[name].asText ? bigFromText(name, value, path) : small(name, value, path);
  }
}

/**
 * @param {Primitive} name
 * @param {unknown} value
 * @param {string} path
 */
function writePrimitive(name, value, path) {
  switch (name) {
    case "reserved":
      // Whatever it was means nothing, and need not be JSON.
      return null;
    case "float32":
    case "float64": {
      const number = float(name, value, path);
      return Number.isFinite(number) ? number : String(number);
    }
    default:
      if (!isInteger(name)) return same(name, value, path);
      if (!NUMBERS[name].asText) return small(name, value, path);
      if (typeof value !== "bigint" || !isWithin(NUMBERS[name], value)) {
        throw wrong(path, `must be a BigInt within ${name}`);
      }
      return `${value}`;
  }
}

/**
 * What is the same at both sides.
 *
 * @param {Primitive} name
 * @param {unknown} value
 * @param {string} path
 */
function same(name, value, path) {
  switch (name) {
    case "null":
      if (value === null) return value;
      throw wrong(path, "must be null");
    case "bool":
      if (typeof value === "boolean") return value;
      throw wrong(path, "must be true or false");
    case "text":
      if (typeof value !== "string") throw wrong(path, "must be text");
      if (!isWellFormed(value)) throw wrong(path, "must have no half characters");
      return value;
    case "principal":
      return principal(value, path);
    case "reserved":
      return null;
    default:
      throw wrong(path, "can have no value");
  }
}

/**
 * @param {unknown} value
 * @param {string} path
 */
function principal(value, path) {
  if (typeof value === "string" && readPrincipal(value) !== null) return value;
  throw wrong(path, "must be a principal as text, with the right sum");
}

/**
 * A function or a service: the same at both sides.
 *
 * @param {Shape} shape
 * @param {any} value
 * @param {string} path
 */
function reference(shape, value, path) {
  if (shape.kind === "service") return principal(value, path);
  if (!isObject(value) || typeof value["method"] !== "string" || Object.keys(value).length !== 2) {
    throw wrong(path, "must have the members principal and method");
  }
  return {
    principal: principal(value["principal"], `${path}/principal`),
    method: same("text", value["method"], `${path}/method`),
  };
}

/**
 * @param {Primitive} name
 * @returns {name is keyof typeof NUMBERS}
 */
function isInteger(name) {
  return Object.hasOwn(NUMBERS, name);
}

/**
 * @param {keyof typeof NUMBERS} name
 * @param {unknown} value
 * @param {string} path
 */
function small(name, value, path) {
  const { least, most } = NUMBERS[name];
  if (Number.isInteger(value) && isWithin(NUMBERS[name], BigInt(/** @type {number} */ (value)))) {
    return Number(value) + 0;
  }
  throw wrong(path, `must be an integer from ${least} to ${most}`);
}

/**
 * @param {keyof typeof NUMBERS} name
 * @param {unknown} value
 * @param {string} path
 */
function bigFromText(name, value, path) {
  /** @type {NumberRule} */
  const rule = NUMBERS[name];
  const read = typeof value === "string" ? readDecimal(rule, value) : null;
  if (read !== null) return read;
  const { least, most } = rule;
  const range = most === null ? `of at most ${rule.maxDigits} digits` : `from ${least} to ${most}`;
  throw wrong(path, `must be text: a decimal ${name}, ${range}`);
}

/**
 * @param {"float32" | "float64"} name
 * @param {unknown} value
 * @param {string} path
 */
function float(name, value, path) {
  if (typeof value !== "number") throw wrong(path, "must be a number");
  if (name === "float64") return value;
  const rounded = Math.fround(value);
  if (Number.isFinite(value) && !Number.isFinite(rounded)) {
    throw wrong(path, "must be within float32");
  }
  return rounded;
}
