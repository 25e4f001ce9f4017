// @ts-check
/** A bridge behind a fake `fetch`: every request waits until the test answers it. */

import assert from "node:assert/strict";

import { settle } from "./fake_time.js";

export const URL_OF_BRIDGE = "http://127.0.0.1:4567";
export const TOKEN = "canary-token-0123456789abcdefghij";

export class ScriptedRequest {
  /** @type {(response: Response) => void} */
  #resolve = () => {};
  /** @type {(error: unknown) => void} */
  #reject = () => {};
  /** @type {Promise<Response>} */
  response;
  open = true;

  /**
   * @param {string} url
   * @param {RequestInit} init
   */
  constructor(url, init) {
    this.url = url;
    this.init = init;
    this.headers = new Headers(init.headers);
    this.response = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    init.signal?.addEventListener("abort", () => this.fail());
  }

  get path() {
    return new URL(this.url).pathname;
  }

  get body() {
    return String(this.init.body);
  }

  get json() {
    return JSON.parse(this.body);
  }

  /**
   * @param {number} status
   * @param {unknown} body a value, or JSON text
   * @param {Record<string, string>} [headers]
   */
  async answer(status, body, headers = {}) {
    this.open = false;
    const text = typeof body === "string" ? body : JSON.stringify(body);
    this.#resolve(new Response(text, { status, headers }));
    await settle();
  }

  /**
   * @param {number} status
   * @param {string} code
   * @param {Record<string, string>} [headers]
   */
  refuse(status, code, headers = {}) {
    return this.answer(status, { error: { code, message: code } }, headers);
  }

  /** The connection breaks. */
  async fail() {
    this.open = false;
    this.#reject(new TypeError("Failed to fetch"));
    await settle();
  }
}

export class ScriptedBridge {
  /** @type {ScriptedRequest[]} all that were ever made */
  requests = [];
  /** Requests fail at once, as nothing listens. */
  dead = false;
  #taken = 0;

  /** @type {typeof fetch} */
  fetch = (input, init) => {
    const request = new ScriptedRequest(String(input), init ?? {});
    this.requests.push(request);
    if (this.dead) void request.fail();
    return request.response;
  };

  /**
   * The next request that no test has looked at yet.
   *
   * @param {string} path that it must be for
   */
  async next(path) {
    await settle();
    const request = this.requests[this.#taken];
    assert.ok(request, `no request for ${path}`);
    assert.equal(request.path, path);
    this.#taken += 1;
    return request;
  }

  /** How many requests no test has looked at yet. */
  async unseen() {
    await settle();
    return this.requests.length - this.#taken;
  }

  skip() {
    this.#taken = this.requests.length;
  }
}

/** What a bridge answers to a page that it takes. */
export const CONNECTED = Object.freeze({
  client: "client-1",
  protocolVersion: "1",
  maxMessageBytes: 1_048_576,
  channel: null,
});

/**
 * @param {number} now Unix ms
 * @param {...{ seq: number, request?: string, id?: string, session?: string, ms?: number }} items
 * @returns {string} the body of a poll's answer
 */
export function pollAnswer(now, ...items) {
  const texts = items.map(
    ({ seq, request, id = `item-${seq}`, session = "cli-json", ms = 30_000 }) => {
      const what = request === undefined ? '"closeSession":true' : `"request":${request}`;
      return `{"id":"${id}","seq":${seq},"session":"${session}",${what},"deadline":${now + ms}}`;
    },
  );
  return `{"now":${now},"requests":[${texts.join(",")}]}`;
}
