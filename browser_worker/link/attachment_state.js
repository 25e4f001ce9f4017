// @ts-check
/**
 * The states of a page's attachment and what moves it from one to the next, as a table.
 *
 * Pure: it knows neither the bridge nor the browser. What a state means to a person is said by the
 * cause that led to it (`attachment_cause.js`).
 */

/** @typedef {"detached" | "connecting" | "attached" | "suspended" | "elsewhere" | "refused"} State */
/** @typedef {"connect" | "accepted" | "lost" | "occupied" | "refused" | "failed" | "detach"} StateEvent */

/** @type {readonly State[]} */
export const STATES = Object.freeze([
  /** Nothing is attached and nothing is tried. */
  "detached",
  /** The first request is under way; the browser may be asking the person for permission. */
  "connecting",
  /** The bridge took this page and hands it calls. */
  "attached",
  /** It was attached, and the link tries to come back. */
  "suspended",
  /** Another tab or page holds the place. */
  "elsewhere",
  /** The bridge or the browser said no; trying again the same way cannot help. */
  "refused",
]);

/** @type {readonly StateEvent[]} */
export const STATE_EVENTS = Object.freeze([
  "connect",
  "accepted",
  "lost",
  "occupied",
  "refused",
  "failed",
  "detach",
]);

/** @type {readonly (readonly [State, StateEvent, State])[]} */
const TRANSITIONS = Object.freeze([
  ["detached", "connect", "connecting"],
  ["detached", "detach", "detached"],

  ["connecting", "accepted", "attached"],
  ["connecting", "lost", "suspended"],
  ["connecting", "occupied", "elsewhere"],
  ["connecting", "refused", "refused"],
  ["connecting", "failed", "detached"],
  ["connecting", "detach", "detached"],

  ["attached", "lost", "suspended"],
  ["attached", "occupied", "elsewhere"],
  ["attached", "refused", "refused"],
  ["attached", "failed", "detached"],
  ["attached", "detach", "detached"],

  ["suspended", "accepted", "attached"],
  ["suspended", "lost", "suspended"],
  ["suspended", "occupied", "elsewhere"],
  ["suspended", "refused", "refused"],
  ["suspended", "failed", "detached"],
  ["suspended", "detach", "detached"],

  ["elsewhere", "detach", "detached"],
  ["refused", "detach", "detached"],
]);

/** An event that the present state does not know. The state stays as it was. */
export class TransitionError extends Error {
  /**
   * @param {State} state
   * @param {StateEvent} event
   */
  constructor(state, event) {
    super(`"${event}" cannot happen while the attachment is ${state}`);
    this.name = "TransitionError";
  }
}

/**
 * The state after an event.
 *
 * @param {State} state
 * @param {StateEvent} event
 * @returns {State}
 * @throws {TransitionError} where the table has no entry
 */
export function nextState(state, event) {
  const entry = TRANSITIONS.find(([from, on]) => from === state && on === event);
  if (entry === undefined) throw new TransitionError(state, event);
  return entry[2];
}
