// @ts-check
/**
 * The JSON Schema of what a method takes and gives, made of its types in Candid and of nothing else.
 * What a schema cannot say exactly (a 64-bit range, a sum, an encoding) is checked with the value.
 * Contract: bus, kernel tools, Candid and JSON.
 */

import { NUMBERS } from "./candid_numbers.js";
import { mayBeLeftOut, shapeOf, takesNull } from "./candid_types.js";
import { MAX_PRINCIPAL_CHARS } from "./principal_text.js";
import { setOwn } from "../../contract/json_number.js";

/** @import { CandidType, Definitions, Field, FuncType, Parameter, Primitive } from "./candid_types.js" */

/** @typedef {Record<string, unknown>} Schema */

const PRINCIPAL = Object.freeze({
  description: "A principal as text.",
  type: "string",
  maxLength: MAX_PRINCIPAL_CHARS,
  pattern: "^[a-z2-7]{5}(?:-[a-z2-7]{1,5})*$",
});
/** Types within types before one is said apart: a message holds no more than so many levels. */
const MAX_NESTED = 8;
const METHOD_NAME = Object.freeze({ type: "string" });

/**
 * An object with a member for each argument.
 *
 * @param {FuncType} func
 * @param {Definitions} types
 * @returns {Schema}
 */
export function argumentsSchema({ args }, types) {
  return new SchemaMaker(types).whole((maker) => maker.object(args));
}

/**
 * Null for no result, the result itself for one, a list for more.
 *
 * @param {FuncType} func
 * @param {Definitions} types
 * @returns {Schema}
 */
export function resultsSchema({ results }, types) {
  return new SchemaMaker(types).whole((maker) => {
    const [first] = results;
    if (first === undefined) return { type: "null" };
    return results.length === 1 ? maker.of(first.type) : maker.list(results);
  });
}

class SchemaMaker {
  /** @param {Definitions} types */
  constructor(types) {
    this._types = types;
    /** What is said apart, by name, and referred to. @type {Map<string, CandidType>} */
    this._apart = new Map();
    this._depth = 0;
  }

  /** @param {(maker: SchemaMaker) => Schema} make */
  whole(make) {
    const schema = make(this);
    /** @type {Schema} */
    const definitions = {};
    // The map grows under the loop: definitions refer to others, and to themselves.
    for (const [name, type] of this._apart) setOwn(definitions, name, this._shape(type));
    return this._apart.size === 0 ? schema : { ...schema, $defs: definitions };
  }

  /**
   * @param {CandidType} type
   * @returns {Schema}
   */
  of(type) {
    if (type.kind === "name") return this._named(type.name);
    if (this._depth >= MAX_NESTED) return this._said(`deep.${this._apart.size}`, type);
    this._depth += 1;
    const schema = this._shape(type);
    this._depth -= 1;
    return schema;
  }

  /**
   * @param {CandidType} type
   * @returns {Schema}
   */
  _shape(type) {
    switch (type.kind) {
      case "primitive":
        return primitive(type.name);
      case "blob":
        return { description: "Bytes in base64.", type: "string", contentEncoding: "base64" };
      case "vec":
        return { type: "array", items: this.of(type.of) };
      case "opt":
        return this._option(type.of);
      case "record":
        return type.tuple ? this.list(type.fields) : this.object(type.fields);
      case "variant":
        return this._variant(type.fields);
      case "func":
        return {
          description: "A method of a service.",
          type: "object",
          properties: { principal: PRINCIPAL, method: METHOD_NAME },
          required: ["principal", "method"],
          additionalProperties: false,
        };
      case "service":
        return { ...PRINCIPAL, description: "A service, by its principal." };
      case "name":
        return this._named(type.name);
    }
  }

  /**
   * @param {readonly (Field | Parameter)[]} members
   * @returns {Schema}
   */
  object(members) {
    /** @type {Schema} */
    const properties = {};
    for (const { name, type } of members) setOwn(properties, name, this.of(type));
    const required = members.filter(({ type }) => !mayBeLeftOut(type, this._types));
    return {
      type: "object",
      properties,
      required: required.map(({ name }) => name),
      additionalProperties: false,
    };
  }

  /**
   * @param {readonly (Field | Parameter)[]} members
   * @returns {Schema}
   */
  list(members) {
    return {
      type: "array",
      prefixItems: members.map(({ type }) => this.of(type)),
      items: false,
      minItems: members.length,
    };
  }

  /** @param {CandidType} type */
  _option(type) {
    const schema = this.of(type);
    if (!takesNull(type, this._types)) return { anyOf: [{ type: "null" }, schema] };
    return {
      description: "An empty list for none, or a list of the one value.",
      type: "array",
      items: schema,
      maxItems: 1,
    };
  }

  /** @param {readonly Field[]} fields */
  _variant(fields) {
    if (fields.length === 0) return NONE;
    return {
      oneOf: fields.map(({ name, type }) => {
        /** @type {Schema} */
        const properties = {};
        setOwn(properties, name, this.of(type));
        return { type: "object", properties, required: [name], additionalProperties: false };
      }),
    };
  }

  /** @param {string} name */
  _named(name) {
    const shape = shapeOf({ kind: "name", name }, this._types);
    if (shape.kind === "primitive") return primitive(shape.name);
    return this._said(name, shape);
  }

  /**
   * @param {string} name No name of the description's has a dot.
   * @param {CandidType} type
   */
  _said(name, type) {
    this._apart.set(name, type);
    return { $ref: `#/$defs/${name}` };
  }
}

/** What no value is of. */
const NONE = Object.freeze({ not: {} });

/**
 * @param {Primitive} name
 * @returns {Schema}
 */
function primitive(name) {
  switch (name) {
    case "null":
      return { type: "null" };
    case "bool":
      return { type: "boolean" };
    case "text":
      return { type: "string" };
    case "reserved":
      return {};
    case "empty":
      return NONE;
    case "principal":
      return PRINCIPAL;
    case "float32":
    case "float64":
      return {
        description: name,
        anyOf: [{ type: "number" }, { enum: ["NaN", "Infinity", "-Infinity"] }],
      };
    default:
      return integer(name);
  }
}

/** @param {keyof typeof NUMBERS} name */
function integer(name) {
  const { least, most, asText, maxDigits } = NUMBERS[name];
  if (!asText) return { type: "integer", minimum: Number(least), maximum: Number(most) };
  const sign = least === 0n ? "" : "-?";
  return {
    description: `${name}, in decimal.`,
    type: "string",
    maxLength: maxDigits + (least === 0n ? 0 : 1),
    pattern: `^(?:0|${sign}[1-9][0-9]*)$`,
  };
}
