// @ts-check
/**
 * One check of one value against one schema: walks both side by side, collects the problems and
 * counts the work, so that no schema and no value can hold the page.
 */

import { isObject } from "./json_number.js";
import { combined, unevaluated } from "./schema_combined.js";
import { array, object } from "./schema_containers.js";
import { Marks } from "./schema_marks.js";
import { isNumber } from "./schema_numbers.js";
import { own } from "./schema_resources.js";
import { general, number, text } from "./schema_scalars.js";

/** @import { Node, Resources, SchemaObject } from "./schema_resources.js" */
/** @import { Pattern } from "./schema_pattern.js" */
/** @import { SchemaProblem } from "./schema.js" */

/** The largest message may meet some two dozen schemas at each of its values. */
const MAX_STEPS = 400_000;
const MAX_DEPTH = 128;
const MAX_PROBLEMS = 64;
const MAX_PATH_CHARS = 1_024;

/** The step budget is spent. */
export class TooMuchWork extends Error {}

/** One check of one value. */
export class Run {
  /**
   * @param {Resources} resources
   * @param {Map<string, Pattern>} patterns
   * @param {Map<SchemaObject, Node>} refs
   * @param {Map<SchemaObject, Node>} dynamicRefs What each points at where nobody overrides it.
   */
  constructor(resources, patterns, refs, dynamicRefs) {
    this.resources = resources;
    this.patterns = patterns;
    this.refs = refs;
    this.dynamicRefs = dynamicRefs;
    this.old = resources.dialect === "draft-07";
    this.steps = 0;
    this.spend = (/** @type {number} */ steps) => this.work(steps);
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
      this.problems.push({ path: shortened(path), message });
    return false;
  }

  /** @param {number} [steps] */
  work(steps = 1) {
    this.steps += steps;
    if (this.steps > MAX_STEPS) throw new TooMuchWork();
  }

  /**
   * Counts a look at something large: little each time, and a schema can ask for it any number of times.
   *
   * @param {number} length Of a list, an object or a text.
   */
  look(length) {
    this.work(length >> 4);
  }

  /**
   * @param {Marks | undefined} marks
   * @param {Marks | undefined} found What another check evaluated.
   */
  merge(marks, found) {
    if (marks === undefined || found === undefined) return;
    this.look(found.names.size + found.items.size);
    marks.add(found);
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
      if (ok) this.merge(marks, found);
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
    const dynamic = this.dynamicRefs.get(node);
    if (dynamic !== undefined) {
      const target = this.dynamicTarget(node["$dynamicRef"], dynamic, scope);
      ok = this.check(target, value, path, marks, scope) && ok;
    }
    ok = general(this, node, value, path) && ok;
    if (typeof value === "string") ok = text(this, node, value, path) && ok;
    else if (isNumber(value)) ok = number(this, node, value, path) && ok;
    else if (Array.isArray(value)) ok = array(this, node, value, path, marks, scope) && ok;
    else if (isObject(value)) ok = object(this, node, value, path, marks, scope) && ok;
    ok = combined(this, node, value, path, marks, scope) && ok;
    if (asks && marks !== undefined) {
      ok = unevaluated(this, node, value, path, marks, scope) && ok;
      this.merge(outer, marks);
    }
    return ok;
  }

  /**
   * @param {string} reference
   * @param {Node} target What it points at by itself.
   * @param {readonly string[]} scope
   * @returns {Node} What the outermost resource on the way puts in its place.
   */
  dynamicTarget(reference, target, scope) {
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

  /** @param {string} pattern @param {string} text */
  occurs(pattern, text) {
    const occurs = /** @type {Pattern} */ (this.patterns.get(pattern));
    return occurs(text, this.spend);
  }
}

/**
 * A path that is too long to be told points at the nearest ancestor whose path is not: all
 * problems together must fit into an answer.
 *
 * @param {string} path
 */
function shortened(path) {
  return path.length <= MAX_PATH_CHARS
    ? path
    : path.slice(0, Math.max(0, path.lastIndexOf("/", MAX_PATH_CHARS)));
}
