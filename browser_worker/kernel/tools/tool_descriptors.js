// @ts-check
/**
 * What an endpoint says of a tool, read with distrust: its name, schemas and annotations. An app's
 * words are data. Contract: bus, exposing tools.
 */

import { BusError } from "../../contract/bus_error.js";
import { checkJson } from "../../contract/bus_json.js";
import { isToolName } from "../../contract/bus_names.js";
import { readAttachmentRule } from "../../contract/bus_attachments.js";
import { isObject } from "../../contract/json_number.js";
import { BUS_LIMITS } from "../../contract/limits.js";
import { SchemaError, compile } from "../../contract/schema.js";

/** @import { AttachmentRule } from "../../contract/bus_attachments.js" */
/** @import { Validator } from "../../contract/schema.js" */

/** @typedef {{ type: "object" } & Record<string, unknown>} ObjectSchema */

/**
 * @typedef {object} ToolDescriptor As it is listed.
 * @property {string} name
 * @property {string} [title]
 * @property {string} description
 * @property {Record<string, unknown>} inputSchema
 * @property {Record<string, unknown>} [outputSchema]
 * @property {Record<string, unknown>} [annotations]
 */

/**
 * @typedef {object} Tool A descriptor that can be checked against.
 * @property {ToolDescriptor} descriptor
 * @property {number} version The endpoint's own count of what it exposed under this name.
 * @property {Validator} input
 * @property {Validator | null} output
 * @property {AttachmentRule | null} attachments
 */

const MAX_COMPILED = 512;

/** Reads descriptors. Compiled schemas are kept by their exact text; a list of tools never is. */
export class ToolReader {
  constructor() {
    /** Least recently used first. @type {Map<string, Validator>} */
    this._compiled = new Map();
  }

  /**
   * Reads all tools of an endpoint. One that is not sound hides no other.
   *
   * @param {unknown} list
   * @returns {Tool[]}
   */
  readAll(list) {
    if (!Array.isArray(list)) return [];
    /** @type {Map<string, Tool>} */
    const tools = new Map();
    for (const raw of list.slice(0, BUS_LIMITS.maxTools)) {
      try {
        const tool = this.read(raw);
        if (!tools.has(tool.descriptor.name)) tools.set(tool.descriptor.name, tool);
      } catch (error) {
        if (!(error instanceof BusError)) throw error;
      }
    }
    return [...tools.values()];
  }

  /**
   * @param {unknown} raw
   * @returns {Tool}
   * @throws {BusError} `UNKNOWN_TOOL`, with what is wrong.
   */
  read(raw) {
    if (!isObject(raw)) throw unsound("its description is no object");
    const { name, title, description, inputSchema, outputSchema, annotations, version } = raw;
    if (!isToolName(name)) throw unsound("its name is none");
    if (title !== undefined && typeof title !== "string") throw unsound("its title is no text");
    if (typeof description !== "string" || description === "") throw unsound("it is not described");
    if (!isObject(inputSchema)) throw unsound("its inputSchema is no object");
    if (outputSchema !== undefined && !isObject(outputSchema)) {
      throw unsound("its outputSchema is no object");
    }
    if (annotations !== undefined && !isObject(annotations)) {
      throw unsound("its annotations are no object");
    }
    if (!Number.isSafeInteger(version)) throw unsound("its version is no number");
    /** @type {ToolDescriptor} */
    const descriptor = { name: /** @type {string} */ (name), description, inputSchema };
    if (title !== undefined) descriptor.title = title;
    if (outputSchema !== undefined) descriptor.outputSchema = outputSchema;
    if (annotations !== undefined) descriptor.annotations = annotations;
    checkJson(descriptor, { maxBytes: BUS_LIMITS.maxDescriptorBytes, what: "description" });
    return {
      descriptor,
      version: /** @type {number} */ (version),
      input: this._validator(inputSchema),
      output: outputSchema === undefined ? null : this._validator(outputSchema),
      attachments: readAttachmentRule(annotations),
    };
  }

  /** @param {Record<string, unknown>} schema */
  _validator(schema) {
    const text = JSON.stringify(schema);
    const known = this._compiled.get(text);
    if (known !== undefined) {
      this._compiled.delete(text);
      this._compiled.set(text, known);
      return known;
    }
    let validator;
    try {
      validator = compile(schema);
    } catch (error) {
      if (!(error instanceof SchemaError)) throw error;
      throw unsound(`a schema of it is not sound: ${error.message}`);
    }
    this._compiled.set(text, validator);
    for (const oldest of this._compiled.keys()) {
      if (this._compiled.size <= MAX_COMPILED) break;
      this._compiled.delete(oldest);
    }
    return validator;
  }
}

/** @param {string} why */
function unsound(why) {
  return new BusError("UNKNOWN_TOOL", `The app exposes no such tool as it should: ${why}.`);
}
