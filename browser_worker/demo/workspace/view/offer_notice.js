// @ts-check
/** An address that an app offered and the owner took: to copy, or to open. Nothing is fetched of itself. */

import { wellFormed } from "../../../kernel/well_formed.js";

/** @import { Notices } from "../../page/notices.js" */

/** As long as the longest host, and a bit of what follows: a notice is no place for more. */
const MAX_SHOWN_CHARS = 300;

/**
 * @param {Notices} notices
 * @param {string} url One that was checked.
 */
export function showOffer(notices, url) {
  notices.show(`You took this address: ${wellFormed(url, MAX_SHOWN_CHARS)}`, [
    { label: "Copy it", run: () => void navigator.clipboard.writeText(url).catch(() => {}) },
    { label: "Open in a new tab", run: () => void open(url, "_blank", "noopener,noreferrer") },
    { label: "Dismiss", run: () => {} },
  ]);
}
