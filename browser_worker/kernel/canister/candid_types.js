// @ts-check
/** The types of Candid, as a description of an interface is read into them. */

/**
 * @typedef {"null" | "bool" | "text" | "nat" | "nat8" | "nat16" | "nat32" | "nat64" | "int" | "int8"
 *   | "int16" | "int32" | "int64" | "float32" | "float64" | "reserved" | "empty" | "principal"} Primitive
 */

/**
 * @typedef {object} Field
 * @property {string} name As JSON has it: a field that has only a number is `_NUMBER_`.
 * @property {CandidType} type
 */

/**
 * @typedef {object} Parameter
 * @property {string} name As JSON has it: `arg0`, `arg1` and so on where the description has none.
 * @property {CandidType} type
 */

/** @typedef {"update" | "query" | "composite_query" | "oneway"} FuncMode */
/** @typedef {{ kind: "func", args: Parameter[], results: Parameter[], mode: FuncMode }} FuncType */

/**
 * @typedef {{ kind: "primitive", name: Primitive }
 *   | { kind: "blob" }
 *   | { kind: "opt", of: CandidType }
 *   | { kind: "vec", of: CandidType }
 *   | { kind: "record", fields: Field[], tuple: boolean }
 *   | { kind: "variant", fields: Field[] }
 *   | FuncType
 *   | { kind: "service", methods: Map<string, CandidType> }
 *   | { kind: "name", name: string }} CandidType A `name` is of a definition.
 */

/** @typedef {Exclude<CandidType, { kind: "name" }>} Shape A type that is no name of another. */
/** @typedef {ReadonlyMap<string, CandidType>} Definitions By name; each name in them is bound. */

/**
 * @typedef {object} CandidService A description that was read and checked.
 * @property {Definitions} types
 * @property {ReadonlyMap<string, FuncType>} methods
 */

/** @type {ReadonlySet<string>} */
const PRIMITIVES = new Set(
  (
    "null bool text nat nat8 nat16 nat32 nat64 int int8 int16 int32 int64 float32 float64 " +
    "reserved empty principal"
  ).split(" "),
);

/**
 * @param {string} name
 * @returns {name is Primitive}
 */
export function isPrimitive(name) {
  return PRIMITIVES.has(name);
}

/**
 * What a type is, whatever it is called.
 *
 * @param {CandidType} type
 * @param {Definitions} types Checked ones: no name leads to itself alone.
 * @returns {Shape}
 */
export function shapeOf(type, types) {
  let shape = type;
  while (shape.kind === "name") {
    const named = types.get(shape.name);
    if (named === undefined) throw new TypeError(`no type ${shape.name}`);
    shape = named;
  }
  return shape;
}

/**
 * Whether null is a value of it already, so that an option of it needs a form of its own.
 *
 * @param {CandidType} type
 * @param {Definitions} types
 */
export function takesNull(type, types) {
  const shape = shapeOf(type, types);
  if (shape.kind === "primitive") return shape.name === "null" || shape.name === "reserved";
  return shape.kind === "opt";
}

/**
 * Whether a record may be without a field of it.
 *
 * @param {CandidType} type
 * @param {Definitions} types
 */
export function mayBeLeftOut(type, types) {
  return takesNull(type, types);
}

/** The number that stands for a field's name. @param {string} name */
export function fieldNumber(name) {
  let number = 0;
  for (const byte of new TextEncoder().encode(name)) {
    number = (Math.imul(number, 223) + byte) >>> 0;
  }
  return number;
}
