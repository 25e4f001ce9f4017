// @ts-check
/**
 * Finds the parts of a schema: its resources by `$id`, its anchors, and what each `$ref` points
 * to. Only what stands in the schema itself can be referred to; nothing is ever fetched.
 */

import { isObject } from "./json_number.js";

/** @typedef {Record<string, any>} SchemaObject */
/** @typedef {SchemaObject | boolean} Node */
/** @typedef {"2020-12" | "draft-07"} Dialect */

/** A schema that is malformed, unsafe or refers outside of itself. */
export class SchemaError extends Error {
  /** @param {string} message */
  constructor(message) {
    super(message);
    this.name = "SchemaError";
  }
}

const ONE_IN_BOTH = [
  ...["additionalProperties", "propertyNames", "items", "contains"],
  ...["not", "if", "then", "else"],
];
const MANY_IN_BOTH = ["allOf", "anyOf", "oneOf"];
const NAMED_IN_BOTH = ["properties", "patternProperties", "$defs", "definitions"];
/** Where schemas stand inside of a schema: alone, in a list, or under names. */
const KEYWORDS = {
  "2020-12": {
    one: [...ONE_IN_BOTH, "unevaluatedProperties", "unevaluatedItems"],
    many: [...MANY_IN_BOTH, "prefixItems"],
    named: [...NAMED_IN_BOTH, "dependentSchemas"],
  },
  "draft-07": {
    one: [...ONE_IN_BOTH, "additionalItems"],
    many: [...MANY_IN_BOTH, "items"],
    named: [...NAMED_IN_BOTH, "dependencies"],
  },
};
const MAX_DEPTH = 64;
const MAX_NODES = 16_384;

/** The parts of one schema. */
export class Resources {
  /** @param {Node} root */
  constructor(root) {
    this.root = root;
    /** @type {Dialect} */
    this.dialect = dialectOf(root);
    /** Schemas by their absolute URI, with `#anchor` where they have one. @type {Map<string, Node>} */
    this.byUri = new Map([["", root]]);
    /** @type {Map<string, Node>} */
    this.dynamicAnchors = new Map();
    /** @type {WeakMap<object, string>} */
    this.bases = new WeakMap();
    /** @type {SchemaObject[]} */
    this.nodes = [];
    this.index(root, "", 0);
  }

  /**
   * @param {unknown} node
   * @param {string} base
   * @param {number} depth
   */
  index(node, base, depth) {
    if (typeof node === "boolean") return;
    if (!isObject(node)) throw new SchemaError("a schema is an object or a boolean");
    if (this.bases.has(node)) return;
    if (depth > MAX_DEPTH) throw new SchemaError("the schema is nested too deeply");
    if (this.nodes.push(node) > MAX_NODES) throw new SchemaError("the schema is too large");
    const inner = this.identify(node, base);
    this.bases.set(node, inner);
    const { one, many, named } = KEYWORDS[this.dialect];
    for (const key of one) {
      if (!Object.hasOwn(node, key) || (many.includes(key) && Array.isArray(node[key]))) continue;
      this.index(node[key], inner, depth + 1);
    }
    for (const key of many) {
      if (!Object.hasOwn(node, key) || (one.includes(key) && !Array.isArray(node[key]))) continue;
      if (!Array.isArray(node[key])) throw new SchemaError(`${key} must be an array of schemas`);
      for (const child of node[key]) this.index(child, inner, depth + 1);
    }
    for (const key of named) {
      if (!Object.hasOwn(node, key)) continue;
      if (!isObject(node[key])) throw new SchemaError(`${key} must be an object of schemas`);
      for (const child of Object.values(node[key])) {
        // The dependencies of draft-07 are schemas or lists of names.
        if (key === "dependencies" && Array.isArray(child)) continue;
        this.index(child, inner, depth + 1);
      }
    }
  }

  /**
   * @param {SchemaObject} node
   * @param {string} base
   * @returns {string} The base URI inside the node.
   */
  identify(node, base) {
    const old = this.dialect === "draft-07";
    let inner = base;
    const id = own(node, "$id");
    if (typeof id === "string" && !(old && Object.hasOwn(node, "$ref"))) {
      const uri = resolveUri(base, id);
      if (old && uri.includes("#") && !uri.endsWith("#")) {
        this.byUri.set(uri, node);
      } else {
        inner = uri.replace(/#$/, "");
        this.byUri.set(inner, node);
      }
    }
    if (old) return inner;
    const anchor = own(node, "$anchor");
    if (typeof anchor === "string") this.byUri.set(`${inner}#${anchor}`, node);
    const dynamic = own(node, "$dynamicAnchor");
    if (typeof dynamic === "string") {
      this.byUri.set(`${inner}#${dynamic}`, node);
      this.dynamicAnchors.set(`${inner}#${dynamic}`, node);
    }
    return inner;
  }

  /**
   * @param {SchemaObject} node The schema that holds the reference.
   * @param {string} reference
   * @returns {Node}
   * @throws {SchemaError} When it points outside of this schema, or at nothing.
   */
  resolve(node, reference) {
    const uri = resolveUri(this.bases.get(node) ?? "", reference);
    const known = this.byUri.get(uri) ?? this.byUri.get(uri.replace(/#$/, ""));
    if (known !== undefined) return known;
    const [resource, fragment = ""] = splitOnce(uri, "#");
    const start = this.byUri.get(resource);
    if (start === undefined || (fragment !== "" && !fragment.startsWith("/"))) {
      throw new SchemaError(`$ref ${reference.slice(0, 200)} points at nothing in this schema`);
    }
    return this.walk(start, fragment, reference);
  }

  /**
   * @param {Node} start
   * @param {string} pointer
   * @param {string} reference
   * @returns {Node}
   */
  walk(start, pointer, reference) {
    /** @type {unknown} */
    let target = start;
    let base = typeof start === "boolean" ? "" : (this.bases.get(start) ?? "");
    for (const part of pointer.split("/").slice(1)) {
      const key = decodePercent(part).replaceAll("~1", "/").replaceAll("~0", "~");
      const container = /** @type {Record<string, unknown>} */ (target);
      if (target === null || typeof target !== "object" || !Object.hasOwn(container, key)) {
        throw new SchemaError(`$ref ${reference.slice(0, 200)} points at nothing in this schema`);
      }
      target = container[key];
      if (isObject(target)) base = this.bases.get(target) ?? base;
    }
    this.index(target, base, 0);
    return /** @type {Node} */ (target);
  }
}

/** @param {Node} root @returns {Dialect} */
function dialectOf(root) {
  const declared = isObject(root) ? own(root, "$schema") : undefined;
  if (declared === undefined) return "2020-12";
  const name =
    typeof declared === "string" ? declared.replace(/#$/, "").replace(/^http:/, "https:") : "";
  if (name === "https://json-schema.org/draft/2020-12/schema") return "2020-12";
  if (name === "https://json-schema.org/draft-07/schema") return "draft-07";
  throw new SchemaError("only JSON Schema 2020-12 and draft-07 are understood");
}

/**
 * @param {SchemaObject} node
 * @param {string} key
 * @returns {any}
 */
export function own(node, key) {
  return Object.hasOwn(node, key) ? node[key] : undefined;
}

/** @param {string} text @param {string} mark @returns {[string, string | undefined]} */
function splitOnce(text, mark) {
  const at = text.indexOf(mark);
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}

/** @param {string} text */
function decodePercent(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * Resolves a reference against a base, as far as schemas need it.
 *
 * @param {string} base
 * @param {string} reference
 * @returns {string}
 */
export function resolveUri(base, reference) {
  if (/^[A-Za-z][A-Za-z0-9+.-]*:/.test(reference)) return reference;
  const [bare] = splitOnce(base, "#");
  if (reference === "" || reference.startsWith("#")) return bare + reference;
  const parts = /^([A-Za-z][A-Za-z0-9+.-]*:)?(\/\/[^/?#]*)?([^?#]*)/.exec(bare);
  const scheme = parts?.[1] ?? "";
  const authority = parts?.[2] ?? "";
  const path = parts?.[3] ?? "";
  if (reference.startsWith("//")) return scheme + reference;
  if (reference.startsWith("/")) return scheme + authority + reference;
  const folder = path.slice(0, path.lastIndexOf("/") + 1) || (authority ? "/" : "");
  return scheme + authority + folder + reference;
}
