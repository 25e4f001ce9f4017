// @ts-check
/**
 * Which work waits for an answer of the owner and has done no more, by the signal that it ends with: who ends it
 * can say that nothing was done. After a first yes that is not known any more. Contract: bus, consent.
 */

/** @typedef {{ open: number, allowed: boolean }} Asked */

/** @type {WeakMap<AbortSignal, Asked>} */
const ASKED = new WeakMap();
/** What a signal was made of, for a part of the work. @type {WeakMap<AbortSignal, readonly AbortSignal[]>} */
const WHOLES = new WeakMap();

/** @param {AbortSignal} signal Whether a question is open for whose work this is, and none had a yes before. */
export function asks(signal) {
  const { open, allowed } = askedBy(signal);
  return open > 0 && !allowed;
}

/**
 * What is asked for a part of some work is asked for the whole.
 *
 * @param {AbortSignal} part
 * @param {readonly AbortSignal[]} wholes
 */
export function isPartOf(part, wholes) {
  WHOLES.set(part, wholes);
}

/**
 * A question is put.
 *
 * @param {AbortSignal | undefined} signal
 * @returns {(allowed: boolean) => void} To be called once, when it has its answer, or is taken away.
 */
export function opened(signal) {
  if (signal === undefined) return () => {};
  const all = [signal, ...(WHOLES.get(signal) ?? [])];
  for (const each of all) {
    const { open, allowed } = askedBy(each);
    ASKED.set(each, { open: open + 1, allowed });
  }
  return (yes) => {
    for (const each of all) {
      const { open, allowed } = askedBy(each);
      ASKED.set(each, { open: open - 1, allowed: allowed || yes });
    }
  };
}

/** @param {AbortSignal} signal @returns {Asked} */
function askedBy(signal) {
  return ASKED.get(signal) ?? { open: 0, allowed: false };
}
