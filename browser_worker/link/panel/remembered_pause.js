// @ts-check
/**
 * That a person has paused a remembered attachment: a reload of the tab must not lift it. Kept beside
 * the attachment itself, in the tab's session storage.
 */

/** @import { TabStorage } from "../remembered.js" */

const KEY = "bascule:paused";

/** @param {TabStorage | undefined} storage */
export function recallPause(storage) {
  try {
    return storage?.getItem(KEY) === "yes";
  } catch {
    return false; // storage can be denied altogether
  }
}

/**
 * @param {TabStorage | undefined} storage
 * @param {boolean} paused
 */
export function rememberPause(storage, paused) {
  try {
    if (paused) storage?.setItem(KEY, "yes");
    else storage?.removeItem(KEY);
  } catch {
    // A tab without storage remembers no attachment either.
  }
}
