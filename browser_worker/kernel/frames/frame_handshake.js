// @ts-check
/**
 * Gives each frame that was registered its one port. Window messages only probe, say that a frame is
 * ready, and carry the port; who a frame is, is which window it is, and nothing that it says.
 * Contract: bus, the frame handshake.
 */

import { BUS_LIMITS } from "../../contract/limits.js";

/** @import { BusPort, KernelPowers } from "../kernel_powers.js" */

/** @typedef {{ postMessage: (message: unknown, targetOrigin: string, transfer?: any[]) => void }} FrameWindow */

/**
 * @typedef {object} HandshakePage What is needed of the trusted page.
 * @property {(type: "message", listener: (event: any) => void) => void} addEventListener
 * @property {(type: "message", listener: (event: any) => void) => void} removeEventListener
 * @property {() => { port1: BusPort, port2: unknown }} makeChannel
 */

/**
 * @typedef {object} OfferTold
 * @property {(port: BusPort) => boolean} onPort Called once at most, before the frame has its end:
 *   whether it is to have it.
 * @property {() => void} onSilence The frame was not ready in time, and gets no port any more.
 */

/** @typedef {OfferTold & { nonce: string, until: number, cancelTimer: () => void }} Offer */

const MARK = Object.freeze({ bascule: "bus", version: 1 });

export class FrameHandshake {
  /**
   * @param {HandshakePage} page
   * @param {KernelPowers} powers
   */
  constructor(page, powers) {
    this._page = page;
    this._powers = powers;
    /** Windows that may still have a port. @type {Map<unknown, Offer>} */
    this._offers = new Map();
    this._listen = (/** @type {any} */ event) => this._hear(event);
    page.addEventListener("message", this._listen);
  }

  /** Windows that wait for their port. */
  get waiting() {
    return this._offers.size;
  }

  /**
   * Offers a window one port, for as long as this offer stands.
   *
   * @param {FrameWindow} frame A frame's `contentWindow`.
   * @param {OfferTold} told
   * @returns {() => void} Withdraws it: the window gets no port any more.
   */
  offer(frame, told) {
    const { now, newId } = this._powers;
    this._withdraw(frame, this._offers.get(frame));
    /** @type {Offer} */
    const offer = {
      ...told,
      nonce: newId(),
      until: now() + BUS_LIMITS.maxProbeSeconds * 1000,
      cancelTimer: () => {},
    };
    this._offers.set(frame, offer);
    this._probe(frame, offer);
    return () => this._withdraw(frame, offer);
  }

  /** Listens no longer: nobody gets a port any more. */
  close() {
    this._page.removeEventListener("message", this._listen);
    for (const [frame, offer] of [...this._offers]) this._withdraw(frame, offer);
  }

  /**
   * @param {unknown} frame
   * @param {Offer | undefined} offer
   */
  _withdraw(frame, offer) {
    offer?.cancelTimer();
    if (this._offers.get(frame) === offer) this._offers.delete(frame);
  }

  /**
   * @param {FrameWindow} frame
   * @param {Offer} offer
   */
  _probe(frame, offer) {
    if (this._powers.now() >= offer.until) {
      this._withdraw(frame, offer);
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
  _hear(event) {
    // What a stranger sends, or a frame that has its port, is not even unpacked.
    const offer = this._offers.get(event.source);
    if (offer === undefined) return;
    const { data } = event;
    if (data?.bascule !== MARK.bascule || data.version !== MARK.version) return;
    if (data.step !== "ready") return;
    const frame = /** @type {FrameWindow} */ (event.source);
    if (data.nonce === undefined) this._ask(frame, offer);
    else if (data.nonce === offer.nonce) this._give(frame, offer);
  }

  /**
   * @param {FrameWindow} frame
   * @param {Offer} offer
   */
  _give(frame, offer) {
    this._withdraw(frame, offer);
    const { port1, port2 } = this._page.makeChannel();
    if (!offer.onPort(port1)) return;
    frame.postMessage({ ...MARK, step: "port", nonce: offer.nonce }, "*", [port2]);
  }
}
