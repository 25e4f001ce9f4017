// @ts-check
/**
 * One attached tab for each browser: a Web Lock that the attached tab holds. Polls of many tabs would
 * use up the few connections that a browser opens to one host.
 */

const NAME = "bascule:attach";

/** @typedef {Pick<LockManager, "request">} Locks */

/**
 * @param {Locks | undefined} locks absent on pages that are not secure
 * @returns {Promise<(() => void) | null>} lets it go; null while another tab holds it. Without the API
 *   there is nothing to hold, and the bridge alone decides.
 */
export function takeTabLock(locks) {
  return new Promise((resolve) => {
    const withoutLock = () => resolve(() => {});
    if (locks === undefined) {
      withoutLock();
      return;
    }
    const held = (/** @type {Lock | null} */ lock) => {
      if (lock === null) {
        resolve(null);
        return undefined;
      }
      return /** @type {Promise<void>} */ (new Promise((release) => resolve(() => release())));
    };
    // Refused in documents without an origin of their own, where no tab can be told from another.
    locks.request(NAME, { ifAvailable: true }, held).catch(withoutLock);
  });
}
