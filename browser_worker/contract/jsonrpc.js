// @ts-check
/**
 * JSON-RPC 2.0 as far as both sides must agree on it: the twin of `bridge/contract/jsonrpc.py`.
 */

import { PROTOCOL_LIMITS } from "./limits.js";
import { JsonNumber } from "./json_number.js";
import { exceedsUtf8 } from "./utf8.js";

/**
 * Says whether a parsed value may be an `id`: a string of at most 256 bytes, or an integer by
 * whatever token.
 *
 * @param {unknown} value
 * @returns {boolean}
 */
export function isId(value) {
  if (typeof value === "string") {
    return !exceedsUtf8(value, PROTOCOL_LIMITS.maxIdBytes);
  }
  const plain = value instanceof JsonNumber ? value.toPlain() : value;
  return typeof plain === "bigint" || Number.isInteger(plain);
}
