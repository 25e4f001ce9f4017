// @ts-check
/**
 * The port of a frame, whose messages carry the browser's own word on whether this frame was clicked, where
 * the browser has one. Others take no notice of the wish. Contract: bus, private actions.
 */

/** @import { AppPort } from "./port_session.js" */

/**
 * @param {MessagePort} port
 * @returns {AppPort} The same port: it is used by this alone from now on.
 */
export function attestedPort(port) {
  return {
    postMessage: (message, transfer) => {
      const options = { transfer, includeUserActivation: true };
      port.postMessage(message, options);
    },
    get onmessage() {
      return port.onmessage;
    },
    set onmessage(listener) {
      port.onmessage = listener;
    },
    close: () => port.close(),
  };
}
