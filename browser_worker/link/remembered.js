// @ts-check
/**
 * What a tab remembers over reloads when its app asks for it: the bridge that a person's click has
 * attached it to. Kept in the tab's session storage, so it ends with the tab, and forgotten as soon
 * as the attachment ends.
 */

import { isToken, readBridgeAddress } from "./bridge_address.js";

/** @import { AttachConfiguration } from "./attach_link.js" */

const KEY = "bascule:attachment";

/** @typedef {Pick<Storage, "getItem" | "setItem" | "removeItem">} TabStorage */

/**
 * The bridge that this tab was attached to before it was reloaded.
 *
 * @param {TabStorage | undefined} storage
 * @returns {AttachConfiguration | null}
 */
export function recall(storage) {
  try {
    const value = JSON.parse(storage?.getItem(KEY) ?? "null");
    const url = readBridgeAddress(value?.url);
    return url !== null && isToken(value.token) ? { url, token: value.token } : null;
  } catch {
    return null; // storage can be denied altogether, and its text can be anybody's
  }
}

/**
 * @param {TabStorage | undefined} storage
 * @param {AttachConfiguration} configuration
 */
export function remember(storage, { url, token }) {
  try {
    storage?.setItem(KEY, JSON.stringify({ url, token }));
  } catch {
    // A tab without storage is attached all the same; a reload then needs a click.
  }
}

/** @param {TabStorage | undefined} storage */
export function forget(storage) {
  try {
    storage?.removeItem(KEY);
  } catch {
    // Nothing was kept where nothing can be removed.
  }
}
