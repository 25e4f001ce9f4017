// @ts-check
/**
 * Parts of what an app has too much of for one answer: checked, and as text. A resource is the
 * app's own; its `uri` is never a path of a file. Contract: resources.
 */

import { AppError } from "./app_error.js";

/** @import { ListedResource, Resource, ResourceTemplate } from "./host.js" */

/**
 * Believes a host's answer as far as its numbers fit together.
 *
 * @param {Resource} found
 * @param {number} offset
 * @param {number} limit Bytes that were asked for.
 * @returns {Resource} A copy.
 * @throws {TypeError | RangeError}
 */
export function checkedResource(found, offset, limit) {
  const { mimeType, size, data } = found;
  if (typeof mimeType !== "string" || !Number.isSafeInteger(size) || !ArrayBuffer.isView(data)) {
    throw new TypeError("a resource is a media type, a size and bytes");
  }
  if (size < 0 || data.byteLength > limit || data.byteLength > Math.max(size - offset, 0)) {
    throw new RangeError("the host gave more of a resource than there is, or was asked for");
  }
  if (data.byteLength === 0 && offset < size) {
    throw new RangeError("the host gave nothing of a resource that goes on");
  }
  const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength).slice();
  return { mimeType, size, data: bytes };
}

/**
 * @param {unknown} listed
 * @returns {ListedResource[]} With the members that there are, and no others.
 * @throws {AppError} `INVALID_OUTPUT`
 */
export function checkedList(listed) {
  return checkedEntries(listed, "uri", "resources");
}

/**
 * @param {unknown} listed
 * @returns {ResourceTemplate[]} With the members that there are, and no others.
 * @throws {AppError} `INVALID_OUTPUT`
 */
export function checkedTemplates(listed) {
  return checkedEntries(listed, "uriTemplate", "resource templates");
}

/**
 * @param {unknown} listed
 * @param {"uri" | "uriTemplate"} key
 * @param {string} what
 * @returns {any[]}
 */
function checkedEntries(listed, key, what) {
  const entries = Array.isArray(listed) ? listed.map((each) => checkedEntry(each, key)) : [];
  if (Array.isArray(listed) && !entries.includes(undefined)) return entries;
  throw new AppError(
    "INVALID_OUTPUT",
    `What the app tells of its ${what} is not a list of objects with ${key} and name.`,
  );
}

/**
 * @param {unknown} entry
 * @param {"uri" | "uriTemplate"} key
 * @returns {Record<string, unknown> | undefined} Undefined where it is none.
 */
function checkedEntry(entry, key) {
  if (entry === null || typeof entry !== "object") return undefined;
  const given = /** @type {Record<string, unknown>} */ (entry);
  /** @type {Record<string, unknown>} */
  const checked = {};
  const size = key === "uri" ? ["size"] : [];
  for (const name of [key, "name", "title", "description", "mimeType", ...size]) {
    const value = given[name];
    const needed = name === key || name === "name";
    if (value === undefined && !needed) continue;
    const fits =
      name === "size"
        ? Number.isSafeInteger(value) && /** @type {number} */ (value) >= 0
        : typeof value === "string" && !(needed && value === "");
    if (!fits) return undefined;
    checked[name] = value;
  }
  return checked;
}

/**
 * @param {readonly Uint8Array[]} parts
 * @param {number} size Bytes of all.
 * @returns {Uint8Array}
 */
export function joined(parts, size) {
  const whole = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/**
 * Writes bytes as base64. `btoa` is not everywhere, and takes no bytes.
 *
 * @param {Uint8Array} bytes
 * @returns {string}
 */
export function base64(bytes) {
  let text = "";
  for (let at = 0; at < bytes.length; at += 3) {
    const [first = 0, second = 0, third = 0] = bytes.subarray(at, at + 3);
    const group = (first << 16) | (second << 8) | third;
    for (let shift = 18; shift >= 0; shift -= 6) text += DIGITS[(group >> shift) & 63];
  }
  const missing = (3 - (bytes.length % 3)) % 3;
  return text.slice(0, text.length - missing) + "=".repeat(missing);
}
