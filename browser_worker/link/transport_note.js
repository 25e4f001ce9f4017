// @ts-check
/**
 * Why calls go by polling although a channel would be faster: a closed set of notes, each with the
 * sentence for a person. Nothing is wrong with an attachment that has one.
 */

/** @import { Place } from "./attachment_cause.js" */

const NOTES = Object.freeze(
  /** @satisfies {Record<string, (place: Place) => string>} */ ({
    none: () => "",
    "switched-off": () => "This app asked for polling.",
    "not-offered": () => "The bridge offers no channel, so calls go by polling.",
    "blocked-by-csp": (place) =>
      `The Content-Security-Policy of this page or of its worker forbids a WebSocket, so calls go by polling, which is slower. Add ${webSocketOf(place)} or ws://127.0.0.1:* to its connect-src.`,
    "not-opened": (place) =>
      `No WebSocket could be opened to ${webSocketOf(place)}, so calls go by polling, which works but is slower. A proxy, a content blocker, or the browser's setting for local network access may hold it back.`,
    unstable: () =>
      "The WebSocket to the bridge broke several times, so calls go by polling for a while.",
    "not-understood": () =>
      "The bridge and this page do not understand each other on a WebSocket, so calls go by polling. They may be of different versions.",
  }),
);

/** @typedef {keyof typeof NOTES} TransportNote */

/** @type {readonly TransportNote[]} */
export const TRANSPORT_NOTES = Object.freeze(/** @type {TransportNote[]} */ (Object.keys(NOTES)));

/**
 * @param {TransportNote} note
 * @param {Place} place
 * @returns {string} "" for "none"
 */
export function textOfNote(note, place) {
  return NOTES[note](place);
}

/** @param {Place} place */
function webSocketOf({ url }) {
  return url.replace(/^http/, "ws");
}
