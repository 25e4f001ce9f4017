// @ts-check
/** An attach link that a person pasted, instead of opening it. */

import { AttachLinkError, readAttachLink } from "../attach_link.js";

/** @import { AttachConfiguration } from "../attach_link.js" */

/** A pasted link was never this page's address: there is none to clean. */
const UNTOUCHED = Object.freeze({ state: null, replaceState: () => {} });
/** Terminals wrap long lines, and some copy what they show. */
const WRAPPING = /\s+/g;

/**
 * @param {string} text a whole attach link, or its fragment alone
 * @returns {AttachConfiguration}
 * @throws {AttachLinkError} where it is none, or one that cannot be used
 */
export function readPastedLink(text) {
  const link = text.replace(WRAPPING, "");
  const hash = link.slice(Math.max(link.indexOf("#"), 0));
  const found = readAttachLink({ location: { href: link, hash }, history: UNTOUCHED });
  if (found === null) throw new AttachLinkError("it is no attach link");
  return found;
}
