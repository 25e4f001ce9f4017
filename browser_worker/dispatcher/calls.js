// @ts-check
/** What a dispatcher is asked by callers outside, and what it gives. Types only. */

/** @import { Task } from "./task_table.js" */

/**
 * @typedef {object} Caller Who calls from outside.
 * @property {string} [session]
 * @property {() => boolean} [expired] Whether the caller has gone by now.
 */

/**
 * @typedef {object} CallData
 * @property {string} action
 * @property {unknown} [input] As parsed: numbers may still be tokens. `{}` where it is absent.
 * @property {number | bigint} [expectedRevision]
 */

/** @typedef {CallData & Caller} ExternalCall One call from outside. */

/**
 * @typedef {object} BatchData
 * @property {readonly CallData[]} calls
 * @property {boolean} [atomic] False by default.
 * @property {boolean} [stopOnError] True by default; of no meaning in an atomic batch.
 */

/** @typedef {BatchData & Caller} Batch Several calls from outside. */

/** @typedef {{ status: "completed", output: unknown } | { status: "deferred", task: Task }} Executed */

/** @typedef {Executed & { revision: number | bigint | null }} Ended With the revision as the call left it. */

/**
 * @typedef {object} Outside How a call from outside is answered.
 * @property {() => number | bigint | null} revision The revision that is told with the answer.
 * @property {() => void} [left] Told that the call is over or deferred, while it still has its turn.
 */

/**
 * @template T
 * @typedef {object} Seen What was seen, and the app's revision at that time.
 * @property {T} value
 * @property {number | bigint | null} revision
 */

export {};
