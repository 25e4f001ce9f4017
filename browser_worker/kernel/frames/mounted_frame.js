// @ts-check
/**
 * One app's frame in the trusted page, from mount to its end: sandboxed, with one port for the first
 * document that it loads and none for any other. A frame that has lost its port is taken away.
 * Contract: bus, the frame handshake, liveness.
 */

import { EndReason } from "../calls/call_end.js";
import { endpointId } from "../../contract/bus_names.js";
import { BUS_LIMITS } from "../../contract/limits.js";
import { FrameWatch } from "./frame_watch.js";

/** @import { EndpointPlace } from "../../contract/bus_names.js" */
/** @import { Endpoint } from "../endpoints/endpoint.js" */
/** @import { FrameHandshake } from "./frame_handshake.js" */
/** @import { Kernel } from "../kernel.js" */
/** @import { BusPort, KernelPowers } from "../kernel_powers.js" */

/**
 * @typedef {"loading" | "connected" | "silent" | "gone"} FrameState `silent`: its document did not ask
 *   for a port, and gets none any more; or has not loaded in that time, and gets one if it still does. `gone`: it is not in the page any more.
 */

/**
 * @typedef {object} FrameOptions
 * @property {EndpointPlace} place Who the frame is: the kernel's word, not the frame's.
 * @property {string} url Its query is for the app's own interface and is never read here.
 * @property {string} title For who cannot see the frame.
 * @property {(state: FrameState, reason: string) => void} [onState] Told of each change; what it throws
 *   changes nothing.
 */

/**
 * @typedef {object} FrameParts
 * @property {Kernel} kernel
 * @property {FrameHandshake} handshake
 * @property {KernelPowers} powers
 */

export class MountedFrame {
  /**
   * Mounts at once. The port is offered when the first document has loaded: whatever loads after it is
   * then known to be another.
   *
   * @param {Element | ShadowRoot} parent In a document that is shown.
   * @param {FrameOptions} options
   * @param {FrameParts} parts
   * @throws {TypeError} For a place that is no endpoint, or a parent that is in no page.
   */
  constructor(parent, { place, url, title, onState = () => {} }, { kernel, handshake, powers }) {
    endpointId(place);
    if (!parent.isConnected) throw new TypeError("a frame is mounted in a document that is shown");
    this._place = place;
    this._kernel = kernel;
    this._onState = onState;
    /** @type {FrameState} */
    this._state = "loading";
    /** @type {Endpoint | null} */
    this._endpoint = null;
    /** @type {(() => void)[]} */
    this._cleanUp = [];
    /** The element; its owner may style it, and does not move it: a frame that is moved loads again. */
    this.element = parent.ownerDocument.createElement("iframe");
    const { element } = this;
    // Nothing of a browser's powers: no origin, no storage, no pop-ups, no local network.
    element.setAttribute("sandbox", "allow-scripts");
    element.setAttribute("referrerpolicy", "no-referrer");
    // No title: its tooltip would stand over the app.
    element.setAttribute("aria-label", title);
    element.src = url;
    // A script that never ends keeps a document from loading, and nobody else says so.
    const cancelTimer = powers.setTimer(BUS_LIMITS.maxProbeSeconds * 1000, () =>
      this._move("silent", "its page has not finished loading"),
    );
    this._cleanUp.push(cancelTimer);
    let loads = 0;
    const onLoad = () => {
      loads += 1;
      cancelTimer();
      if (loads === 1) this._offer(handshake);
      else this._end("it loaded another document");
    };
    element.addEventListener("load", onLoad);
    this._cleanUp.push(() => element.removeEventListener("load", onLoad));
    parent.append(element);
    const watch = new FrameWatch(element, powers, () => this._end("it was taken out of the page"));
    this._cleanUp.push(() => watch.stop());
    this._cleanUp.push(kernel.onChange(() => this._see()));
  }

  /** @returns {FrameState} */
  get state() {
    return this._state;
  }

  /** The endpoint's name; null where it is not connected. */
  get endpoint() {
    return this._endpoint?.id ?? null;
  }

  /**
   * Takes the frame and its port away.
   *
   * @param {string} [why] What those are told who wait for it.
   */
  unmount(why = "it was closed") {
    this._end(why);
  }

  /** @param {FrameHandshake} handshake */
  _offer(handshake) {
    const frame = this.element.contentWindow;
    if (frame === null) return;
    this._cleanUp.push(
      handshake.offer(frame, {
        onPort: (port) => this._connect(port),
        onSilence: () => this._move("silent", "it did not ask for its port in time"),
      }),
    );
  }

  /**
   * @param {BusPort} port
   * @returns {boolean} Whether it is the frame's.
   */
  _connect(port) {
    try {
      this._endpoint = this._kernel.connect(this._place, port);
    } catch (error) {
      port.close();
      this._end(error instanceof Error ? error.message : String(error));
      return false;
    }
    this._move("connected", "");
    return this._state === "connected";
  }

  /** Looks whether the kernel took the port away: for a flood, for a lock, or because the app left. */
  _see() {
    if (this._endpoint !== null && !this._endpoint.open) this._end("its port was closed");
  }

  /** @param {string} why */
  _end(why) {
    if (this._state === "gone") return;
    for (const clean of this._cleanUp.splice(0)) clean();
    const endpoint = this._endpoint;
    this._endpoint = null;
    this.element.remove();
    this._move("gone", why);
    if (endpoint !== null) {
      const gone = new EndReason("ENDPOINT_GONE", `${endpoint.id} is gone (${why})`);
      this._kernel.disconnect(endpoint, gone);
    }
  }

  /**
   * @param {FrameState} state
   * @param {string} reason
   */
  _move(state, reason) {
    this._state = state;
    try {
      this._onState(state, reason);
    } catch {
      // Who watches decides nothing.
    }
  }
}
