// @ts-check
/**
 * Which work waits for an answer of the owner, by the signal that it ends with: who ends it can say that
 * nothing was done. Contract: bus, consent.
 */

/** How many questions are open for each. @type {WeakMap<AbortSignal, number>} */
const OPEN = new WeakMap();

/** @param {AbortSignal} signal Whether a question is open for whose work this is. */
export function asks(signal) {
  return (OPEN.get(signal) ?? 0) > 0;
}

/**
 * A question is put.
 *
 * @param {AbortSignal | undefined} signal
 * @returns {() => void} To be called once, when it has its answer, or is taken away.
 */
export function opened(signal) {
  if (signal === undefined) return () => {};
  OPEN.set(signal, (OPEN.get(signal) ?? 0) + 1);
  return () => void OPEN.set(signal, (OPEN.get(signal) ?? 1) - 1);
}
