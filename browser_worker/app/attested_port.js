// @ts-check
/**
 * The port of a frame, whose requests carry the browser's own word on whether this frame was clicked, where
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
      // Of what is no request nobody asks, and the browser's word takes its time.
      const includeUserActivation = message.type === "exec";
      const options = { transfer, includeUserActivation };
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
