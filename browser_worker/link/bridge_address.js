// @ts-check
/**
 * Which addresses and tokens the link accepts: a bridge on this machine, named by the literal
 * 127.0.0.1. A name or another literal could be answered by somebody else.
 */

const ADDRESS = /^http:\/\/127\.0\.0\.1:([1-9][0-9]{0,4})\/?$/;
const TOKEN = /^[A-Za-z0-9._~+/=-]{16,512}$/;

/**
 * @param {unknown} value
 * @returns {string | null} the address without a closing slash, or null where it is not a bridge's
 */
export function readBridgeAddress(value) {
  const match = typeof value === "string" ? ADDRESS.exec(value) : null;
  const port = Number(match?.[1]);
  return port <= 65_535 ? `http://127.0.0.1:${port}` : null;
}

/**
 * @param {unknown} value
 * @returns {value is string} whether it can be a bearer token (RFC 6750, section 2.1)
 */
export function isToken(value) {
  return typeof value === "string" && TOKEN.test(value);
}
