// @ts-check
/** Bytes between a terminal, which has only JSON, and a tool, which takes and gives buffers. Contract: bus, the terminal. */

import { isObject } from "../../contract/json_number.js";
import { invalidInput } from "./application_errors.js";

/**
 * @param {{ data?: string | string[], resource?: string }} attachment Checked by the action's schema.
 * @param {(uri: string) => ArrayBuffer | undefined} kept Copies what another tool gave.
 * @returns {ArrayBuffer}
 * @throws {import("../../dispatcher/app_error.js").AppError} `INVALID_INPUT`
 */
export function bytesOf({ data, resource }, kept) {
  if (resource !== undefined) {
    const buffer = kept(resource);
    if (buffer === undefined) throw wrong("resource", "no tool gave it, or it is kept no more");
    return buffer;
  }
  try {
    const parts = (Array.isArray(data) ? data : [data]).map((part) => atob(String(part)));
    const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
    let at = 0;
    for (const part of parts) {
      for (let index = 0; index < part.length; index++) bytes[at++] = part.charCodeAt(index);
    }
    return bytes.buffer;
  } catch {
    throw wrong("data", "it is not base64");
  }
}

/**
 * What a buffer is: on the bus it is bytes only. A result may say which of the types that its tool
 * advertises it is.
 *
 * @param {readonly string[]} advertised
 * @param {unknown} result
 * @returns {string}
 */
export function mediaTypeOf(advertised, result) {
  const told = isObject(result) ? result["mimeType"] : undefined;
  const found = advertised.find((type) => type === told);
  return found ?? advertised[0] ?? "application/octet-stream";
}

/**
 * @param {string} member
 * @param {string} message
 */
function wrong(member, message) {
  const text = `The attachment cannot be sent: ${message}; nothing was run.`;
  return invalidInput(text, [{ path: `/attachment/${member}`, message }]);
}
