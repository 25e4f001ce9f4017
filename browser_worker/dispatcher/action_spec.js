// @ts-check
/**
 * What an app says of one action before anybody calls it: name, kind, schemas, bits.
 */

import { JSON_LIMITS, PROTOCOL_LIMITS } from "../contract/limits.js";
import { compile } from "../contract/schema.js";
import { StrictJsonError } from "../contract/strict_json.js";
import { jsonCopy } from "./json_copy.js";

/** @import { Validator } from "../contract/schema.js" */

/** @typedef {Record<string, unknown> | boolean} Schema A JSON Schema, 2020-12 unless it says draft-07. */

/**
 * @typedef {object} ActionOptions
 * @property {Schema} [inputSchema] Without one the action takes no members.
 * @property {Schema} [outputSchema] Without one the action gives any object.
 * @property {number | bigint} [capabilities] Bits that the host must hold for this action; opaque here.
 * @property {boolean} [undo] Whether the app can undo it.
 * @property {string} [transaction] The domain whose atomic batches it can be part of.
 * @property {number} [commandId] The app's own number for it, unique among its actions.
 */

/** A description of the action holds its schemas three containers deep. */
const SCHEMA_LIMITS = Object.freeze({ ...JSON_LIMITS, maxDepth: JSON_LIMITS.maxDepth - 3 });

const NAME = /^[A-Za-z0-9._-]+$/;

/**
 * A schema as it will be sent and checked, whatever becomes of the app's own object.
 *
 * @param {string} action
 * @param {Schema} schema
 * @returns {Schema}
 */
function schemaCopy(action, schema) {
  try {
    return jsonCopy(schema, SCHEMA_LIMITS);
  } catch (error) {
    if (!(error instanceof StrictJsonError)) throw error;
    throw new TypeError(`${action}: a schema of it cannot be sent: ${error.message}`, {
      cause: error,
    });
  }
}

/** One named operation of an app. Immutable. */
export class ActionSpec {
  /**
   * Use `ActionSpec.read` and `ActionSpec.write`.
   *
   * @param {"read" | "write"} kind
   * @param {string} name 1 to 128 letters, digits, `.`, `_` and `-`.
   * @param {string} description One sentence for a person or a model that has never seen the app.
   * @param {ActionOptions} options
   * @throws {TypeError} For a name or an option out of bounds; `SchemaError` for a bad schema.
   */
  constructor(kind, name, description, options) {
    if (
      typeof name !== "string" ||
      name.length > PROTOCOL_LIMITS.maxActionNameChars ||
      !NAME.test(name)
    ) {
      throw new TypeError(`not an action name: ${String(name).slice(0, 140)}`);
    }
    if (typeof description !== "string" || description === "") {
      throw new TypeError(`${name}: an action needs a description`);
    }
    if (options.commandId !== undefined && !Number.isSafeInteger(options.commandId)) {
      throw new TypeError(`${name}: commandId is not an integer`);
    }
    const bits = options.capabilities ?? 0;
    if ((typeof bits !== "bigint" && !Number.isSafeInteger(bits)) || bits < 0) {
      throw new TypeError(`${name}: capability bits are an integer and not negative`);
    }
    const { transaction } = options;
    if (transaction !== undefined && (typeof transaction !== "string" || transaction === "")) {
      throw new TypeError(`${name}: a transaction domain is a name`);
    }
    /** @readonly */
    this.kind = kind;
    /** @readonly */
    this.name = name;
    /** @readonly */
    this.description = description;
    /** @readonly @type {Schema} */
    this.inputSchema = schemaCopy(
      name,
      options.inputSchema ?? { type: "object", additionalProperties: false },
    );
    /** @readonly @type {Schema} */
    this.outputSchema = schemaCopy(name, options.outputSchema ?? { type: "object" });
    /** @readonly */
    this.capabilities = bits;
    /** @readonly */
    this.undo = Boolean(options.undo);
    /** @readonly */
    this.transaction = transaction;
    /** @readonly */
    this.commandId = options.commandId;
    /** @readonly @type {Validator} */
    this.input = compile(this.inputSchema);
    /** @readonly @type {Validator} */
    this.output = compile(this.outputSchema);
    Object.freeze(this);
  }

  /**
   * An action that changes nothing.
   *
   * @param {string} name
   * @param {string} description
   * @param {ActionOptions} [options]
   */
  static read(name, description, options = {}) {
    return new ActionSpec("read", name, description, options);
  }

  /**
   * An action that changes state: from outside it needs `expectedRevision`.
   *
   * @param {string} name
   * @param {string} description
   * @param {ActionOptions} [options]
   */
  static write(name, description, options = {}) {
    return new ActionSpec("write", name, description, options);
  }
}
