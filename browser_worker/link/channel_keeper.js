// @ts-check
/**
 * Decides when a channel is tried: with the ticket at hand, again after it broke, ever more seldom
 * where it fails each time, never again where it is forbidden. Holds the one that is open.
 *
 * It carries nothing itself (`channel.js`) and does not poll meanwhile (`poll_loop.js`).
 * Contract: channel.
 */

import { BRIDGE_LIMITS } from "../contract/limits.js";
import { BackOff, CHANNEL } from "./back_off.js";
import { Channel } from "./channel.js";

/** @import { ChannelEnd, MakeSocket } from "./channel.js" */
/** @import { ItemsFrame, RefusedFrame } from "./channel_frames.js" */
/** @import { ChannelOffer } from "./channel_offer.js" */
/** @import { Clock, SetTimer } from "./powers.js" */
/** @import { TransportNote } from "./transport_note.js" */

/**
 * @typedef {object} ChannelKeeperPowers
 * @property {MakeSocket | null} makeSocket null: the app wants none.
 * @property {SetTimer} setTimer
 * @property {Clock} clock
 * @property {() => number} random
 * @property {string} url
 * @property {() => number} ack
 * @property {() => void} onOpen
 * @property {(frame: ItemsFrame) => void} onItems
 * @property {(frame: RefusedFrame) => void} onRefused
 * @property {() => void} onAlive
 * @property {() => void} onEnd One that was open is so no more.
 * @property {() => void} onNote
 */

/** A channel that was open for this long shows that they last. */
const PROVEN_MS = 30_000;
const TICKET_MS = BRIDGE_LIMITS.ticketSeconds * 1_000;
/** So many failures in a row are worth a word to a person. */
const UNSTABLE = 3;

export class ChannelKeeper {
  #powers;
  #backOff;
  /** @type {Channel | null} opening or open */
  #channel = null;
  #open = false;
  /** @type {{ offer: ChannelOffer, atMs: number } | null} the newest one that was not tried */
  #spare = null;
  /** @type {TransportNote} */
  #note = "none";
  #forbidden = false;
  #openedAtMs = 0;
  #tryFromMs = 0;
  #failures = 0;
  /** @type {ChannelEnd | null} */
  #end = null;
  /** @type {(() => void)[]} */
  #waiting = [];

  /** @param {ChannelKeeperPowers} powers */
  constructor(powers) {
    this.#powers = powers;
    this.#backOff = new BackOff(CHANNEL, powers.random);
    if (powers.makeSocket === null) this.#forbid("switched-off");
  }

  get isOpen() {
    return this.#open;
  }

  get isOpening() {
    return this.#channel !== null && !this.#open;
  }

  /** Why none is open; "none" while one is, or may be soon. */
  get note() {
    return this.#note;
  }

  /**
   * What an answer of the bridge offers. Whoever gets an offer while none is open tries it, unless the
   * last try is too recent.
   *
   * @param {ChannelOffer | null} offer
   */
  offered(offer) {
    if (this.#forbidden) return;
    if (offer === null) {
      if (this.#failures === 0 && this.#channel === null) this.#say("not-offered");
      return;
    }
    if (this.#note === "not-offered") this.#say("none");
    this.#spare = { offer, atMs: this.#powers.clock().monotonicMs };
    this.#try();
  }

  #try() {
    const { makeSocket, clock } = this.#powers;
    if (this.#forbidden || this.#channel !== null || this.#spare === null || !makeSocket) return;
    const { monotonicMs } = clock();
    if (monotonicMs < this.#tryFromMs || monotonicMs - this.#spare.atMs >= TICKET_MS) return;
    const { offer } = this.#spare;
    this.#spare = null;
    this.#end = null;
    const channel = new Channel({
      ...this.#powers,
      makeSocket,
      offer,
      onOpen: () => this.#opened(),
      onEnd: (end) => this.#ended(end),
    });
    this.#channel = channel;
    channel.open();
  }

  /**
   * Send a frame now.
   *
   * @param {string} text
   * @param {number} ack what it acknowledges
   * @returns {boolean} false where no channel takes it
   */
  send(text, ack) {
    return this.#open && this.#channel !== null && this.#channel.send(text, ack);
  }

  /** How the last one ended, told once. */
  takeEnd() {
    const end = this.#end;
    this.#end = null;
    return end;
  }

  /**
   * @param {number} [ms] wait no longer than this
   * @returns {Promise<void>} when a channel has opened, ended or failed, or is left
   */
  change(ms) {
    return new Promise((resolve) => {
      let cancel = () => {};
      const done = () => {
        cancel();
        resolve();
      };
      this.#waiting.push(done);
      if (ms !== undefined) cancel = this.#powers.setTimer(ms, done);
    });
  }

  /** The browser reported that the worker's policy stopped the WebSocket. */
  blockedByPolicy() {
    if (!this.#open) this.#forbid("blocked-by-csp");
  }

  /** Leave the channel, if any: its client is no more. A later offer may open another. */
  leave() {
    const channel = this.#channel;
    const wasOpen = this.#open;
    this.#channel = null;
    this.#open = false;
    this.#spare = null;
    channel?.stop();
    if (wasOpen) this.#powers.onEnd();
    this.#wake();
  }

  #opened() {
    this.#open = true;
    this.#openedAtMs = this.#powers.clock().monotonicMs;
    this.#say("none");
    this.#powers.onOpen();
    this.#wake();
  }

  /** @param {ChannelEnd} end */
  #ended(end) {
    const wasOpen = this.#open;
    this.#channel = null;
    this.#open = false;
    this.#end = end;
    if (end === "forbidden") this.#forbid("blocked-by-csp");
    else if (end === "refused") this.#forbid("not-understood");
    else if (end === "stale" || end === "closing") this.#spare = null;
    else this.#failed(wasOpen);
    if (wasOpen) this.#powers.onEnd();
    this.#wake();
    // An offer that came while this one opened: a poll that was on its way then may have ended it, and
    // the next answer of a poll may be long in coming.
    this.#try();
  }

  /** @param {boolean} wasOpen */
  #failed(wasOpen) {
    if (this.#forbidden) return;
    const { monotonicMs } = this.#powers.clock();
    if (wasOpen && monotonicMs - this.#openedAtMs >= PROVEN_MS) {
      this.#backOff.reset();
      this.#failures = 0;
    }
    this.#failures += 1;
    this.#tryFromMs = monotonicMs + (this.#backOff.next(monotonicMs) ?? 0);
    if (!wasOpen) this.#say("not-opened");
    else if (this.#failures >= UNSTABLE) this.#say("unstable");
  }

  /** @param {TransportNote} note */
  #forbid(note) {
    this.#forbidden = true;
    this.#say(note);
  }

  /** @param {TransportNote} note */
  #say(note) {
    if (note === this.#note) return;
    this.#note = note;
    this.#powers.onNote();
  }

  #wake() {
    for (const done of this.#waiting.splice(0)) done();
  }
}
