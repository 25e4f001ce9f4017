// @ts-check
/** Which tiles were open, for the next time. A browser that keeps nothing costs a click, no more. */

/** @typedef {{ app: string, tile: string }} Remembered */

const KEY = "bascule-workspace.tiles";
const MOST = 12;

/**
 * @param {() => Storage} storage Reading it may throw.
 * @returns {Remembered[] | null} Null where nothing is remembered.
 */
export function recallTiles(storage) {
  try {
    const value = JSON.parse(storage().getItem(KEY) ?? "null");
    if (!Array.isArray(value)) return null;
    return value
      .filter((each) => typeof each?.app === "string" && typeof each.tile === "string")
      .slice(0, MOST)
      .map(({ app, tile }) => ({ app, tile }));
  } catch {
    return null;
  }
}

/**
 * @param {() => Storage} storage
 * @param {readonly Remembered[]} tiles
 */
export function rememberTiles(storage, tiles) {
  try {
    storage().setItem(KEY, JSON.stringify(tiles));
  } catch {
    // It is full, or there is none.
  }
}
