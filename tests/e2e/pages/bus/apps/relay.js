// @ts-check
/**
 * A frame that does the runtime's own handshake and lends its port to the first frame of the page, where
 * the runtime's suite runs: handlers of several endpoints then are functions of one realm.
 */

import { awaitPort } from "/app/frame_connection.js";

awaitPort(window, (port) => {
  parent.frames[0].postMessage({ lent: location.hash }, "*", [port]);
});
