// @ts-check
/**
 * Refuses a schema whose keywords have values of the wrong kind, so that a slip of the pen is an
 * error when the schema is read and not a check that passes everything.
 */

import { isObject } from "./json_number.js";
import { compare, isInteger, isNumber } from "./schema_numbers.js";
import { SchemaError } from "./schema_resources.js";

/** @import { SchemaObject } from "./schema_resources.js" */

const TYPES = ["null", "boolean", "object", "array", "number", "string", "integer"];

/**
 * @param {SchemaObject} node One schema, without those inside of it.
 * @throws {SchemaError}
 */
export function checkShapes(node) {
  /** @param {string[]} keys @param {(value: any) => boolean} fits @param {string} what */
  const need = (keys, fits, what) => {
    for (const key of keys) {
      if (Object.hasOwn(node, key) && !fits(node[key]))
        throw new SchemaError(`${key} must be ${what}`);
    }
  };
  const names = (/** @type {unknown} */ value) =>
    Array.isArray(value) && value.every((name) => typeof name === "string");
  need(
    ["type"],
    (value) => [value].flat().every((type) => TYPES.includes(type)) && [value].flat().length > 0,
    "one or more of the seven types",
  );
  need(["enum"], Array.isArray, "an array");
  need(["required"], names, "an array of names");
  need(["allOf", "anyOf", "oneOf"], (v) => Array.isArray(v) && v.length > 0, "a non-empty array");
  need(["$ref", "$dynamicRef", "pattern"], (value) => typeof value === "string", "a string");
  need(["uniqueItems"], (value) => typeof value === "boolean", "true or false");
  need(
    ["dependencies"],
    (v) => isObject(v) && Object.values(v).every((each) => !Array.isArray(each) || names(each)),
    "schemas or lists of names",
  );
  need(
    ["dependentRequired"],
    (v) => isObject(v) && Object.values(v).every(names),
    "lists of names",
  );
  need(["maximum", "minimum", "exclusiveMaximum", "exclusiveMinimum"], isNumber, "a number");
  need(["multipleOf"], (v) => isNumber(v) && compare(v, 0) > 0, "a number above 0");
  need(
    [
      ...["maxLength", "minLength", "maxItems", "minItems", "maxProperties", "minProperties"],
      ...["maxContains", "minContains"],
    ],
    (v) => isNumber(v) && isInteger(v) && compare(v, 0) >= 0,
    "a count",
  );
}
