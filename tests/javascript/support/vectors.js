// @ts-check
/** Reads the language-neutral vectors. */

import { readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * @param {string} name
 * @returns {any[]}
 */
export function loadVectors(name) {
  const path = join(import.meta.dirname, "../../vectors", name);
  return JSON.parse(readFileSync(path, "utf8")).cases;
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
