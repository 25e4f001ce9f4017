// @ts-check
/**
 * The attach link: the fragment `#bascule=` of the page's address, which carries the bridge's
 * address and token as unpadded base64url of a JSON object `{url, token}`.
 *
 * Reading it attaches nothing. The fragment leaves the address bar and the tab's history before it
 * is even looked at, so that neither a bookmark nor a screenshot nor a later script finds the token.
 */

import { isToken, readBridgeAddress } from "./bridge_address.js";

const PREFIX = "#bascule=";
const MAX_CHARS = 4_096;
const BASE64URL = /^[A-Za-z0-9_-]+$/;

/**
 * @typedef {object} AttachConfiguration
 * @property {string} url
 * @property {string} token
 */

/**
 * @typedef {object} AttachLinkPowers
 * @property {{ readonly href: string, readonly hash: string }} location
 * @property {{ readonly state: unknown, replaceState(state: unknown, unused: string, url: string): void }} history
 */

/** The page was opened with an attach link that is damaged or not one of a local bridge. */
export class AttachLinkError extends Error {
  /** @param {string} reason */
  constructor(reason) {
    super(`This attach link cannot be used: ${reason}. Open the link that the bridge printed.`);
    this.name = "AttachLinkError";
  }
}

/**
 * Read the attach link that this page was opened with, and remove it from the address bar and the
 * history. Contract: secrets.
 *
 * @param {AttachLinkPowers} [powers] the window's own by default
 * @returns {AttachConfiguration | null} null where the page was opened without one
 * @throws {AttachLinkError} where there is one that cannot be used; it is removed all the same
 */
export function readAttachLink(powers = { location, history }) {
  const { href, hash } = powers.location;
  if (!hash.startsWith(PREFIX)) return null;
  // The history's state belongs to the app's router: only the address changes. It is given whole, since
  // a part of one is taken relative to the page's <base>, and one of another origin is refused.
  powers.history.replaceState(powers.history.state, "", href.slice(0, -hash.length));
  return decode(hash.slice(PREFIX.length));
}

/**
 * @param {string} text
 * @returns {AttachConfiguration}
 */
function decode(text) {
  if (text.length > MAX_CHARS) throw new AttachLinkError("it is too long");
  const value = parse(text);
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new AttachLinkError("it holds no configuration");
  }
  const members = Object.keys(value).sort();
  if (members.length !== 2 || members[0] !== "token" || members[1] !== "url") {
    throw new AttachLinkError("it must hold url and token and nothing else");
  }
  const { url, token } = /** @type {{ url: unknown, token: unknown }} */ (value);
  const address = readBridgeAddress(url);
  if (address === null) throw new AttachLinkError("it does not name a bridge on this machine");
  if (!isToken(token)) throw new AttachLinkError("its token is malformed");
  return { url: address, token };
}

/**
 * @param {string} text
 * @returns {unknown}
 */
function parse(text) {
  if (!BASE64URL.test(text)) throw new AttachLinkError("it is damaged");
  try {
    const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    throw new AttachLinkError("it is damaged");
  }
}
