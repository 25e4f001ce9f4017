// @ts-check
/** The keywords that put other schemas together, and those that see what these left over. */

import { isObject } from "./json_number.js";
import { escapePointer } from "./schema_containers.js";
import { Marks } from "./schema_marks.js";
import { isNumber } from "./schema_numbers.js";
import { own } from "./schema_resources.js";

/** @import { SchemaObject, Node } from "./schema_resources.js" */
/** @import { Run } from "./schema_run.js" */

/**
 * @param {Run} run
 * @param {SchemaObject} node
 * @param {unknown} value
 * @param {string} path
 * @param {Marks | undefined} marks
 * @param {readonly string[]} scope
 */
export function combined(run, node, value, path, marks, scope) {
  let ok = true;
  for (const each of own(node, "allOf") ?? []) {
    const found = marks && new Marks();
    const fits = run.check(each, value, path, found, scope);
    if (fits) run.merge(marks, found);
    ok = fits && ok;
  }
  const any = own(node, "anyOf");
  if (any !== undefined) {
    let fits = 0;
    for (const each of any) {
      if (run.matches(each, value, path, marks, scope)) fits++;
      if (fits > 0 && marks === undefined) break;
    }
    if (fits === 0) ok = run.fail(path, "must match at least one of the alternatives");
  }
  const one = own(node, "oneOf");
  if (one !== undefined) {
    const fits = one.filter((/** @type {Node} */ each) =>
      run.matches(each, value, path, marks, scope),
    ).length;
    if (fits !== 1) ok = run.fail(path, `must match exactly one of the alternatives, not ${fits}`);
  }
  if (Object.hasOwn(node, "not") && run.matches(node["not"], value, path, undefined, scope)) {
    ok = run.fail(path, "must not match");
  }
  if (Object.hasOwn(node, "if")) {
    const branch = run.matches(node["if"], value, path, marks, scope) ? "then" : "else";
    if (Object.hasOwn(node, branch)) ok = run.check(node[branch], value, path, marks, scope) && ok;
  }
  return ok;
}

/**
 * @param {Run} run
 * @param {SchemaObject} node
 * @param {unknown} value
 * @param {string} path
 * @param {Marks} marks
 * @param {readonly string[]} scope
 */
export function unevaluated(run, node, value, path, marks, scope) {
  let ok = true;
  const items = own(node, "unevaluatedItems");
  if (items !== undefined && Array.isArray(value) && !marks.allItems) {
    run.look(value.length);
    for (let index = marks.itemsBelow; index < value.length; index++) {
      if (marks.items.has(index)) continue;
      ok = run.check(items, value[index], `${path}/${index}`, undefined, scope) && ok;
    }
    marks.allItems = true;
  }
  const members = own(node, "unevaluatedProperties");
  if (members !== undefined && isObject(value) && !isNumber(value) && !marks.allNames) {
    const names = Object.keys(value);
    run.look(names.length);
    for (const name of names) {
      if (marks.names.has(name)) continue;
      const where = `${path}/${escapePointer(name)}`;
      ok = run.check(members, value[name], where, undefined, scope) && ok;
    }
    marks.allNames = true;
  }
  return ok;
}
