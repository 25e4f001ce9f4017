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
  const parts = vector.build ?? [vector.json];
  const text = parts
    .map((/** @type {string | [string, number]} */ part) =>
      typeof part === "string" ? part : part[0].repeat(part[1]),
    )
    .join("");
  return new Uint8Array(Buffer.from(text));
}
