// @ts-check
/** An address that an app offered and the owner took: to copy, or to open. Nothing is fetched of itself. */

/** @import { Notices } from "../../page/notices.js" */

/**
 * @param {Notices} notices
 * @param {string} url One that was checked.
 */
export function showOffer(notices, url) {
  notices.show(`You took this address: ${url}`, [
    { label: "Copy it", run: () => void navigator.clipboard.writeText(url).catch(() => {}) },
    { label: "Open in a new tab", run: () => void open(url, "_blank", "noopener,noreferrer") },
    { label: "Dismiss", run: () => {} },
  ]);
}
