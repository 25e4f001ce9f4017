// @ts-check
/**
 * The methods of an installed backend, with a JSON Schema of what each takes and gives. Read from a
 * description that the page provides, in Candid or in JSON; nothing that an app says is in it.
 * Contract: bus, kernel tools.
 */

import { readAttachmentRule } from "../../contract/bus_attachments.js";
import { BusError, problemsData } from "../../contract/bus_error.js";
import { compile } from "../../contract/schema.js";
import { parseCandid } from "./candid_parser.js";
import { argumentsSchema, resultsSchema } from "./candid_schema.js";
import { CandidValueError, argumentsFromJson, toJson } from "./candid_value.js";

/** @import { AttachmentRule } from "../../contract/bus_attachments.js" */
/** @import { SchemaProblem } from "../../contract/schema.js" */
/** @import { Definitions, FuncType } from "./candid_types.js" */

/** @typedef {Record<string, unknown> | boolean} Schema */
/** @typedef {{ methods: ReadonlyMap<string, CanisterMethod> }} CanisterInterface */
/** @typedef {{ input?: boolean, output?: boolean, required?: boolean }} MethodAttachments Which way one goes. */

/**
 * @typedef {object} MethodForm Between JSON and the connector's own values.
 * @property {() => Schema} inputSchema
 * @property {() => Schema} outputSchema
 * @property {(given: Record<string, unknown>) => unknown} read May throw a `CandidValueError`.
 * @property {(result: unknown) => unknown} write May throw a `CandidValueError`.
 */

/**
 * @typedef {object} JsonMethod A method of a backend that speaks JSON.
 * @property {string} name
 * @property {"query" | "update"} kind
 * @property {Schema} input Of an object.
 * @property {Schema} output
 * @property {MethodAttachments} [attachments]
 */

const MAX_METHODS = 256;
/** Of a name. */
export const MAX_METHOD_CHARS = 200;

/** One method. Its schemas are made when they are first needed. */
export class CanisterMethod {
  /**
   * @param {string} name
   * @param {"query" | "update"} kind A query changes nothing.
   * @param {MethodForm} form
   * @param {MethodAttachments} attachments
   */
  constructor(name, kind, form, attachments) {
    /** @readonly */
    this.name = name;
    /** @readonly */
    this.kind = kind;
    this._form = form;
    /** @type {AttachmentRule | null} @readonly */
    this.attachments = ruleOf(attachments);
    this._input = once(() => compile(form.inputSchema()));
    this._output = once(() => compile(form.outputSchema()));
  }

  /** @throws {import("../../contract/schema.js").SchemaError} Where a schema of it is none. */
  requireSchemas() {
    this._input();
    this._output();
  }

  get inputSchema() {
    return this._form.inputSchema();
  }

  get outputSchema() {
    return this._form.outputSchema();
  }

  /**
   * @param {Record<string, unknown>} given
   * @returns {unknown} What the connector is called with.
   * @throws {BusError} `INVALID_INPUT`
   */
  read(given) {
    const what = `The arguments are not what ${this.name.slice(0, 60)} takes; nothing was run.`;
    requireFit(this._input().errors(given), "INVALID_INPUT", what);
    return converted("INVALID_INPUT", what, () => this._form.read(given));
  }

  /**
   * @param {unknown} result As the connector gives it.
   * @returns {unknown} Plain JSON data.
   * @throws {BusError} `INVALID_OUTPUT`
   */
  write(result) {
    const what = `${this.name.slice(0, 60)} ran, and gave what its interface does not say.`;
    const written = converted("INVALID_OUTPUT", what, () => this._form.write(result));
    requireFit(this._output().errors(written), "INVALID_OUTPUT", what);
    return written;
  }
}

/**
 * Reads an interface that is described in Candid. `composite_query` is a query, `oneway` an update.
 *
 * @param {string} source
 * @param {Readonly<Record<string, MethodAttachments>>} [attachments] By methods: Candid says nothing of them.
 * @returns {CanisterInterface}
 * @throws {import("./candid_lexer.js").CandidError} Where it cannot be read.
 * @throws {TypeError} For too many methods, or attachments of a method that there is not.
 */
export function candidInterface(source, attachments = {}) {
  const { methods, types } = parseCandid(source);
  const unknown = Object.keys(attachments).find((name) => !methods.has(name));
  if (unknown !== undefined) throw new TypeError(`attachments of no method: ${unknown}`);
  return interfaceOf(
    [...methods].map(([name, func]) => {
      const kind = func.mode === "query" || func.mode === "composite_query" ? "query" : "update";
      const own = Object.hasOwn(attachments, name) ? attachments[name] : undefined;
      return new CanisterMethod(name, kind, candidForm(func, types), own ?? {});
    }),
  );
}

/**
 * Reads an interface that is described in JSON.
 *
 * @param {{ methods: readonly JsonMethod[] }} description
 * @returns {CanisterInterface}
 * @throws {TypeError | import("../../contract/schema.js").SchemaError} Where it is none.
 */
export function jsonInterface({ methods }) {
  return interfaceOf(
    methods.map(({ name, kind, input, output, attachments = {} }) => {
      if (kind !== "query" && kind !== "update")
        throw new TypeError(`the kind of ${name}: ${kind}`);
      const same = (/** @type {unknown} */ value) => value;
      const form = {
        inputSchema: () => input,
        outputSchema: () => output,
        read: same,
        write: same,
      };
      const method = new CanisterMethod(name, kind, form, attachments);
      // Found now, and not by whoever calls it.
      method.requireSchemas();
      return method;
    }),
  );
}

/** @param {readonly CanisterMethod[]} methods */
function interfaceOf(methods) {
  if (methods.length > MAX_METHODS) throw new TypeError(`more than ${MAX_METHODS} methods`);
  const byName = new Map(methods.map((method) => [method.name, method]));
  if (byName.size < methods.length) throw new TypeError("two methods have the same name");
  for (const { name } of methods) {
    if (typeof name !== "string" || name === "" || name.length > MAX_METHOD_CHARS) {
      throw new TypeError("a method has no name, or one that is too long");
    }
  }
  return Object.freeze({ methods: byName });
}

/**
 * @param {FuncType} func
 * @param {Definitions} types
 * @returns {MethodForm}
 */
function candidForm(func, types) {
  return {
    inputSchema: once(() => argumentsSchema(func, types)),
    outputSchema: once(() => resultsSchema(func, types)),
    read: (given) => argumentsFromJson(func.args, types, given),
    write: (result) => {
      const [first] = func.results;
      if (first === undefined) return null;
      if (func.results.length === 1) return toJson(first.type, types, result);
      const fields = func.results.map(({ type }, at) => ({ name: `_${at}_`, type }));
      return toJson({ kind: "record", fields, tuple: true }, types, result);
    },
  };
}

/**
 * @template T
 * @param {() => T} make
 * @returns {() => T}
 */
function once(make) {
  /** @type {{ made: T } | null} */
  let kept = null;
  return () => {
    kept ??= { made: make() };
    return kept.made;
  };
}

/** @param {MethodAttachments} attachments */
function ruleOf({ input = false, output = false, required = false }) {
  if (!input && !output) return null;
  return readAttachmentRule({
    "bascule:attachments": { api: 1, input: input && { required }, output },
  });
}

/**
 * @param {readonly SchemaProblem[]} problems
 * @param {"INVALID_INPUT" | "INVALID_OUTPUT"} code
 * @param {string} message
 */
function requireFit(problems, code, message) {
  if (problems.length > 0) throw new BusError(code, message, { data: problemsData(problems) });
}

/**
 * @template T
 * @param {"INVALID_INPUT" | "INVALID_OUTPUT"} code
 * @param {string} message
 * @param {() => T} convert
 * @returns {T}
 */
function converted(code, message, convert) {
  try {
    return convert();
  } catch (error) {
    if (!(error instanceof CandidValueError)) throw error;
    const { path, message: problem } = error;
    throw new BusError(code, message, { data: problemsData([{ path, message: problem }]) });
  }
}
