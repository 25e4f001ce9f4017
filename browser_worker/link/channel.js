// @ts-check
/**
 * One WebSocket to the bridge, from its opening to its end: frames down and up, a sign of life from
 * this script, and exactly one word about how it ended.
 *
 * It knows no client and keeps nothing: what was sent when it broke is the outbox's to send again.
 * Contract: channel.
 */

import { BRIDGE_LIMITS } from "../contract/limits.js";
import { ALIVE, ackFrame, readFrame } from "./channel_frames.js";

/** @import { ItemsFrame, RefusedFrame } from "./channel_frames.js" */
/** @import { ChannelOffer } from "./channel_offer.js" */
/** @import { SetTimer } from "./powers.js" */

/**
 * @typedef {object} SocketLike A WebSocket.
 * @property {number} readyState
 * @property {string} protocol
 * @property {number} bufferedAmount
 * @property {(text: string) => void} send
 * @property {(code?: number) => void} close
 * @property {((event: unknown) => void) | null} onopen
 * @property {((event: { data: unknown }) => void) | null} onmessage
 * @property {((event: { code: number }) => void) | null} onclose
 */

/** @typedef {(url: string, protocols: string[]) => SocketLike} MakeSocket Throws where it is forbidden. */

/**
 * @typedef {"forbidden" | "unopened" | "broken" | "refused" | "stale" | "superseded" | "closing"} ChannelEnd
 *   "refused": one end does not understand the other. "superseded": another transport took over.
 */

/**
 * @typedef {object} ChannelPowers
 * @property {MakeSocket} makeSocket
 * @property {SetTimer} setTimer
 * @property {string} url The bridge's address.
 * @property {ChannelOffer} offer
 * @property {() => number} ack The highest `seq` that came, over whatever.
 * @property {() => void} onOpen
 * @property {(frame: ItemsFrame) => void} onItems
 * @property {(frame: RefusedFrame) => void} onRefused
 * @property {() => void} onAlive Called with each sign of life.
 * @property {(end: ChannelEnd) => void} onEnd Once, unless it was stopped before.
 */

const PROTOCOL = "bascule.1";
const OPEN = 1;
/** The ticket is of no use any more when this is over. */
const OPENING_MS = BRIDGE_LIMITS.ticketSeconds * 1_000;
const ALIVE_MS = BRIDGE_LIMITS.channelAliveSeconds * 1_000;
/** A result acknowledges by itself; only what takes longer than this costs a frame of its own. */
const ACK_MS = 50;
/** Half of what the bridge sends ahead: it must not come to wait for an acknowledgement. */
const ACK_AT_ONCE = BRIDGE_LIMITS.maxPollItems / 2;
/** A script may close with 1000 or with codes of its own only (RFC 6455, section 7.4). */
const MALFORMED = 4_400;

/** @type {ReadonlyMap<number, ChannelEnd>} */
const ENDS = new Map([
  [1_001, "closing"],
  [1_003, "refused"],
  [1_009, "refused"],
  [MALFORMED, "refused"],
  // Not 1000, with which Firefox closes the channels of a page that is being left.
  [4_409, "superseded"],
  [4_410, "stale"],
]);

export class Channel {
  #powers;
  /** @type {SocketLike | null} null once it has ended */
  #socket = null;
  #opened = false;
  /** The highest `seq` that was acknowledged here. */
  #told = 0;
  #frames = 0;
  #cancelOpening = () => {};
  #cancelAlive = () => {};
  /** @type {(() => void) | null} */
  #cancelAck = null;

  /** @param {ChannelPowers} powers */
  constructor(powers) {
    this.#powers = powers;
  }

  /** Begin. May end at once, within the call. */
  open() {
    const { makeSocket, setTimer, url, offer } = this.#powers;
    let socket;
    try {
      socket = makeSocket(url.replace(/^http/, "ws") + offer.path, [PROTOCOL, offer.ticket]);
    } catch {
      this.#end("forbidden");
      return;
    }
    this.#socket = socket;
    this.#cancelOpening = setTimer(OPENING_MS, () => this.#fail("unopened"));
    socket.onopen = () => this.#begin();
    socket.onmessage = ({ data }) => this.#receive(data);
    socket.onclose = ({ code }) =>
      this.#end(this.#opened ? (ENDS.get(code) ?? "broken") : "unopened");
  }

  /**
   * Send a frame now.
   *
   * @param {string} text
   * @param {number} ack what it acknowledges
   * @returns {boolean} false where nothing can be sent any more: the channel has ended then
   */
  send(text, ack) {
    const socket = this.#socket;
    if (socket === null) return false;
    // It is closing, and may be so for a while; nothing that is given to it arrives.
    if (socket.readyState !== OPEN) {
      this.#fail("broken");
      return false;
    }
    if (ack > this.#told) this.#told = ack;
    this.#frames += 1;
    socket.send(text);
    return true;
  }

  /** Leave it. Nothing is told afterwards. */
  stop() {
    this.#release()?.close();
  }

  #begin() {
    if (this.#socket?.protocol !== PROTOCOL) {
      this.#fail("refused");
      return;
    }
    this.#cancelOpening();
    this.#opened = true;
    this.#keepAlive();
    this.#powers.onOpen();
  }

  /** @param {unknown} data */
  #receive(data) {
    let frame;
    try {
      if (typeof data !== "string") throw new SyntaxError("a frame that is not text");
      frame = readFrame(data);
    } catch {
      this.#fail("refused", MALFORMED);
      return;
    }
    if (frame.kind === "refused") {
      this.#powers.onRefused(frame);
      return;
    }
    this.#powers.onItems(frame);
    this.#acknowledge();
  }

  #acknowledge() {
    const ack = this.#powers.ack();
    if (ack - this.#told >= ACK_AT_ONCE) this.send(ackFrame(ack), ack);
    else if (ack > this.#told) {
      // Left alone when a result goes first: to cancel and set it for every call would cost more.
      this.#cancelAck ??= this.#powers.setTimer(ACK_MS, () => {
        this.#cancelAck = null;
        const late = this.#powers.ack();
        if (late > this.#told) this.send(ackFrame(late), late);
      });
    }
  }

  #keepAlive() {
    let backlog = 0;
    let frames = 0;
    const again = () => {
      this.#cancelAlive = this.#powers.setTimer(ALIVE_MS, () => {
        const waiting = this.#socket?.bufferedAmount ?? 0;
        // Nothing was added since, and nothing has left either: nobody reads at the other end.
        if (backlog > 0 && waiting >= backlog && frames === this.#frames) {
          this.#fail("broken");
          return;
        }
        if (!this.send(ALIVE, 0)) return;
        backlog = this.#socket?.bufferedAmount ?? 0;
        frames = this.#frames;
        this.#powers.onAlive();
        again();
      });
    };
    again();
  }

  /**
   * @param {ChannelEnd} end
   * @param {number} [code]
   */
  #fail(end, code) {
    const socket = this.#release();
    if (code === undefined) socket?.close();
    else socket?.close(code);
    this.#powers.onEnd(end);
  }

  /** @param {ChannelEnd} end */
  #end(end) {
    this.#release();
    this.#powers.onEnd(end);
  }

  #release() {
    const socket = this.#socket;
    this.#socket = null;
    this.#cancelOpening();
    this.#cancelAlive();
    this.#cancelAck?.();
    this.#cancelAck = null;
    if (socket !== null) socket.onopen = socket.onmessage = socket.onclose = null;
    return socket;
  }
}
