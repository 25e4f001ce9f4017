// @ts-check
/** WebSockets that a test opens, feeds and breaks by hand. */

import assert from "node:assert/strict";

import { settle } from "./fake_time.js";

/** @import { SocketLike } from "../../../../browser_worker/link/channel.js" */

/** @implements {SocketLike} */
export class FakeSocket {
  readyState = 0;
  protocol = "";
  bufferedAmount = 0;
  /** @type {SocketLike["onopen"]} */
  onopen = null;
  /** @type {SocketLike["onmessage"]} */
  onmessage = null;
  /** @type {SocketLike["onclose"]} */
  onclose = null;
  /** @type {string[]} frames that left */
  sent = [];
  /** @type {number | null} the code with which the page closed it; 1005 for none */
  closedWith = null;
  #read = 0;

  /**
   * @param {string} url
   * @param {string[]} protocols
   */
  constructor(url, protocols) {
    this.url = url;
    this.protocols = protocols;
  }

  /** @param {string} text */
  send(text) {
    assert.notEqual(this.readyState, 0, "a socket that opens takes no frame");
    if (this.readyState === 1) this.sent.push(text);
  }

  close(code = 1_005) {
    this.closedWith ??= code;
    this.readyState = 3;
  }

  /** The bridge accepts. */
  async open(protocol = "bascule.1") {
    this.protocol = protocol;
    this.readyState = 1;
    this.onopen?.({});
    await settle();
  }

  /**
   * A frame of the bridge comes.
   *
   * @param {unknown} data
   */
  async receive(data) {
    this.onmessage?.({ data });
    await settle();
  }

  /** The other end, or the way there, ends it. */
  async break(code = 1_006) {
    this.readyState = 3;
    this.onclose?.({ code });
    await settle();
  }

  /** Frames that no test has looked at yet. */
  news() {
    const frames = this.sent.slice(this.#read);
    this.#read = this.sent.length;
    return frames;
  }
}

export class FakeSockets {
  /** @type {FakeSocket[]} */
  all = [];
  /** The constructor throws, as in a browser whose policy forbids it. */
  forbidden = false;
  refused = 0;

  /** @type {import("../../../../browser_worker/link/channel.js").MakeSocket} */
  make = (url, protocols) => {
    if (this.forbidden) {
      this.refused += 1;
      throw new Error("SecurityError");
    }
    const socket = new FakeSocket(url, protocols);
    this.all.push(socket);
    return socket;
  };

  get last() {
    const socket = this.all.at(-1);
    assert.ok(socket, "no socket was made");
    return socket;
  }
}
