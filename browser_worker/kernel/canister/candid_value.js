// @ts-check
/**
 * Values between JSON and what a connector is given: exact, with ranges, sums and encodings checked.
 *
 * A connector's values: numbers up to 32 bits and floats are numbers, larger ones BigInts; a blob is a
 * Uint8Array; an option is `[]` or `[value]`; a variant is an object of one member; a tuple is a list;
 * a principal stays text. Contract: bus, kernel tools, Candid and JSON.
 */

import { isObject, setOwn } from "../../contract/json_number.js";
import { escapePointer } from "../../contract/schema_containers.js";
import { FROM_JSON, TO_JSON, wrong } from "./candid_leaves.js";
import { mayBeLeftOut, shapeOf, takesNull } from "./candid_types.js";

/** @import { Side } from "./candid_leaves.js" */
/** @import { CandidType, Definitions, Field, Parameter } from "./candid_types.js" */

export { CandidValueError } from "./candid_leaves.js";

const MAX_DEPTH = 64;

/**
 * @param {CandidType} type
 * @param {Definitions} types
 * @param {unknown} json
 * @param {string} [path] Where it stands.
 * @returns {unknown} As a connector is given it.
 * @throws {CandidValueError}
 */
export function fromJson(type, types, json, path = "") {
  return convert({ types, side: FROM_JSON, depth: 0 }, type, json, path);
}

/**
 * @param {CandidType} type
 * @param {Definitions} types
 * @param {unknown} value As a connector gives it.
 * @param {string} [path]
 * @returns {unknown} Plain JSON data.
 * @throws {CandidValueError}
 */
export function toJson(type, types, value, path = "") {
  return convert({ types, side: TO_JSON, depth: 0 }, type, value, path);
}

/**
 * The arguments of a call, in order.
 *
 * @param {readonly Parameter[]} parameters
 * @param {Definitions} types
 * @param {Record<string, unknown>} given By name.
 * @returns {unknown[]}
 * @throws {CandidValueError}
 */
export function argumentsFromJson(parameters, types, given) {
  const walk = { types, side: FROM_JSON, depth: 0 };
  requireNames(parameters, given, "");
  return parameters.map((parameter) => member(walk, parameter, given, ""));
}

/**
 * @typedef {object} Walk
 * @property {Definitions} types
 * @property {Side} side
 * @property {number} depth
 */

/**
 * @param {Walk} walk
 * @param {CandidType} type
 * @param {unknown} value
 * @param {string} path
 * @returns {unknown}
 */
function convert(walk, type, value, path) {
  if (walk.depth > MAX_DEPTH) throw wrong(path, "is nested too deep");
  const inner = { ...walk, depth: walk.depth + 1 };
  const shape = shapeOf(type, walk.types);
  switch (shape.kind) {
    case "vec":
      if (!Array.isArray(value)) throw wrong(path, "must be a list");
      return Array.from(value, (item, at) => convert(inner, shape.of, item, `${path}/${at}`));
    case "opt":
      return option(inner, shape.of, value, path);
    case "record":
      return shape.tuple
        ? tuple(inner, shape.fields, value, path)
        : record(inner, shape.fields, value, path);
    case "variant":
      return variant(inner, shape.fields, value, path);
    default:
      return walk.side.leaf(shape, value, path);
  }
}

/**
 * @param {Walk} walk
 * @param {CandidType} of
 * @param {unknown} value
 * @param {string} path
 */
function option(walk, of, value, path) {
  const asList = takesNull(of, walk.types);
  if (walk.side.fromJson && !asList) {
    return value === null ? [] : [convert(walk, of, value, path)];
  }
  if (!Array.isArray(value) || value.length > 1) {
    throw wrong(path, "must be an empty list, or a list of one value");
  }
  if (value.length === 0) return walk.side.fromJson || asList ? [] : null;
  const inner = convert(walk, of, value[0], asList ? `${path}/0` : path);
  return walk.side.fromJson || asList ? [inner] : inner;
}

/**
 * @param {Walk} walk
 * @param {readonly Field[]} fields
 * @param {unknown} value
 * @param {string} path
 */
function tuple(walk, fields, value, path) {
  if (!Array.isArray(value) || value.length !== fields.length) {
    throw wrong(path, `must be a list of ${fields.length}`);
  }
  return fields.map(({ type }, at) => convert(walk, type, value[at], `${path}/${at}`));
}

/**
 * @param {Walk} walk
 * @param {readonly Field[]} fields
 * @param {unknown} value
 * @param {string} path
 */
function record(walk, fields, value, path) {
  if (!isObject(value)) throw wrong(path, "must be an object");
  requireNames(fields, value, path);
  /** @type {Record<string, unknown>} */
  const members = {};
  for (const field of fields) setOwn(members, field.name, member(walk, field, value, path));
  return members;
}

/**
 * @param {Walk} walk
 * @param {Field | Parameter} field
 * @param {Record<string, unknown>} value
 * @param {string} path
 */
function member(walk, { name, type }, value, path) {
  const { types, side } = walk;
  if (Object.hasOwn(value, name)) return convert(walk, type, value[name], pathTo(path, name));
  if (!side.fromJson || !mayBeLeftOut(type, types)) {
    throw wrong(path, `must have the member ${JSON.stringify(name)}`);
  }
  return shapeOf(type, types).kind === "opt" ? [] : null;
}

/**
 * @param {Walk} walk
 * @param {readonly Field[]} fields
 * @param {unknown} value
 * @param {string} path
 */
function variant(walk, fields, value, path) {
  const names = isObject(value) ? Object.keys(value) : [];
  const field = names.length === 1 ? fields.find(({ name }) => name === names[0]) : undefined;
  if (field === undefined) throw wrong(path, "must have one member, of those that there are");
  /** @type {Record<string, unknown>} */
  const made = {};
  setOwn(made, field.name, member(walk, field, /** @type {any} */ (value), path));
  return made;
}

/**
 * @param {readonly (Field | Parameter)[]} fields
 * @param {Record<string, unknown>} value
 * @param {string} path
 */
function requireNames(fields, value, path) {
  const names = new Set(fields.map(({ name }) => name));
  for (const name of Object.keys(value)) {
    if (!names.has(name)) throw wrong(pathTo(path, name), "is no member of it");
  }
}

/**
 * @param {string} path
 * @param {string} name
 */
function pathTo(path, name) {
  return `${path}/${escapePointer(name)}`;
}
