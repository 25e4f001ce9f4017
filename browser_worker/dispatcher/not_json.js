// @ts-check
/**
 * Names the place where a value of an app's is no JSON, so that its author finds it: a Map in a
 * result, a Date in an input. Says only where and of which kind, never what is in it.
 */

import { JsonNumber } from "../contract/json_number.js";
import { JSON_LIMITS } from "../contract/limits.js";
import { isWellFormed } from "../contract/utf8.js";

/** @typedef {{ path: string, message: string }} Found A JSON pointer, and what is there. */

const MAX_PATH_CHARS = 200;
const MAX_NAME_CHARS = 60;

/**
 * The first place of a value that JSON cannot tell. Reads through proxies, as the writer does.
 *
 * @param {unknown} value
 * @returns {Found | undefined} Undefined where all of it is JSON, or where it cannot be looked at.
 */
export function firstNotJson(value) {
  try {
    return new Search().look(value, "", 0);
  } catch {
    // A getter or a proxy of the app's own threw: that is for whoever reads the value in earnest.
    return undefined;
  }
}

/** One walk over one value. */
class Search {
  values = 0;

  /**
   * @param {unknown} value
   * @param {string} path
   * @param {number} depth Containers around the value.
   * @returns {Found | undefined}
   */
  look(value, path, depth) {
    if (++this.values > JSON_LIMITS.maxValues) return undefined;
    if (value !== null && typeof value === "object") return this.inside(value, path, depth);
    const message = wrongScalar(value);
    return message === undefined ? undefined : found(path, message);
  }

  /**
   * @param {object} value
   * @param {string} path
   * @param {number} depth
   */
  inside(value, path, depth) {
    if (value instanceof JsonNumber) return undefined;
    if (depth >= JSON_LIMITS.maxDepth) {
      return found(path, `is nested more than ${JSON_LIMITS.maxDepth} deep, or within itself`);
    }
    if (Array.isArray(value)) {
      for (let index = 0; index < value.length; index++) {
        const wrong = this.look(value[index], `${path}/${index}`, depth + 1);
        if (wrong !== undefined) return wrong;
      }
      return undefined;
    }
    const message = wrongObject(value);
    if (message !== undefined) return found(path, message);
    for (const key of Object.keys(value)) {
      const place = `${path}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
      const member = /** @type {Record<string, unknown>} */ (value)[key];
      const wrong = isWellFormed(key)
        ? this.look(member, place, depth + 1)
        : found(path, "has a name with half a character (a lone surrogate)");
      if (wrong !== undefined) return wrong;
    }
    return undefined;
  }
}

/**
 * @param {string} path
 * @param {string} message
 * @returns {Found}
 */
function found(path, message) {
  const whole = path.length <= MAX_PATH_CHARS && isWellFormed(path);
  return { path: whole ? path : `${[...path].slice(0, MAX_PATH_CHARS).join("")}…`, message };
}

/** @param {unknown} value */
function wrongScalar(value) {
  switch (typeof value) {
    case "undefined":
      return "is undefined: leave it out, or give null";
    case "function":
      return "is a function";
    case "symbol":
      return "is a symbol";
    case "number":
      return Number.isFinite(value) ? undefined : `is ${value}`;
    case "string":
      return isWellFormed(value) ? undefined : "ends in half a character (a lone surrogate)";
    default:
      return undefined;
  }
}

/** @param {object} value */
function wrongObject(value) {
  const prototype = Object.getPrototypeOf(value);
  if (prototype === null || Object.getPrototypeOf(prototype) === null) return undefined;
  if (value instanceof Map) return "is a Map: give an object or an array of pairs";
  if (value instanceof Set) return "is a Set: give an array";
  if (value instanceof Date) return "is a Date: give text, its toISOString() say";
  const name = String(prototype.constructor?.name ?? "").slice(0, MAX_NAME_CHARS);
  const whose = name === "" || !isWellFormed(name) ? "a class" : name;
  return `is an instance of ${whose}: give a plain object with what it tells`;
}
