// @ts-check
/** The keywords that look into arrays and objects. */

import { canonical, compare } from "./schema_numbers.js";
import { own } from "./schema_resources.js";
import { count } from "./schema_scalars.js";

/** @import { SchemaObject } from "./schema_resources.js" */
/** @import { Run } from "./schema_run.js" */
/** @import { Marks } from "./schema_marks.js" */

const MAX_TOLD_CHARS = 80;
/** The keywords for which all members of an object are looked at. */
const OF_MEMBERS = ["properties", "patternProperties", "additionalProperties", "propertyNames"];
const OF_COUNT = ["minProperties", "maxProperties"];

/**
 * @param {Run} run
 * @param {SchemaObject} node
 * @param {unknown[]} items
 * @param {string} path
 * @param {Marks | undefined} marks
 * @param {readonly string[]} scope
 */
export function array(run, node, items, path, marks, scope) {
  let ok = count(run, node, items.length, path, "Items", "items");
  const tuple = run.old
    ? Array.isArray(node["items"])
      ? node["items"]
      : []
    : (own(node, "prefixItems") ?? []);
  const rest = run.old
    ? Array.isArray(node["items"])
      ? own(node, "additionalItems")
      : own(node, "items")
    : own(node, "items");
  for (let index = 0; index < items.length; index++) {
    const schema = index < tuple.length ? tuple[index] : rest;
    if (schema === undefined) break;
    ok = run.check(schema, items[index], `${path}/${index}`, undefined, scope) && ok;
  }
  if (marks !== undefined) {
    marks.itemsBelow = Math.max(marks.itemsBelow, tuple.length);
    marks.allItems ||= rest !== undefined;
  }
  if (Object.hasOwn(node, "contains")) ok = contains(run, node, items, path, marks, scope) && ok;
  if (node["uniqueItems"] === true && !unique(run, items)) {
    ok = run.fail(path, "must not hold an item twice");
  }
  return ok;
}

/**
 * @param {Run} run
 * @param {SchemaObject} node
 * @param {unknown[]} items
 * @param {string} path
 * @param {Marks | undefined} marks
 * @param {readonly string[]} scope
 */
function contains(run, node, items, path, marks, scope) {
  let found = 0;
  for (let index = 0; index < items.length; index++) {
    if (!run.matches(node["contains"], items[index], `${path}/${index}`, undefined, scope))
      continue;
    found++;
    marks?.items.add(index);
  }
  const least = run.old ? 1 : (own(node, "minContains") ?? 1);
  const most = run.old ? undefined : own(node, "maxContains");
  if (compare(found, least) < 0) return run.fail(path, `must contain at least ${least} such items`);
  if (most !== undefined && compare(found, most) > 0) {
    return run.fail(path, `must contain at most ${most} such items`);
  }
  return true;
}

/**
 * @param {Run} run
 * @param {unknown[]} items
 */
function unique(run, items) {
  const seen = new Set();
  for (const item of items) {
    const text = canonical(item);
    run.work(1 + (text.length >> 5));
    if (seen.has(text)) return false;
    seen.add(text);
  }
  return true;
}

/**
 * @param {Run} run
 * @param {SchemaObject} node
 * @param {Record<string, unknown>} value
 * @param {string} path
 * @param {Marks | undefined} marks
 * @param {readonly string[]} scope
 */
export function object(run, node, value, path, marks, scope) {
  let ok = true;
  const asked = (/** @type {string} */ keyword) => Object.hasOwn(node, keyword);
  const looks = OF_MEMBERS.some(asked);
  /** @type {string[]} */
  let names = [];
  if (looks || OF_COUNT.some(asked)) {
    names = Object.keys(value);
    run.look(names.length);
    ok = count(run, node, names.length, path, "Properties", "members");
  }
  const required = own(node, "required") ?? [];
  run.look(required.length);
  for (const name of required) {
    if (!Object.hasOwn(value, name)) ok = run.fail(path, `must have the member ${quoted(name)}`);
  }
  if (looks) ok = members(run, node, value, names, path, marks, scope) && ok;
  return dependencies(run, node, value, path, marks, scope) && ok;
}

/**
 * @param {Run} run
 * @param {SchemaObject} node
 * @param {Record<string, unknown>} value
 * @param {string[]} names
 * @param {string} path
 * @param {Marks | undefined} marks
 * @param {readonly string[]} scope
 */
function members(run, node, value, names, path, marks, scope) {
  let ok = true;
  const properties = own(node, "properties") ?? {};
  const patterns = Object.entries(own(node, "patternProperties") ?? {});
  const rest = own(node, "additionalProperties");
  const nameSchema = own(node, "propertyNames");
  for (const name of names) {
    run.look(name.length >> 4);
    const where = `${path}/${escapePointer(name)}`;
    let known = Object.hasOwn(properties, name);
    if (known) ok = run.check(properties[name], value[name], where, undefined, scope) && ok;
    for (const [pattern, schema] of patterns) {
      if (!run.occurs(pattern, name)) continue;
      known = true;
      ok = run.check(schema, value[name], where, undefined, scope) && ok;
    }
    if (!known && rest !== undefined) {
      known = true;
      if (rest === false) ok = run.fail(where, "is not a known member");
      else ok = run.check(rest, value[name], where, undefined, scope) && ok;
    }
    if (known) marks?.names.add(name);
    if (nameSchema !== undefined && !run.matches(nameSchema, name, where, undefined, scope)) {
      ok = run.fail(where, "does not have an allowed name");
    }
  }
  return ok;
}

/**
 * @param {Run} run
 * @param {SchemaObject} node
 * @param {Record<string, unknown>} value
 * @param {string} path
 * @param {Marks | undefined} marks
 * @param {readonly string[]} scope
 */
function dependencies(run, node, value, path, marks, scope) {
  let ok = true;
  const all = run.old
    ? [own(node, "dependencies")]
    : [own(node, "dependentRequired"), own(node, "dependentSchemas")];
  for (const group of all) {
    const entries = Object.entries(group ?? {});
    run.look(entries.length);
    for (const [name, needs] of entries) {
      if (!Object.hasOwn(value, name)) continue;
      if (!Array.isArray(needs)) {
        ok = run.check(needs, value, path, marks, scope) && ok;
        continue;
      }
      run.look(needs.length);
      for (const needed of needs) {
        if (!Object.hasOwn(value, needed)) {
          ok = run.fail(path, `with ${quoted(name)} must have the member ${quoted(needed)}`);
        }
      }
    }
  }
  return ok;
}

/**
 * A name as a part of a JSON Pointer.
 *
 * @param {string} name
 * @returns {string}
 */
export function escapePointer(name) {
  return name.replaceAll("~", "~0").replaceAll("/", "~1");
}

/** @param {string} name */
function quoted(name) {
  // By characters: half of one would be no text.
  const start = Array.from(name.slice(0, 2 * MAX_TOLD_CHARS + 2));
  const isLong = start.length > MAX_TOLD_CHARS;
  return JSON.stringify(isLong ? `${start.slice(0, MAX_TOLD_CHARS).join("")}…` : name);
}
