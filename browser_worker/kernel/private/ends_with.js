// @ts-check
/**
 * Work that rests on something which can be taken away: a connection, a session with a wallet, whoever
 * waits for it. It ends with that at once, whatever it waits for itself. Contract: bus, private actions.
 */

import { EndLinks } from "../calls/end_links.js";

/**
 * @template T
 * @param {readonly AbortSignal[]} grounds What it rests on. They may live long: nothing of it stays on them.
 * @param {(signal: AbortSignal) => Promise<T>} run Its signal aborts with the first of them.
 * @returns {Promise<T>} Rejects with the `BusError` that a ground aborts with, and with `CANCELLED` for one
 *   that tells none; not begun where one is gone already.
 */
export async function endsWith(grounds, run) {
  const controller = new AbortController();
  const { signal } = controller;
  const links = new EndLinks((error) => controller.abort(error));
  for (const ground of grounds) links.add(ground);
  try {
    signal.throwIfAborted();
    // Before the work, which hears of the end too and says less of why.
    const over = ended(signal);
    return await Promise.race([over, run(signal)]);
  } finally {
    links.clear();
  }
}

/**
 * @param {AbortSignal} signal
 * @returns {Promise<never>}
 */
function ended(signal) {
  return new Promise((_resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}
