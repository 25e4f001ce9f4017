// @ts-check
/**
 * Gives each frame that was registered its one port. Window messages only probe, say that a frame is
 * ready, and carry the port; who a frame is, is which window it is, and nothing that it says.
 * Contract: bus, the frame handshake.
 */

import { BUS_LIMITS } from "../contract/limits.js";

/** @import { BusPort, KernelPowers } from "./kernel_powers.js" */

/** @typedef {{ postMessage: (message: unknown, targetOrigin: string, transfer?: any[]) => void }} FrameWindow */

/**
 * @typedef {object} HandshakePage What is needed of the trusted page.
 * @property {(type: "message", listener: (event: any) => void) => void} addEventListener
 * @property {(type: "message", listener: (event: any) => void) => void} removeEventListener
 * @property {() => { port1: BusPort, port2: unknown }} makeChannel
 */

/**
 * @typedef {object} Offer
 * @property {string} nonce
 * @property {boolean} given
 * @property {number} until
 * @property {(port: BusPort) => void} onPort
 * @property {() => void} onSilence
 * @property {() => void} cancelTimer
 */

const MARK = Object.freeze({ bascule: "bus", version: 1 });

export class FrameHandshake {
  /**
   * @param {HandshakePage} page
   * @param {KernelPowers} powers
   */
  constructor(page, powers) {
    this._page = page;
    this._powers = powers;
    /** @type {Map<unknown, Offer>} */
    this._offers = new Map();
    this._listen = (/** @type {any} */ event) => this._hear(event);
    page.addEventListener("message", this._listen);
  }

  /**
   * Offers a window one port, for as long as this offer stands.
   *
   * @param {FrameWindow} frame A frame's `contentWindow`.
   * @param {{ onPort: (port: BusPort) => void, onSilence: () => void }} told `onPort` once at most;
   *   `onSilence` where the frame was not ready in time.
   * @returns {() => void} Withdraws it: the window gets no port any more.
   */
  offer(frame, { onPort, onSilence }) {
    const { now, newId } = this._powers;
    /** @type {Offer} */
    const offer = {
      nonce: newId(),
      given: false,
      until: now() + BUS_LIMITS.maxProbeSeconds * 1000,
      onPort,
      onSilence,
      cancelTimer: () => {},
    };
    this._offers.set(frame, offer);
    this._probe(frame, offer);
    return () => {
      offer.cancelTimer();
      if (this._offers.get(frame) === offer) this._offers.delete(frame);
    };
  }

  /** Listens no longer. */
  close() {
    this._page.removeEventListener("message", this._listen);
    for (const { cancelTimer } of this._offers.values()) cancelTimer();
    this._offers.clear();
  }

  /**
   * @param {FrameWindow} frame
   * @param {Offer} offer
   */
  _probe(frame, offer) {
    if (this._powers.now() >= offer.until) {
      this._offers.delete(frame);
      offer.onSilence();
      return;
    }
    this._ask(frame, offer);
    offer.cancelTimer = this._powers.setTimer(BUS_LIMITS.probeSeconds * 1000, () =>
      this._probe(frame, offer),
    );
  }

  /**
   * A sandboxed frame has no origin to name: whoever is loaded there reads it, and it holds nothing.
   *
   * @param {FrameWindow} frame
   * @param {Offer} offer
   */
  _ask(frame, { nonce }) {
    frame.postMessage({ ...MARK, step: "probe", nonce }, "*");
  }

  /** @param {{ source: unknown, data: any }} event */
  _hear({ source, data }) {
    const offer = this._offers.get(source);
    if (offer === undefined || offer.given) return;
    if (data?.bascule !== MARK.bascule || data.version !== MARK.version) return;
    if (data.step !== "ready") return;
    const frame = /** @type {FrameWindow} */ (source);
    if (data.nonce === undefined) this._ask(frame, offer);
    else if (data.nonce === offer.nonce) this._give(frame, offer);
  }

  /**
   * @param {FrameWindow} frame
   * @param {Offer} offer
   */
  _give(frame, offer) {
    offer.given = true;
    offer.cancelTimer();
    const { port1, port2 } = this._page.makeChannel();
    frame.postMessage({ ...MARK, step: "port", nonce: offer.nonce }, "*", [port2]);
    offer.onPort(port1);
  }
}
