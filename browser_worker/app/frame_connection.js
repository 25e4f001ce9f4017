// @ts-check
/**
 * How a frame gets its port: it answers the probe of the page that holds it, and of nobody else, and
 * takes one port. When its document goes it says so by that port. Contract: bus, the frame handshake.
 */

import * as messages from "../contract/bus_messages.js";

/**
 * @typedef {object} FrameWindow What is needed of a window.
 * @property {{ postMessage: (message: unknown, targetOrigin: string) => void }} parent
 * @property {(type: "message" | "pagehide", listener: (event: any) => void) => void} addEventListener
 * @property {(type: "message", listener: (event: any) => void) => void} removeEventListener
 */

const MARK = Object.freeze({ bascule: "bus", version: 1 });

/**
 * Waits for the port.
 *
 * @param {FrameWindow} frame
 * @param {(port: MessagePort) => void} onPort Called once at most.
 * @returns {() => void} Waits no longer.
 */
export function awaitPort(frame, onPort) {
  const { parent } = frame;
  /** @type {Set<string>} */
  const nonces = new Set();
  /** @param {MessageEvent} event */
  const listen = (event) => {
    // Every frame here has the origin "null": only the window itself tells who speaks.
    if (event.source !== /** @type {unknown} */ (parent)) return;
    const { data } = event;
    if (data?.bascule !== MARK.bascule || data.version !== MARK.version) return;
    if (typeof data.nonce !== "string") return;
    if (data.step === "probe") {
      nonces.add(data.nonce);
      parent.postMessage({ ...MARK, step: "ready", nonce: data.nonce }, "*");
    } else if (data.step === "port" && nonces.has(data.nonce) && event.ports.length === 1) {
      stop();
      const port = /** @type {MessagePort} */ (event.ports[0]);
      sayWhenLeaving(frame, port);
      onPort(port);
    }
  };
  const stop = () => frame.removeEventListener("message", listen);
  frame.addEventListener("message", listen);
  // Neither side knows who is there first.
  parent.postMessage({ ...MARK, step: "ready" }, "*");
  return stop;
}

/**
 * A document that is replaced by one that never finishes loading is missed by nobody but itself. One
 * that may come back, with the whole page, keeps its port.
 *
 * @param {FrameWindow} frame
 * @param {MessagePort} port
 */
function sayWhenLeaving(frame, port) {
  frame.addEventListener("pagehide", ({ persisted }) => {
    if (!persisted) messages.post(port, messages.event("leaving"));
  });
}
