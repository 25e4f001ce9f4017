// @ts-check
/**
 * JSON Schema for inputs and outputs: 2020-12, or draft-07 where a schema declares it. An
 * interpreter: it makes no code, so that it runs under a strict Content-Security-Policy, and it
 * bounds its depth and work, so that no schema and no value can hold the page.
 *
 * Verdicts differ from the public suite's (`tests/suites`) where a schema refers outside of itself or
 * declares another dialect (refused: nothing is fetched), and where `format`, `content*` or 2020-12's
 * former `dependencies` would be asserted (they are not).
 */

import { isObject } from "./json_number.js";
import { PatternError, compilePattern } from "./schema_pattern.js";
import { Resources, SchemaError, own } from "./schema_resources.js";
import { Run, TooMuchWork } from "./schema_run.js";
import { checkShapes } from "./schema_shapes.js";

/** @import { Pattern } from "./schema_pattern.js" */
/** @import { Node, SchemaObject } from "./schema_resources.js" */

export { SchemaError };

/** @typedef {{ path: string, message: string }} SchemaProblem `path` is a JSON Pointer into the value. */

/**
 * Reads a schema once, so that many values can be checked.
 *
 * @param {unknown} schema
 * @returns {Validator}
 * @throws {SchemaError} For a schema that is malformed, unsafe or refers outside of itself.
 */
export function compile(schema) {
  if (typeof schema !== "boolean" && !isObject(schema)) {
    throw new SchemaError("a schema is an object or a boolean");
  }
  return new Validator(new Resources(schema));
}

/** A schema that was read. */
export class Validator {
  /** @param {Resources} resources Use `compile`. */
  constructor(resources) {
    this._resources = resources;
    /** @type {Map<string, Pattern>} */
    this._patterns = new Map();
    /** @type {Map<SchemaObject, Node>} */
    this._refs = new Map();
    /** @type {Map<SchemaObject, Node>} */
    this._dynamicRefs = new Map();
    // Indexing goes on while references are resolved: the list may grow under the loop.
    for (const node of resources.nodes) this._prepare(node);
  }

  /**
   * Checks a value.
   *
   * @param {unknown} value Plain JSON data; numbers may be tokens.
   * @returns {SchemaProblem[]} Empty where it matches.
   */
  errors(value) {
    const run = new Run(this._resources, this._patterns, this._refs, this._dynamicRefs);
    try {
      const ok = run.check(this._resources.root, value, "", undefined, []);
      if (!ok && run.problems.length === 0) run.fail("", "does not match");
    } catch (error) {
      if (!(error instanceof TooMuchWork) && !(error instanceof RangeError)) throw error;
      return [{ path: "", message: "the schema takes too much work for this value" }];
    }
    return run.problems;
  }

  /** @param {SchemaObject} node */
  _prepare(node) {
    checkShapes(node);
    const ref = own(node, "$ref");
    if (ref !== undefined) this._refs.set(node, this._resources.resolve(node, ref));
    if (this._resources.dialect === "draft-07" && ref !== undefined) return;
    const dynamic = this._resources.dialect === "draft-07" ? undefined : own(node, "$dynamicRef");
    if (dynamic !== undefined) {
      this._dynamicRefs.set(node, this._resources.resolve(node, dynamic));
    }
    const pattern = own(node, "pattern");
    if (pattern !== undefined) this._addPattern(pattern);
    for (const each of Object.keys(own(node, "patternProperties") ?? {})) this._addPattern(each);
  }

  /** @param {string} pattern */
  _addPattern(pattern) {
    try {
      this._patterns.set(pattern, compilePattern(pattern));
    } catch (error) {
      if (!(error instanceof PatternError)) throw error;
      throw new SchemaError(`${error.message}: ${pattern.slice(0, 80)}`);
    }
  }
}
