// @ts-check
/** What a bridge offers for a channel: a path on its own port, and a ticket that opens it once. */

/** No second slash: the address that is made of it must stay the bridge's own. */
const PATH = /^\/[A-Za-z0-9._~-]{1,64}(\/[A-Za-z0-9._~-]{1,64})*$/;
/** A sub-protocol's name is a token of HTTP (RFC 6455, section 4.1). */
const TICKET = /^[A-Za-z0-9._~-]{16,256}$/;

/**
 * @typedef {object} ChannelOffer
 * @property {string} path
 * @property {string} ticket One use, ten seconds.
 */

/**
 * @param {unknown} value the member `channel` of an answer
 * @returns {ChannelOffer | null} null where there is none that can be used: the page then polls
 */
export function readChannelOffer(value) {
  if (typeof value !== "object" || value === null) return null;
  const { path, ticket } = /** @type {Record<string, unknown>} */ (value);
  if (typeof path !== "string" || path.length > 256 || !PATH.test(path)) return null;
  return typeof ticket === "string" && TICKET.test(ticket) ? { path, ticket } : null;
}
