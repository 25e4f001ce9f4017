// @ts-check
/**
 * Why an attachment is in its state: a closed set of causes, each with the event that it is to the
 * state machine and the sentence that tells a person what happened and what to do.
 *
 * Finds out nothing itself: `diagnosis.js` and the answers of the bridge name the cause.
 */

/** @import { State, StateEvent } from "./attachment_state.js" */

/**
 * @typedef {object} Place What a message may name; never the token.
 * @property {string} url The bridge's address.
 * @property {string} origin The page's own origin.
 */

/**
 * @typedef {object} CauseEntry
 * @property {StateEvent} event
 * @property {(place: Place) => string} text Cause first, then the cure.
 */

const CAUSES = Object.freeze(
  /** @satisfies {Record<string, CauseEntry>} */ ({
    "by-request": {
      event: "detach",
      text: () => "Detached. Open the attach link to attach again.",
    },
    "needs-click": {
      event: "refused",
      text: () =>
        "A page attaches only when a person asks for it. Attach from a click or a key press.",
    },
    "bad-address": {
      event: "refused",
      text: () =>
        "The address is not one of a bridge on this machine. Use the attach link that the bridge printed; it names http://127.0.0.1 and a port.",
    },
    "bridge-not-running": {
      event: "failed",
      text: (place) =>
        `No bridge answers at ${place.url}. Start one with "bascule browser-bridge --origin ${place.origin}" and open the link that it prints. If it is running, a content blocker of this browser may hold the request back.`,
    },
    "wrong-origin": {
      event: "refused",
      text: (place) =>
        place.origin === "null"
          ? "This page has no origin, as files and sandboxed frames have none. Serve it over http, from localhost for example."
          : `A bridge runs at ${place.url}, but not for this page. Start one with --origin ${place.origin}.`,
    },
    "wrong-token": {
      event: "refused",
      text: () =>
        "The bridge does not know this token. Each start of a bridge makes a new one: open the link of the one that runs now.",
    },
    "wrong-host": {
      event: "refused",
      text: (place) =>
        `The bridge does not go by the name ${place.url}. If its port is forwarded, start it with --public-host and that address.`,
    },
    "blocked-by-csp": {
      event: "refused",
      text: (place) =>
        `This page's Content-Security-Policy forbids the connection. Add ${place.url} to its connect-src, and the same with ws: for the faster channel.`,
    },
    "worker-blocked": {
      event: "refused",
      text: () =>
        "The browser did not start the link's worker. Serve browser_worker/link/worker.js from the page's own origin, allow it by worker-src 'self' and script-src 'self', and where the page sends Cross-Origin-Embedder-Policy, send it with the worker too.",
    },
    "permission-denied": {
      event: "refused",
      text: () =>
        "The browser denies this page access to programs on this machine. Allow local network access (in some browsers: apps on this device) for this page in its site settings and attach again.",
    },
    "permission-unanswered": {
      event: "failed",
      text: (place) =>
        `The browser has not yet allowed this page to reach programs on this machine. Attach again and choose "Allow" when it asks. If it does not ask, no bridge answers at ${place.url}.`,
    },
    "insecure-page": {
      event: "refused",
      text: () =>
        "Browsers let only secure pages reach programs on this machine. Serve the page over https, or from localhost.",
    },
    "mixed-content": {
      event: "failed",
      text: (place) =>
        `No bridge answers at ${place.url}, or this browser blocks http connections from https pages, as Safari does. Check that the bridge runs; if it does, use Chromium or Firefox, or serve the page from localhost.`,
    },
    "attached-elsewhere": {
      event: "occupied",
      text: () =>
        "The bridge is attached to another page. Detach that page or close it, then attach this one.",
    },
    "other-tab": {
      event: "occupied",
      text: () =>
        "Another tab of this app is attached. Detach it there or close that tab, then attach this one.",
    },
    superseded: {
      event: "occupied",
      text: () =>
        "Another connection took this page's place at the bridge. Attach again to take it back.",
    },
    busy: {
      event: "failed",
      text: () => "The bridge has no connection free. Wait a moment and attach again.",
    },
    closing: {
      event: "failed",
      text: () => "The bridge was stopped. Start it again and open the link that it prints.",
    },
    "bad-answer": {
      event: "failed",
      text: (place) =>
        `What answers at ${place.url} does not speak as a bridge does, or is one of another version. Start the bridge again and open the link that it prints.`,
    },
    replayed: {
      event: "failed",
      text: () =>
        "A service worker of this app answers the bridge's requests out of its cache. Let it leave requests to other origins alone, and attach again.",
    },
    "bridge-lost": {
      event: "lost",
      text: () => "The bridge does not answer. Trying again for up to five minutes.",
    },
    "bridge-gone": {
      event: "failed",
      text: (place) =>
        `The bridge at ${place.url} did not come back within five minutes. Start it again and open the link that it prints.`,
    },
    "page-hidden": {
      event: "lost",
      text: () => "The page was left; it attaches again when it is shown.",
    },
  }),
);

/** @typedef {keyof typeof CAUSES} Cause */

/** @type {readonly Cause[]} */
export const CAUSE_NAMES = Object.freeze(/** @type {Cause[]} */ (Object.keys(CAUSES)));

/**
 * @param {Cause} cause
 * @returns {StateEvent} what the cause is to the state machine
 */
export function eventOf(cause) {
  return CAUSES[cause].event;
}

/**
 * The sentence for a person: what happened and what to do about it. Never holds the token.
 *
 * @param {Cause} cause
 * @param {Place} place
 * @returns {string}
 */
export function messageOf(cause, place) {
  return CAUSES[cause].text(place);
}

/**
 * The sentence for a state that nothing is wrong with.
 *
 * @param {State} state
 * @param {Place} place
 * @returns {string}
 */
export function messageOfState(state, place) {
  if (state === "attached") return `Attached to the bridge at ${place.url}.`;
  if (state === "connecting") {
    return "Connecting. If the browser asks whether this page may reach programs on this machine, allow it.";
  }
  return "Not attached.";
}
