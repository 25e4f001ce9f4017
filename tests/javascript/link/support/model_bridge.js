// @ts-check
/**
 * A bridge in a few lines, with lines to it that lose what is under way: requests and frames wait until
 * a test lets them pass, or breaks them off before or after they have arrived.
 */

import { FakeSocket } from "./fake_sockets.js";

/** @typedef {{ id: string, seq: number, acknowledged: boolean, answers: string[] }} ModelCall */

class ModelRequest {
  /** @type {(response: Response) => void} */
  resolve = () => {};
  /** @type {(error: unknown) => void} */
  reject = () => {};
  arrived = false;
  /** @type {{ status: number, body: string } | null} */
  answer = null;

  /**
   * @param {string} path
   * @param {RequestInit} init
   */
  constructor(path, init) {
    this.path = path;
    this.init = init;
    /** @type {Promise<Response>} */
    this.response = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
  }
}

class ModelSocket extends FakeSocket {
  /** @type {string[]} */
  down = [];
  /** The bridge has accepted it, and both may not know of the other's end yet. */
  accepted = false;
  /** @type {number | null} */
  ending = null;
}

/** @param {number} status @param {string} code */
const refusal = (status, code) => ({ status, body: JSON.stringify({ error: { code } }) });

export class ModelBridge {
  /** @type {ModelCall[]} */
  calls = [];
  /** @type {ModelRequest[]} not yet answered at the page's end */
  requests = [];
  /** @type {ModelSocket | null} the page's newest */
  socket = null;
  /** Answers that a caller got for somebody else's call, or that nobody waited for. */
  wrong = 0;
  #seq = 0;
  #now = 1;
  #tickets = 0;
  /** @type {ModelRequest | null} */
  #parked = null;
  /** @type {ModelSocket | null} */
  #channel = null;
  /** @type {Set<string>} */
  #valid = new Set();

  /** @type {typeof fetch} */
  fetch = (input, init) => {
    const { pathname } = new URL(String(input));
    const request = new ModelRequest(pathname, init ?? {});
    this.requests.push(request);
    init?.signal?.addEventListener("abort", () => this.lose(request));
    return request.response;
  };

  /** @type {import("../../../../browser_worker/link/channel.js").MakeSocket} */
  makeSocket = (url, protocols) => (this.socket = new ModelSocket(url, protocols));

  offer() {
    const ticket = `ticket-${String((this.#tickets += 1)).padStart(16, "0")}`;
    this.#valid.add(ticket);
    return { path: "/channel", ticket };
  }

  call() {
    this.calls.push({
      id: `call-${this.calls.length}`,
      seq: 0,
      acknowledged: false,
      answers: [],
    });
    this.#serve();
  }

  /** A request reaches the bridge. */
  arrive(request = this.requests.find((candidate) => !candidate.arrived)) {
    if (request === undefined || request.arrived) return;
    request.arrived = true;
    if (request.path === "/poll") this.#poll(request);
    else if (request.path === "/result") {
      const { id, response } = JSON.parse(String(request.init.body));
      const code = this.#settle(id, response);
      request.answer = code === null ? { status: 200, body: "{}" } : refusal(409, code);
    } else request.answer = { status: 200, body: '{"accepted":true}' };
  }

  /** An answer reaches the page. */
  respond(request = this.requests.find((candidate) => candidate.answer !== null)) {
    if (request === undefined || request.answer === null) return;
    this.requests = this.requests.filter((other) => other !== request);
    request.resolve(new Response(request.answer.body, { status: request.answer.status }));
  }

  /** The connection of a request breaks; whether it has arrived, the page does not learn. */
  lose(request = this.requests[0]) {
    if (request === undefined) return;
    if (this.#parked === request) this.#parked = null;
    this.requests = this.requests.filter((other) => other !== request);
    request.reject(new TypeError("Failed to fetch"));
  }

  /** The handshake of the page's newest socket succeeds, or does not. */
  handshake() {
    const { socket } = this;
    if (socket === null || socket.readyState !== 0) return;
    const [, ticket = ""] = socket.protocols;
    if (!this.#valid.delete(ticket)) {
      void socket.break();
      return;
    }
    this.#supersede();
    this.#channel = socket;
    socket.accepted = true;
    this.#send(this.calls.filter((call) => call.seq > 0 && !call.acknowledged && isOpen(call)));
    this.#serve();
    void socket.open();
  }

  /** The page's next frame reaches the bridge. */
  up() {
    const text = this.#channel?.sent.shift();
    if (text === undefined) return;
    const frame = JSON.parse(text);
    if (frame.alive) return;
    this.#acknowledge(frame.ack);
    for (const { id, response } of frame.results ?? []) {
      const code = this.#settle(id, response);
      if (code !== null) this.#channel?.down.push(JSON.stringify({ refused: { id, code } }));
    }
    this.#serve();
  }

  /** The bridge's next frame, or its close, reaches the page. */
  down() {
    const { socket } = this;
    if (socket === null || socket.readyState !== 1) return;
    const text = socket.down.shift();
    if (text !== undefined) socket.onmessage?.({ data: text });
    else if (socket.ending !== null) void socket.break(socket.ending);
  }

  /** The channel breaks, with all that is under way in it. */
  cut() {
    if (this.socket === null || this.socket.readyState > 1) return;
    if (this.#channel === this.socket) this.#channel = null;
    void this.socket.break();
  }

  /** @param {ModelRequest} request */
  #poll(request) {
    this.#supersede();
    this.#acknowledge(Number(new Headers(request.init.headers).get("Bascule-Ack")));
    this.#parked = request;
    const again = this.calls.filter((call) => call.seq > 0 && !call.acknowledged && isOpen(call));
    if (again.length > 0) this.#answerPoll(again);
    else this.#serve();
  }

  #supersede() {
    if (this.#parked !== null) this.#parked.answer = refusal(409, "POLL_SUPERSEDED");
    this.#parked = null;
    if (this.#channel !== null) this.#channel.ending = 4_409;
    this.#channel = null;
  }

  /** @param {number} ack */
  #acknowledge(ack) {
    for (const call of this.calls) if (call.seq > 0 && call.seq <= ack) call.acknowledged = true;
  }

  #serve() {
    const open = this.calls.filter(isOpen);
    const room = 8 - open.filter((call) => call.seq > 0 && !call.acknowledged).length;
    const next = open.filter((call) => call.seq === 0).slice(0, Math.max(0, room));
    if (next.length === 0 || (this.#parked === null && this.#channel === null)) return;
    for (const call of next) call.seq = this.#seq += 1;
    if (this.#channel !== null) this.#send(next);
    else this.#answerPoll(next);
  }

  /** @param {ModelCall[]} calls */
  #answerPoll(calls) {
    if (this.#parked === null) return;
    const body = this.#frame(calls).replace(/\}$/, `,"channel":${JSON.stringify(this.offer())}}`);
    this.#parked.answer = { status: 200, body };
    this.#parked = null;
  }

  /** @param {ModelCall[]} calls */
  #send(calls) {
    if (calls.length > 0) this.#channel?.down.push(this.#frame(calls));
  }

  /** @param {ModelCall[]} calls */
  #frame(calls) {
    const now = (this.#now += 1);
    const requests = calls.map(({ id, seq }) => ({
      id,
      seq,
      session: "cli-json",
      request: { call: id },
      deadline: now + 30_000,
    }));
    return JSON.stringify({ now, requests });
  }

  /**
   * @param {string} id
   * @param {unknown} response
   */
  #settle(id, response) {
    const call = this.calls.find((candidate) => candidate.id === id);
    if (call === undefined || call.seq === 0) return "UNKNOWN_REQUEST";
    if (call.answers.length > 0) return "DUPLICATE_RESULT";
    const given = /** @type {{ of?: string } | null} */ (response)?.of;
    if (given !== id) this.wrong += 1;
    call.answers.push(String(given));
    call.acknowledged = true;
    return null;
  }
}

/** @param {ModelCall} call */
function isOpen(call) {
  return call.answers.length === 0;
}
