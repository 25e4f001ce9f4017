// @ts-check
/**
 * Tools of the bus as actions of a dispatcher: their names, kinds and schemas. What an app says of a
 * tool is bounded, and a tool that is no action hides no other. Contract: bus, the terminal.
 *
 * Where a tool takes an attachment, the input is `{arguments, attachment?}`, with the attachment as
 * `{data}`, in base64, or as `{resource}`, one that another tool gave. Where it gives one, the output is
 * `{result, attachment?}`, with the attachment as `{resource, mimeType, size}`.
 */

import { readAttachmentRule } from "../../contract/bus_attachments.js";
import { isObject } from "../../contract/json_number.js";
import { ActionSpec } from "../../dispatcher/action_spec.js";
import { wellFormed } from "../well_formed.js";

/** @import { AttachmentRule } from "../../contract/bus_attachments.js" */
/** @import { ToolDescriptor } from "../tools/tool_descriptors.js" */

/**
 * @typedef {object} ToolAction
 * @property {ActionSpec} spec
 * @property {string} app
 * @property {string} tool
 * @property {boolean} takes Whether its input is wrapped.
 * @property {boolean} gives Whether its output is.
 * @property {readonly string[]} mediaTypes Of what it gives, as far as it says.
 */

const MAX_DESCRIPTION_CHARS = 1_000;
const MAX_MEDIA_TYPES = 16;
const MAX_CACHED = 512;
const MEDIA_TYPE = /^[\w.+-]{1,60}\/[\w.+-]{1,60}$/;

const NAMES = new Set(["bascule:attachments", "neutron:attachments"]);

const ATTACHMENT_INPUT = Object.freeze({
  description: "Bytes for the tool: in base64, or a resource that another tool gave.",
  type: "object",
  properties: {
    data: {
      description: "Base64; a list of parts, each whole by itself, where one is too long.",
      anyOf: [
        { type: "string", contentEncoding: "base64" },
        { type: "array", items: { type: "string", contentEncoding: "base64" } },
      ],
    },
    resource: { type: "string" },
  },
  minProperties: 1,
  maxProperties: 1,
  additionalProperties: false,
});

const ATTACHMENT_OUTPUT = Object.freeze({
  description: "Bytes that the tool gave, to be read as a resource.",
  type: "object",
  properties: {
    resource: { type: "string" },
    mimeType: { type: "string" },
    size: { type: "integer" },
  },
  required: ["resource", "mimeType", "size"],
  additionalProperties: false,
});

/**
 * The name of a tool's action.
 *
 * @param {string} app
 * @param {string} tool
 */
export function actionName(app, tool) {
  return `app.${app}.${tool}`;
}

/**
 * Whose action it is.
 *
 * @param {string} action
 * @returns {string | null} Null for one of the workspace's own.
 */
export function appOfAction(action) {
  const [first, app] = action.split(".");
  return first === "app" && app !== undefined ? app : null;
}

/** Makes actions of descriptors. They are kept by the exact text; a list of tools never is. */
export class ToolActions {
  constructor() {
    /** Least recently used first. @type {Map<string, ToolAction | null>} */
    this._made = new Map();
  }

  /**
   * @param {string} app
   * @param {ToolDescriptor} descriptor
   * @returns {ToolAction | null} Null where no action can be made of it.
   */
  of(app, descriptor) {
    const key = `${app} ${JSON.stringify(descriptor)}`;
    let action = this._made.get(key);
    if (action === undefined) action = made(app, descriptor);
    this._made.delete(key);
    this._made.set(key, action);
    for (const oldest of this._made.keys()) {
      if (this._made.size <= MAX_CACHED) break;
      this._made.delete(oldest);
    }
    return action;
  }
}

/**
 * @param {string} app
 * @param {ToolDescriptor} descriptor
 * @returns {ToolAction | null}
 */
function made(app, descriptor) {
  const { name, description, inputSchema, outputSchema = true, annotations } = descriptor;
  const rule = readAttachmentRule(annotations);
  const takes = rule?.input === true;
  const gives = rule?.output === true;
  const make = annotations?.["readOnlyHint"] === true ? ActionSpec.read : ActionSpec.write;
  const told = wellFormed(description, MAX_DESCRIPTION_CHARS);
  const spec = firstSound(
    [
      () => ({
        inputSchema: takes ? wrappedInput(rule, inputSchema) : inputSchema,
        outputSchema: gives ? wrappedOutput(outputSchema) : outputSchema,
      }),
      // A schema that says where it stands does not stand elsewhere: the kernel checks it all the same.
      () => ({
        inputSchema: takes ? wrappedInput(rule, {}) : inputSchema,
        outputSchema: gives ? wrappedOutput({}) : outputSchema,
      }),
    ].map((schemas) => () => make(actionName(app, name), told, schemas())),
  );
  const mediaTypes = gives ? mediaTypesOf(annotations) : [];
  return spec === null ? null : { spec, app, tool: name, takes, gives, mediaTypes };
}

/**
 * @param {(() => ActionSpec)[]} tries
 * @returns {ActionSpec | null}
 */
function firstSound(tries) {
  for (const attempt of tries) {
    try {
      return attempt();
    } catch {
      // Deeper or larger than a line may hold, say.
    }
  }
  return null;
}

/**
 * @param {AttachmentRule} rule
 * @param {Record<string, unknown>} schema
 */
function wrappedInput(rule, schema) {
  return {
    ...dialect(schema),
    type: "object",
    properties: { arguments: embedded(schema, "arguments"), attachment: ATTACHMENT_INPUT },
    required: ["arguments", ...(rule.inputRequired ? ["attachment"] : [])],
    additionalProperties: false,
  };
}

/** @param {Record<string, unknown> | boolean} schema */
function wrappedOutput(schema) {
  return {
    ...dialect(schema),
    type: "object",
    properties: { result: embedded(schema, "result"), attachment: ATTACHMENT_OUTPUT },
    required: ["result"],
    additionalProperties: false,
  };
}

/**
 * A schema inside another, whose own references still mean itself.
 *
 * @param {Record<string, unknown> | boolean} schema
 * @param {string} what
 */
function embedded(schema, what) {
  if (typeof schema === "boolean") return schema;
  const { $schema: _dialect, ...rest } = schema;
  return { $id: `bascule:${what}`, ...rest };
}

/** @param {Record<string, unknown> | boolean} schema */
function dialect(schema) {
  return isObject(schema) && "$schema" in schema ? { $schema: schema["$schema"] } : {};
}

/** @param {Record<string, unknown> | undefined} annotations */
function mediaTypesOf(annotations) {
  for (const [name, rule] of Object.entries(annotations ?? {})) {
    if (!NAMES.has(name) || !isObject(rule) || !isObject(rule["output"])) continue;
    const types = rule["output"]["mediaTypes"];
    if (!Array.isArray(types)) continue;
    return types
      .filter((type) => typeof type === "string" && MEDIA_TYPE.test(type))
      .slice(0, MAX_MEDIA_TYPES);
  }
  return [];
}
