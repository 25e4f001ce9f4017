// @ts-check
/**
 * The browser's half of the bridge's HTTP routes, one method for each, over a `fetch` that is
 * passed in. The only holder of the token.
 *
 * Decides nothing and repeats nothing: every call sends one request, or none once the token is
 * forgotten, and says how it ended. It never rejects.
 */

/** @import { Fetch } from "./powers.js" */

/**
 * @typedef {object} Success
 * @property {true} ok
 * @property {string} text The body.
 */

/**
 * @typedef {object} Failure
 * @property {false} ok
 * @property {"network" | "unanswered" | "http" | "forgotten"} kind Network: no answer that the page may read.
 *   Unanswered: none came in time, as far as who sent it says; no request ends so by itself.
 * @property {number} status 0 without an answer.
 * @property {string} code The bridge's error code, or "".
 * @property {number | null} retryAfterMs
 */

/** @typedef {Success | Failure} Outcome */
/** @typedef {"visible" | "hidden" | "frozen"} PageState */

/**
 * @typedef {object} RequestOptions
 * @property {"GET" | "POST"} method
 * @property {string} [body]
 * @property {boolean} [keepalive] The request outlives the page; for short bodies only.
 * @property {Record<string, string>} [headers]
 * @property {AbortSignal} [signal]
 */

/**
 * @typedef {object} BridgeApi
 * @property {(app: string, options?: { signal?: AbortSignal }) => Promise<Outcome>} connect
 * @property {(client: string, ack: number, options?: { signal?: AbortSignal, fresh?: number }) => Promise<Outcome>} poll
 *   `ack`: the highest `seq` received, 0 at first. `fresh`: a number that makes the address a new one;
 *   0 leaves it as it is, which saves the browser a preflight.
 * @property {(client: string, id: string, response: string | null, options?: { signal?: AbortSignal }) => Promise<Outcome>} result
 *   `response` is JSON text, sent as it is; null reports that it is too large to be sent.
 * @property {(client: string, state: PageState, taken: number, options?: { keepalive?: boolean, signal?: AbortSignal }) => Promise<Outcome>} state
 * @property {(client: string) => Promise<Outcome>} disconnect
 * @property {() => void} forget Wipe the token; every later call ends as "forgotten".
 */

/**
 * @param {{ fetch: Fetch, url: string, token: string }} powers `url` without a closing slash
 * @returns {BridgeApi}
 */
export function makeBridgeApi(powers) {
  const { fetch: send, url } = powers;
  /** @type {string | null} */
  let token = powers.token;

  /**
   * @param {string} path
   * @param {RequestOptions} options
   * @returns {Promise<Outcome>}
   */
  async function request(path, { headers, ...options }) {
    if (token === null) return failure("forgotten");
    try {
      const response = await send(url + path, {
        ...options,
        headers: { ...headers, Authorization: `Bearer ${token}` },
        mode: "cors",
        // No `cache`: the answers forbid their storing themselves, and "no-store" here would make
        // Chromium ask in advance (a preflight) before each and every request.
        credentials: "omit",
        redirect: "error",
        referrerPolicy: "no-referrer",
      });
      const text = await response.text();
      if (response.ok) return { ok: true, text };
      return failure("http", response.status, errorCode(text), retryAfter(response.headers));
    } catch {
      return failure("network");
    }
  }

  /**
   * @param {string} path
   * @param {string} body
   * @param {{ keepalive?: boolean, signal?: AbortSignal }} [options]
   */
  function post(path, body, { keepalive = false, signal } = {}) {
    const headers = { "Content-Type": "application/json" };
    return request(path, { method: "POST", body, keepalive, headers, ...(signal && { signal }) });
  }

  return {
    connect: (app, options) => post("/connect", JSON.stringify({ app }), options),
    poll: (client, ack, { signal, fresh = 0 } = {}) =>
      request(`/poll?client=${encodeURIComponent(client)}${fresh === 0 ? "" : `&fresh=${fresh}`}`, {
        method: "GET",
        headers: { "Bascule-Ack": String(ack) },
        ...(signal && { signal }),
      }),
    result(client, id, response, options) {
      const head = `{"client":${JSON.stringify(client)},"id":${JSON.stringify(id)},`;
      return post(
        "/result",
        head + (response === null ? '"tooLarge":true}' : `"response":${response}}`),
        options,
      );
    },
    state: (client, state, taken, options) =>
      post("/state", JSON.stringify({ client, state, taken }), options),
    disconnect: (client) => post("/disconnect", JSON.stringify({ client }), { keepalive: true }),
    forget() {
      token = null;
      powers.token = "";
    },
  };
}

/**
 * @param {Failure["kind"]} kind
 * @param {number} [status]
 * @param {string} [code]
 * @param {number | null} [retryAfterMs]
 * @returns {Failure}
 */
function failure(kind, status = 0, code = "", retryAfterMs = null) {
  return { ok: false, kind, status, code, retryAfterMs };
}

/** @param {string} text */
function errorCode(text) {
  try {
    const code = JSON.parse(text)?.error?.code;
    return typeof code === "string" ? code : "";
  } catch {
    return "";
  }
}

/** @param {Headers} headers */
function retryAfter(headers) {
  const seconds = headers.get("Retry-After");
  return seconds !== null && /^[0-9]{1,4}$/.test(seconds) ? Number(seconds) * 1_000 : null;
}
