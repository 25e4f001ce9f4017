// @ts-check
/** Who is told of a call, beside who runs it. What they throw changes nothing of the call. */

/** @import { Outcome } from "../endpoints/endpoint.js" */

/**
 * @typedef {object} CallSink
 * @property {(outcome: Outcome) => void} done Told once.
 * @property {(value: unknown) => void} [progress]
 * @property {() => void} [waiting] Somebody has to be asked before it begins; told once at most.
 * @property {() => void} [allowed] After `waiting`: it may begin.
 */

/**
 * @param {CallSink} sink
 * @param {unknown} value
 */
export function tellProgress(sink, value) {
  quietly(() => sink.progress?.(value));
}

/** @param {CallSink} sink */
export function tellWaiting(sink) {
  quietly(() => sink.waiting?.());
}

/** @param {CallSink} sink */
export function tellAllowed(sink) {
  quietly(() => sink.allowed?.());
}

/** @param {() => void} tell */
function quietly(tell) {
  try {
    tell();
  } catch {
    // Who is told decides nothing.
  }
}
