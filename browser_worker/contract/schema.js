// @ts-check
/**
 * JSON Schema for inputs and outputs: 2020-12, or draft-07 where a schema declares it. An
 * interpreter: it makes no code, so that it runs under a strict Content-Security-Policy, and it
 * bounds its depth and work, so that no schema and no value can hold the page.
 *
 * `format` and `content*` are not asserted. `$ref` reaches only into the schema itself.
 */

import { PatternError, compilePattern } from "./schema_pattern.js";
import { compare, equal, isInteger, isMultipleOf, isNumber } from "./schema_numbers.js";
import { Resources, SchemaError, isObject, own } from "./schema_resources.js";

/** @import { Node, SchemaObject } from "./schema_resources.js" */
/** @import { AnyNumber } from "./schema_numbers.js" */

export { SchemaError };

/** @typedef {{ path: string, message: string }} SchemaProblem `path` is a JSON Pointer into the value. */

const MAX_STEPS = 200_000;
const MAX_DEPTH = 128;
const MAX_PROBLEMS = 64;
const MAX_PATTERN_TEXT = 65_536;
const TYPES = ["null", "boolean", "object", "array", "number", "string", "integer"];

/** What of an object or array was looked at, for the `unevaluated` keywords. */
class Marks {
  constructor() {
    this.allNames = false;
    /** @type {Set<string>} */
    this.names = new Set();
    this.allItems = false;
    this.itemsBelow = 0;
    /** @type {Set<number>} */
    this.items = new Set();
  }

  /** @param {Marks} other */
  add(other) {
    this.allNames ||= other.allNames;
    for (const name of other.names) this.names.add(name);
    this.allItems ||= other.allItems;
    this.itemsBelow = Math.max(this.itemsBelow, other.itemsBelow);
    for (const item of other.items) this.items.add(item);
  }
}

class TooMuchWork extends Error {}

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
    /** @type {Map<string, (text: string) => boolean>} */
    this._patterns = new Map();
    /** @type {Map<SchemaObject, Node>} */
    this._refs = new Map();
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
    const run = new Run(this._resources, this._patterns, this._refs);
    try {
      run.check(this._resources.root, value, "", undefined, []);
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

/** @param {SchemaObject} node */
function checkShapes(node) {
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
  need(
    ["properties", "patternProperties", "dependentSchemas", "dependencies"],
    isObject,
    "an object",
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

/** One check of one value. */
class Run {
  /**
   * @param {Resources} resources
   * @param {Map<string, (text: string) => boolean>} patterns
   * @param {Map<SchemaObject, Node>} refs
   */
  constructor(resources, patterns, refs) {
    this.resources = resources;
    this.patterns = patterns;
    this.refs = refs;
    this.old = resources.dialect === "draft-07";
    this.steps = 0;
    this.depth = 0;
    this.silent = 0;
    /** @type {SchemaProblem[]} */
    this.problems = [];
  }

  /**
   * @param {string} path
   * @param {string} message
   * @returns {false}
   */
  fail(path, message) {
    if (this.silent === 0 && this.problems.length < MAX_PROBLEMS)
      this.problems.push({ path, message });
    return false;
  }

  /** @param {number} [steps] */
  work(steps = 1) {
    this.steps += steps;
    if (this.steps > MAX_STEPS) throw new TooMuchWork();
  }

  /**
   * @param {Node} node
   * @param {unknown} value
   * @param {string} path
   * @param {Marks | undefined} marks Filled where somebody around asks for what was evaluated.
   * @param {readonly string[]} scope The resources entered on the way, outermost first.
   * @returns {boolean}
   */
  check(node, value, path, marks, scope) {
    this.work();
    if (node === true) return true;
    if (node === false) return this.fail(path, "nothing is allowed here");
    if (++this.depth > MAX_DEPTH) throw new TooMuchWork();
    try {
      const base = this.resources.bases.get(node) ?? "";
      const inner = scope.at(-1) === base ? scope : [...scope, base];
      return this.keywords(node, value, path, marks, inner);
    } finally {
      this.depth--;
    }
  }

  /**
   * Checks without reporting: for keywords that only ask whether a schema matches.
   *
   * @param {Node} node
   * @param {unknown} value
   * @param {string} path
   * @param {Marks | undefined} marks
   * @param {readonly string[]} scope
   */
  matches(node, value, path, marks, scope) {
    this.silent++;
    try {
      const found = marks === undefined ? undefined : new Marks();
      const ok = this.check(node, value, path, found, scope);
      if (ok && found !== undefined) marks?.add(found);
      return ok;
    } finally {
      this.silent--;
    }
  }

  /**
   * @param {SchemaObject} node
   * @param {unknown} value
   * @param {string} path
   * @param {Marks | undefined} outer
   * @param {readonly string[]} scope
   */
  keywords(node, value, path, outer, scope) {
    const ref = this.refs.get(node);
    if (ref !== undefined && this.old) return this.check(ref, value, path, outer, scope);
    const asks =
      !this.old &&
      (Object.hasOwn(node, "unevaluatedProperties") || Object.hasOwn(node, "unevaluatedItems"));
    const marks = asks ? new Marks() : outer;
    let ok = ref === undefined || this.check(ref, value, path, marks, scope);
    const dynamic = this.old ? undefined : own(node, "$dynamicRef");
    if (dynamic !== undefined) {
      ok = this.check(this.dynamicTarget(node, dynamic, scope), value, path, marks, scope) && ok;
    }
    ok = this.general(node, value, path) && ok;
    if (typeof value === "string") ok = this.text(node, value, path) && ok;
    else if (isNumber(value)) ok = this.number(node, value, path) && ok;
    else if (Array.isArray(value)) ok = this.array(node, value, path, marks, scope) && ok;
    else if (isObject(value)) ok = this.object(node, value, path, marks, scope) && ok;
    ok = this.combined(node, value, path, marks, scope) && ok;
    if (asks && marks !== undefined) {
      ok = this.unevaluated(node, value, path, marks, scope) && ok;
      outer?.add(marks);
    }
    return ok;
  }

  /**
   * @param {SchemaObject} node
   * @param {string} reference
   * @param {readonly string[]} scope
   * @returns {Node}
   */
  dynamicTarget(node, reference, scope) {
    const target = this.resources.resolve(node, reference);
    const anchor = /#([^/]+)$/.exec(reference)?.[1];
    if (
      anchor === undefined ||
      typeof target === "boolean" ||
      own(target, "$dynamicAnchor") !== anchor
    ) {
      return target;
    }
    for (const base of scope) {
      const found = this.resources.dynamicAnchors.get(`${base}#${anchor}`);
      if (found !== undefined) return found;
    }
    return target;
  }

  /**
   * @param {SchemaObject} node
   * @param {unknown} value
   * @param {string} path
   */
  general(node, value, path) {
    let ok = true;
    const types = own(node, "type");
    if (types !== undefined && ![types].flat().some((type) => isOfType(value, type))) {
      ok = this.fail(path, `must be ${[types].flat().join(" or ")}`);
    }
    const allowed = own(node, "enum");
    if (allowed !== undefined) {
      this.work(allowed.length);
      if (!allowed.some((/** @type {unknown} */ each) => equal(each, value))) {
        ok = this.fail(path, "must be one of the listed values");
      }
    }
    if (Object.hasOwn(node, "const") && !equal(node["const"], value)) {
      ok = this.fail(path, "must be the one given value");
    }
    return ok;
  }

  /**
   * @param {SchemaObject} node
   * @param {string} text
   * @param {string} path
   */
  text(node, text, path) {
    let ok = true;
    const { maxLength, minLength, pattern } = node;
    if (maxLength !== undefined || minLength !== undefined) {
      let length = 0;
      for (const character of text) length += character === "" ? 0 : 1;
      if (minLength !== undefined && compare(length, minLength) < 0) {
        ok = this.fail(path, `must have at least ${minLength} characters`);
      }
      if (maxLength !== undefined && compare(length, maxLength) > 0) {
        ok = this.fail(path, `must have at most ${maxLength} characters`);
      }
    }
    if (pattern !== undefined && !this.occurs(pattern, text)) {
      ok = this.fail(path, `must match the pattern ${pattern}`);
    }
    return ok;
  }

  /** @param {string} pattern @param {string} text */
  occurs(pattern, text) {
    if (text.length > MAX_PATTERN_TEXT) throw new TooMuchWork();
    this.work(1 + (text.length >> 3));
    return this.patterns.get(pattern)?.(text) ?? true;
  }

  /**
   * @param {SchemaObject} node
   * @param {AnyNumber} value
   * @param {string} path
   */
  number(node, value, path) {
    let ok = true;
    const { maximum, minimum, exclusiveMaximum, exclusiveMinimum, multipleOf } = node;
    if (maximum !== undefined && compare(value, maximum) > 0) {
      ok = this.fail(path, `must be at most ${maximum}`);
    }
    if (minimum !== undefined && compare(value, minimum) < 0) {
      ok = this.fail(path, `must be at least ${minimum}`);
    }
    if (exclusiveMaximum !== undefined && compare(value, exclusiveMaximum) >= 0) {
      ok = this.fail(path, `must be less than ${exclusiveMaximum}`);
    }
    if (exclusiveMinimum !== undefined && compare(value, exclusiveMinimum) <= 0) {
      ok = this.fail(path, `must be more than ${exclusiveMinimum}`);
    }
    if (multipleOf !== undefined && !isMultipleOf(value, multipleOf)) {
      ok = this.fail(path, `must be a multiple of ${multipleOf}`);
    }
    return ok;
  }

  /**
   * @param {SchemaObject} node
   * @param {unknown[]} items
   * @param {string} path
   * @param {Marks | undefined} marks
   * @param {readonly string[]} scope
   */
  array(node, items, path, marks, scope) {
    let ok = this.count(node, items.length, path, "Items", "items");
    const tuple = this.old
      ? Array.isArray(node["items"])
        ? node["items"]
        : []
      : (own(node, "prefixItems") ?? []);
    const rest = this.old
      ? Array.isArray(node["items"])
        ? own(node, "additionalItems")
        : own(node, "items")
      : own(node, "items");
    for (let index = 0; index < items.length; index++) {
      const schema = index < tuple.length ? tuple[index] : rest;
      if (schema === undefined) break;
      ok = this.check(schema, items[index], `${path}/${index}`, undefined, scope) && ok;
    }
    if (marks !== undefined) {
      marks.itemsBelow = Math.max(marks.itemsBelow, tuple.length);
      marks.allItems ||= rest !== undefined;
    }
    if (Object.hasOwn(node, "contains")) ok = this.contains(node, items, path, marks, scope) && ok;
    if (node["uniqueItems"] === true && !this.unique(items)) {
      ok = this.fail(path, "must not hold an item twice");
    }
    return ok;
  }

  /**
   * @param {SchemaObject} node
   * @param {number} count
   * @param {string} path
   * @param {"Items" | "Properties"} suffix
   * @param {string} what
   */
  count(node, count, path, suffix, what) {
    const least = own(node, `min${suffix}`);
    const most = own(node, `max${suffix}`);
    let ok = true;
    if (least !== undefined && compare(count, least) < 0) {
      ok = this.fail(path, `must have at least ${least} ${what}`);
    }
    if (most !== undefined && compare(count, most) > 0) {
      ok = this.fail(path, `must have at most ${most} ${what}`);
    }
    return ok;
  }

  /**
   * @param {SchemaObject} node
   * @param {unknown[]} items
   * @param {string} path
   * @param {Marks | undefined} marks
   * @param {readonly string[]} scope
   */
  contains(node, items, path, marks, scope) {
    let found = 0;
    for (let index = 0; index < items.length; index++) {
      if (!this.matches(node["contains"], items[index], `${path}/${index}`, undefined, scope))
        continue;
      found++;
      marks?.items.add(index);
    }
    const least = this.old ? 1 : (own(node, "minContains") ?? 1);
    const most = this.old ? undefined : own(node, "maxContains");
    if (compare(found, least) < 0)
      return this.fail(path, `must contain at least ${least} such items`);
    if (most !== undefined && compare(found, most) > 0) {
      return this.fail(path, `must contain at most ${most} such items`);
    }
    return true;
  }

  /** @param {unknown[]} items */
  unique(items) {
    const seen = new Set();
    /** @type {unknown[]} */
    const rest = [];
    for (const item of items) {
      this.work();
      if (typeof item === "string" || typeof item === "boolean" || item === null) {
        const key = typeof item === "string" ? `s${item}` : item;
        if (seen.has(key)) return false;
        seen.add(key);
      } else {
        this.work(rest.length);
        if (rest.some((other) => equal(other, item))) return false;
        rest.push(item);
      }
    }
    return true;
  }

  /**
   * @param {SchemaObject} node
   * @param {Record<string, unknown>} value
   * @param {string} path
   * @param {Marks | undefined} marks
   * @param {readonly string[]} scope
   */
  object(node, value, path, marks, scope) {
    const names = Object.keys(value);
    let ok = this.count(node, names.length, path, "Properties", "members");
    for (const name of own(node, "required") ?? []) {
      if (!Object.hasOwn(value, name)) ok = this.fail(path, `must have the member ${quoted(name)}`);
    }
    const properties = own(node, "properties") ?? {};
    const patterns = Object.entries(own(node, "patternProperties") ?? {});
    const rest = own(node, "additionalProperties");
    const nameSchema = own(node, "propertyNames");
    for (const name of names) {
      const where = `${path}/${escapePointer(name)}`;
      let known = Object.hasOwn(properties, name);
      if (known) ok = this.check(properties[name], value[name], where, undefined, scope) && ok;
      for (const [pattern, schema] of patterns) {
        if (!this.occurs(pattern, name)) continue;
        known = true;
        ok = this.check(schema, value[name], where, undefined, scope) && ok;
      }
      if (!known && rest !== undefined) {
        known = true;
        if (rest === false) ok = this.fail(where, "is not a known member");
        else ok = this.check(rest, value[name], where, undefined, scope) && ok;
      }
      if (known) marks?.names.add(name);
      if (nameSchema !== undefined && !this.matches(nameSchema, name, where, undefined, scope)) {
        ok = this.fail(where, "does not have an allowed name");
      }
    }
    return this.dependencies(node, value, path, marks, scope) && ok;
  }

  /**
   * @param {SchemaObject} node
   * @param {Record<string, unknown>} value
   * @param {string} path
   * @param {Marks | undefined} marks
   * @param {readonly string[]} scope
   */
  dependencies(node, value, path, marks, scope) {
    let ok = true;
    const all = this.old
      ? [own(node, "dependencies")]
      : [own(node, "dependentRequired"), own(node, "dependentSchemas")];
    for (const group of all) {
      for (const [name, needs] of Object.entries(group ?? {})) {
        if (!Object.hasOwn(value, name)) continue;
        if (!Array.isArray(needs)) {
          ok = this.check(needs, value, path, marks, scope) && ok;
          continue;
        }
        for (const needed of needs) {
          if (!Object.hasOwn(value, needed)) {
            ok = this.fail(path, `with ${quoted(name)} must have the member ${quoted(needed)}`);
          }
        }
      }
    }
    return ok;
  }

  /**
   * @param {SchemaObject} node
   * @param {unknown} value
   * @param {string} path
   * @param {Marks | undefined} marks
   * @param {readonly string[]} scope
   */
  combined(node, value, path, marks, scope) {
    let ok = true;
    for (const each of own(node, "allOf") ?? []) {
      const found = marks && new Marks();
      const fits = this.check(each, value, path, found, scope);
      if (fits && found !== undefined) marks?.add(found);
      ok = fits && ok;
    }
    const any = own(node, "anyOf");
    if (any !== undefined) {
      let fits = 0;
      for (const each of any) {
        if (this.matches(each, value, path, marks, scope)) fits++;
        if (fits > 0 && marks === undefined) break;
      }
      if (fits === 0) ok = this.fail(path, "must match at least one of the alternatives");
    }
    const one = own(node, "oneOf");
    if (one !== undefined) {
      const fits = one.filter((/** @type {Node} */ each) =>
        this.matches(each, value, path, marks, scope),
      ).length;
      if (fits !== 1)
        ok = this.fail(path, `must match exactly one of the alternatives, not ${fits}`);
    }
    if (Object.hasOwn(node, "not") && this.matches(node["not"], value, path, undefined, scope)) {
      ok = this.fail(path, "must not match");
    }
    if (Object.hasOwn(node, "if")) {
      const branch = this.matches(node["if"], value, path, marks, scope) ? "then" : "else";
      if (Object.hasOwn(node, branch))
        ok = this.check(node[branch], value, path, marks, scope) && ok;
    }
    return ok;
  }

  /**
   * @param {SchemaObject} node
   * @param {unknown} value
   * @param {string} path
   * @param {Marks} marks
   * @param {readonly string[]} scope
   */
  unevaluated(node, value, path, marks, scope) {
    let ok = true;
    const items = own(node, "unevaluatedItems");
    if (items !== undefined && Array.isArray(value) && !marks.allItems) {
      for (let index = marks.itemsBelow; index < value.length; index++) {
        if (marks.items.has(index)) continue;
        ok = this.check(items, value[index], `${path}/${index}`, undefined, scope) && ok;
      }
      marks.allItems = true;
    }
    const members = own(node, "unevaluatedProperties");
    if (members !== undefined && isObject(value) && !isNumber(value) && !marks.allNames) {
      for (const name of Object.keys(value)) {
        if (marks.names.has(name)) continue;
        const where = `${path}/${escapePointer(name)}`;
        ok = this.check(members, value[name], where, undefined, scope) && ok;
      }
      marks.allNames = true;
    }
    return ok;
  }
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

/** @param {string} name */
function escapePointer(name) {
  return name.replaceAll("~", "~0").replaceAll("/", "~1");
}

/** @param {string} name */
function quoted(name) {
  return JSON.stringify(name.length > 80 ? `${name.slice(0, 80)}…` : name);
}
