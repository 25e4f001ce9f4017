// @ts-check
/** The keywords that look at one value and at nothing inside of it. */

import { isObject } from "./json_number.js";
import { compare, equal, isInteger, isMultipleOf, isNumber } from "./schema_numbers.js";
import { own } from "./schema_resources.js";

/** @import { SchemaObject } from "./schema_resources.js" */
/** @import { AnyNumber } from "./schema_numbers.js" */
/** @import { Run } from "./schema_run.js" */

/**
 * @param {Run} run
 * @param {SchemaObject} node
 * @param {unknown} value
 * @param {string} path
 */
export function general(run, node, value, path) {
  let ok = true;
  const types = own(node, "type");
  if (Array.isArray(types)) run.look(types.length);
  if (types !== undefined && ![types].flat().some((type) => isOfType(value, type))) {
    ok = run.fail(path, `must be ${[types].flat().join(" or ")}`);
  }
  const allowed = own(node, "enum");
  if (allowed !== undefined) {
    run.work(allowed.length);
    if (!allowed.some((/** @type {unknown} */ each) => equal(each, value, run))) {
      ok = run.fail(path, "must be one of the listed values");
    }
  }
  if (Object.hasOwn(node, "const") && !equal(node["const"], value, run)) {
    ok = run.fail(path, "must be the one given value");
  }
  return ok;
}

/**
 * @param {Run} run
 * @param {SchemaObject} node
 * @param {string} text
 * @param {string} path
 */
export function text(run, node, text, path) {
  let ok = true;
  const { maxLength, minLength, pattern } = node;
  if (maxLength !== undefined || minLength !== undefined) {
    let length = 0;
    for (const character of text) length += character === "" ? 0 : 1;
    run.look(length >> 3);
    if (minLength !== undefined && compare(length, minLength) < 0) {
      ok = run.fail(path, `must have at least ${minLength} characters`);
    }
    if (maxLength !== undefined && compare(length, maxLength) > 0) {
      ok = run.fail(path, `must have at most ${maxLength} characters`);
    }
  }
  if (pattern !== undefined && !run.occurs(pattern, text)) {
    ok = run.fail(path, `must match the pattern ${pattern}`);
  }
  return ok;
}

/**
 * @param {Run} run
 * @param {SchemaObject} node
 * @param {AnyNumber} value
 * @param {string} path
 */
export function number(run, node, value, path) {
  let ok = true;
  const { maximum, minimum, exclusiveMaximum, exclusiveMinimum, multipleOf } = node;
  if (maximum !== undefined && compare(value, maximum) > 0) {
    ok = run.fail(path, `must be at most ${maximum}`);
  }
  if (minimum !== undefined && compare(value, minimum) < 0) {
    ok = run.fail(path, `must be at least ${minimum}`);
  }
  if (exclusiveMaximum !== undefined && compare(value, exclusiveMaximum) >= 0) {
    ok = run.fail(path, `must be less than ${exclusiveMaximum}`);
  }
  if (exclusiveMinimum !== undefined && compare(value, exclusiveMinimum) <= 0) {
    ok = run.fail(path, `must be more than ${exclusiveMinimum}`);
  }
  if (multipleOf !== undefined && !isMultipleOf(value, multipleOf)) {
    ok = run.fail(path, `must be a multiple of ${multipleOf}`);
  }
  return ok;
}

/**
 * @param {Run} run
 * @param {SchemaObject} node
 * @param {number} count
 * @param {string} path
 * @param {"Items" | "Properties"} suffix
 * @param {string} what
 */
export function count(run, node, count, path, suffix, what) {
  const least = own(node, `min${suffix}`);
  const most = own(node, `max${suffix}`);
  let ok = true;
  if (least !== undefined && compare(count, least) < 0) {
    ok = run.fail(path, `must have at least ${least} ${what}`);
  }
  if (most !== undefined && compare(count, most) > 0) {
    ok = run.fail(path, `must have at most ${most} ${what}`);
  }
  return ok;
}

/**
 * @param {unknown} value
 * @param {string} type
 */
function isOfType(value, type) {
  switch (type) {
    case "null":
      return value === null;
    case "array":
      return Array.isArray(value);
    case "object":
      return isObject(value) && !isNumber(value);
    case "number":
      return isNumber(value);
    case "integer":
      return isNumber(value) && isInteger(value);
    default:
      return typeof value === type;
  }
}
