// @ts-check
/** Notices that the page's own Content-Security-Policy stopped a request to the bridge. */

/**
 * @param {Pick<EventTarget, "addEventListener" | "removeEventListener">} document
 * @param {string} url the bridge's address
 * @returns {{ blocked: () => boolean, stop: () => void }}
 */
export function watchCsp(document, url) {
  let blocked = false;
  const seen = (/** @type {Event} */ event) => {
    if ("blockedURI" in event && String(event.blockedURI).startsWith(url)) blocked = true;
  };
  document.addEventListener("securitypolicyviolation", seen);
  return {
    blocked: () => blocked,
    stop: () => document.removeEventListener("securitypolicyviolation", seen),
  };
}
