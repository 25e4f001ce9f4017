// @ts-check
/**
 * Work that rests on something which can be taken away: a connection, a session with a wallet, whoever
 * waits for it. It ends with that at once, whatever it waits for itself. Contract: bus, private actions.
 */

import { BusError } from "../../contract/bus_error.js";
import { isPartOf } from "../consent/open_questions.js";

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
  isPartOf(signal, grounds);
  const links = grounds.map((ground) => ({
    ground,
    onAbort: () => controller.abort(reasonOf(ground)),
  }));
  for (const { ground, onAbort } of links) {
    if (ground.aborted) onAbort();
    else ground.addEventListener("abort", onAbort);
  }
  try {
    signal.throwIfAborted();
    // Before the work, which hears of the end too and says less of why.
    const over = ended(signal);
    return await Promise.race([over, run(signal)]);
  } finally {
    for (const { ground, onAbort } of links) ground.removeEventListener("abort", onAbort);
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

/** @param {AbortSignal} ground */
function reasonOf({ reason }) {
  if (reason instanceof BusError) return reason;
  return new BusError("CANCELLED", "Nobody waits for it any more; what was begun may be done.");
}
