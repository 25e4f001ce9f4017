// @ts-check
/**
 * One app's frame in the trusted page, from mount to unmount: sandboxed, with one port for its first
 * document and none for any other. Contract: bus, the frame handshake, liveness.
 */

import { BusError } from "../contract/bus_error.js";
import { endpointId } from "../contract/bus_names.js";
import { BUS_LIMITS } from "../contract/limits.js";

/** @import { EndpointPlace } from "../contract/bus_names.js" */
/** @import { Endpoint } from "./endpoint.js" */
/** @import { FrameHandshake } from "./frame_handshake.js" */
/** @import { Kernel } from "./kernel.js" */
/** @import { BusPort, KernelPowers } from "./kernel_powers.js" */

/** @typedef {"loading" | "connected" | "silent" | "gone"} FrameState `silent`: it never asked for a port. */

/**
 * @typedef {object} FrameOptions
 * @property {EndpointPlace} place Who the frame is: the kernel's word, not the frame's.
 * @property {string} url Its query is for the app's own interface and is never read here.
 * @property {string} title For who cannot see the frame.
 * @property {(state: FrameState, reason: string) => void} [onState]
 */

/**
 * @typedef {object} FrameParts
 * @property {Kernel} kernel
 * @property {FrameHandshake} handshake
 * @property {KernelPowers} powers
 */

/** How often it is looked whether the frame is still in the page. */
const LOOK_MS = 1_000;

export class MountedFrame {
  /**
   * Mounts at once.
   *
   * @param {Element} parent
   * @param {FrameOptions} options
   * @param {FrameParts} parts
   */
  constructor(parent, { place, url, title, onState = () => {} }, { kernel, handshake, powers }) {
    endpointId(place);
    this._place = place;
    this._kernel = kernel;
    this._powers = powers;
    this._onState = onState;
    /** @type {FrameState} */
    this._state = "loading";
    /** @type {Endpoint | null} */
    this._endpoint = null;
    this._loads = 0;
    this._stopLooking = () => {};
    /** @type {(() => void)[]} */
    this._cleanUp = [];
    /** The element; its owner may place and style it. */
    this.element = parent.ownerDocument.createElement("iframe");
    const { element } = this;
    // Nothing of a browser's powers: no origin, no storage, no pop-ups, no local network.
    element.setAttribute("sandbox", "allow-scripts");
    element.setAttribute("referrerpolicy", "no-referrer");
    element.title = title;
    element.src = url;
    const onLoad = () => this._loaded();
    element.addEventListener("load", onLoad);
    this._cleanUp.push(() => element.removeEventListener("load", onLoad));
    parent.append(element);
    const frame = element.contentWindow;
    if (frame === null) throw new TypeError("a frame is mounted in a document that is shown");
    this._cleanUp.push(
      handshake.offer(frame, {
        onPort: (port) => this._connect(port),
        onSilence: () => this._move("silent", "it did not ask for its port in time"),
      }),
    );
    this._look();
  }

  /** @returns {FrameState} */
  get state() {
    return this._state;
  }

  /** The endpoint's name; null where it is not connected. */
  get endpoint() {
    return this._endpoint?.id ?? null;
  }

  /** Takes the frame and its port away. */
  unmount() {
    this._end("it was closed");
    this.element.remove();
  }

  /** @param {BusPort} port */
  _connect(port) {
    try {
      this._endpoint = this._kernel.connect(this._place, port);
    } catch (error) {
      port.close();
      if (!(error instanceof BusError)) throw error;
      this._end(error.message);
      return;
    }
    this._move("connected", "");
    // A document that goes on to another before it has loaded tells nobody: see that it answers.
    if (this._loads > 0) this._expectAnswer(this._endpoint);
  }

  _loaded() {
    this._loads += 1;
    if (this._loads > 1) this._end("it loaded another document");
    else if (this._endpoint !== null) this._expectAnswer(this._endpoint);
  }

  /** @param {Endpoint} endpoint */
  _expectAnswer(endpoint) {
    let cancel = () => {};
    const asked = endpoint.ask("ping", {}, { done: () => cancel() });
    cancel = this._powers.setTimer(BUS_LIMITS.notRespondingSeconds * 1000, () => {
      endpoint.forget(asked, "it did not answer");
      this._end("it loaded another document, or never answered");
    });
    this._cleanUp.push(cancel);
  }

  _look() {
    const cancel = this._powers.setTimer(LOOK_MS, () => {
      if (this._state === "gone") return;
      if (!this.element.isConnected) this._end("it was taken out of the page");
      else if (this._endpoint !== null && !this._endpoint.open)
        this._end("its port was taken away");
      else this._look();
    });
    this._stopLooking = cancel;
  }

  /** @param {string} why */
  _end(why) {
    if (this._state === "gone") return;
    this._stopLooking();
    for (const clean of this._cleanUp.splice(0)) clean();
    const endpoint = this._endpoint;
    this._endpoint = null;
    this._move("gone", why);
    if (endpoint !== null) {
      const text = `${endpoint.id} is gone (${why}); what it was asked may have been done.`;
      this._kernel.disconnect(endpoint, new BusError("ENDPOINT_GONE", text));
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
