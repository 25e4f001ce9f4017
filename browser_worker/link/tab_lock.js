// @ts-check
/**
 * One attached tab for each browser: a Web Lock that the attached tab holds. Polls of many tabs would
 * use up the few connections that a browser opens to one host.
 */

const NAME = "bascule:attach";

/** @typedef {Pick<LockManager, "request">} Locks */

/**
 * Locks that this page has let go of and the browser may still count as held. To ask for one before it
 * is free would find this tab itself in the way.
 *
 * @type {WeakMap<Locks, Promise<void>>}
 */
const releases = new WeakMap();

/**
 * @param {Locks | undefined} locks absent on pages that are not secure
 * @returns {Promise<(() => void) | null>} lets it go; null while another tab holds it. Without the API
 *   there is nothing to hold, and the bridge alone decides.
 */
export async function takeTabLock(locks) {
  if (locks === undefined) return () => {};
  await releases.get(locks);
  return new Promise((resolve) => {
    const held = (/** @type {Lock | null} */ lock) => {
      if (lock === null) {
        resolve(null);
        return undefined;
      }
      return /** @type {Promise<void>} */ (
        new Promise((release) =>
          resolve(() => {
            releases.set(locks, over);
            release();
          }),
        )
      );
    };
    const over = locks
      .request(NAME, { ifAvailable: true }, held)
      // Refused in documents without an origin of their own, where no tab can be told from another.
      .catch(() => resolve(() => {}));
  });
}
