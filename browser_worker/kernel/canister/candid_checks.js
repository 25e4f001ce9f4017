// @ts-check
/** What holds of a whole description in Candid, and not of a part: every name is bound, and ends. */

import { CandidError } from "./candid_lexer.js";
import { shapeOf } from "./candid_types.js";

/** @import { Token } from "./candid_lexer.js" */
/** @import { CandidService, CandidType, FuncType } from "./candid_types.js" */

/**
 * @param {Map<string, CandidType>} types Lists of bytes in them become blobs.
 * @param {CandidType} actor
 * @param {ReadonlyMap<object, Token>} places Of names and definitions.
 * @param {Token} place Of the service.
 * @returns {CandidService}
 * @throws {CandidError}
 */
export function checkDefinitions(types, actor, places, place) {
  const at = (/** @type {object} */ type) => places.get(type) ?? place;
  const all = [...[...types.values()].flatMap(partsOf), ...partsOf(actor)];
  for (const type of all) {
    if (type.kind !== "name" || types.has(type.name)) continue;
    throw new CandidError(`there is no type ${type.name}`, at(type));
  }
  requireEnds(types, at);
  const methods = methodsOf(actor, types, at, place);
  for (const type of all) {
    if (type.kind === "service")
      for (const each of type.methods.values()) requireFunc(each, types, at);
    // Both are the same type; JSON has one form for it.
    if (type.kind === "vec" && isByte(shapeOf(type.of, types))) becomeBlob(type);
  }
  return { types, methods };
}

/**
 * @param {Map<string, CandidType>} types
 * @param {(type: object) => Token} at
 */
function requireEnds(types, at) {
  /** @type {Set<string>} */
  const sound = new Set();
  for (const name of types.keys()) {
    /** @type {Set<string>} */
    const passed = new Set();
    let type = types.get(name);
    for (let each = name; !sound.has(each);) {
      passed.add(each);
      if (type?.kind !== "name") break;
      each = type.name;
      if (passed.has(each)) throw new CandidError(`the type ${each} is only itself`, at(type));
      type = types.get(each);
    }
    for (const each of passed) sound.add(each);
  }
}

/**
 * @param {CandidType} actor
 * @param {Map<string, CandidType>} types
 * @param {(type: object) => Token} at
 * @param {Token} place
 * @returns {Map<string, FuncType>}
 */
function methodsOf(actor, types, at, place) {
  const service = shapeOf(actor, types);
  if (service.kind !== "service")
    throw new CandidError("what the service is called is no service", place);
  return new Map([...service.methods].map(([name, type]) => [name, requireFunc(type, types, at)]));
}

/**
 * @param {CandidType} type
 * @param {Map<string, CandidType>} types
 * @param {(type: object) => Token} at
 */
function requireFunc(type, types, at) {
  const shape = shapeOf(type, types);
  if (shape.kind !== "func") throw new CandidError("a method is no function", at(type));
  return shape;
}

/**
 * A type and all that it is made of, without what its names stand for.
 *
 * @param {CandidType} type
 * @returns {CandidType[]}
 */
function partsOf(type) {
  switch (type.kind) {
    case "opt":
    case "vec":
      return [type, ...partsOf(type.of)];
    case "record":
    case "variant":
      return [type, ...type.fields.flatMap((field) => partsOf(field.type))];
    case "func":
      return [type, ...[...type.args, ...type.results].flatMap((each) => partsOf(each.type))];
    case "service":
      return [type, ...[...type.methods.values()].flatMap(partsOf)];
    default:
      return [type];
  }
}

/** @param {CandidType} type */
function isByte(type) {
  return type.kind === "primitive" && type.name === "nat8";
}

/** @param {CandidType} type */
function becomeBlob(type) {
  const changed = /** @type {{ kind: string, of?: CandidType }} */ (type);
  changed.kind = "blob";
  delete changed.of;
}
