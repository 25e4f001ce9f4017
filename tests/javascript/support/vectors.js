// @ts-check
/** Reads the language-neutral vectors. */

import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

import { readVectors } from "./vector_runner.js";

/** @import { Vector } from "./vector_runner.js" */

const FOLDER = join(import.meta.dirname, "../../vectors");
/**
 * What every reader of JSON, of schemas or of tools is judged by, and the catalog; all others are
 * conversations with the fixture host.
 */
const NO_CONVERSATIONS = new Set([
  ...["strict_json.json", "schema.json", "mcp_catalog.json"],
  ...["tool_names.json", "settled_status.json"],
]);

/**
 * @param {string} name
 * @returns {any[]}
 */
export function loadVectors(name) {
  return JSON.parse(readFileSync(join(FOLDER, name), "utf8")).cases;
}

/**
 * The vectors of the control protocol.
 *
 * @returns {[string, Vector[]][]} By file.
 */
export function controlVectors() {
  const read = (/** @type {string} */ name) => readFileSync(join(FOLDER, name), "utf8");
  const catalog = read("mcp_catalog.json");
  return readdirSync(FOLDER)
    .filter((name) => name.endsWith(".json") && !NO_CONVERSATIONS.has(name))
    .sort()
    .map((name) => [name, readVectors(read(name), catalog)]);
}

/**
 * A case's document as bytes.
 *
 * @param {any} vector
 * @returns {Uint8Array}
 */
export function documentOf(vector) {
  if (vector.base64 !== undefined) return new Uint8Array(Buffer.from(vector.base64, "base64"));
  return new Uint8Array(Buffer.from(built(vector.build ?? [vector.json])));
}

/**
 * A member of a case as a document: given as it is, as its text, or to be put together.
 *
 * @param {any} vector
 * @param {string} name
 * @returns {string}
 */
export function memberOf(vector, name) {
  const json = vector[`${name}_json`];
  return json ?? built(vector[`${name}_build`] ?? [JSON.stringify(vector[name])]);
}

/** @param {(string | [string, number])[]} parts */
function built(parts) {
  return parts.map((part) => (typeof part === "string" ? part : part[0].repeat(part[1]))).join("");
}
