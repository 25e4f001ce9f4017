// @ts-check
/**
 * A backend on the server that the page came from, which speaks JSON: `POST base/method` with the arguments
 * as the body, in the person's own session. Never another server: that session is nobody else's.
 * Contract: bus, kernel tools.
 */

import { BusError } from "../../contract/bus_error.js";
import { BUS_LIMITS } from "../../contract/limits.js";
import { seen } from "../well_formed.js";
import { backendTimedOut } from "./backend_errors.js";
import { readBounded } from "./bounded_body.js";
import { jsonInterface } from "./canister_interface.js";

/** @import { CanisterAnswer, CanisterCall, CanisterConnector } from "./canister_connector.js" */
/** @import { CanisterInterface, JsonMethod } from "./canister_interface.js" */

/**
 * @typedef {object} HttpPowers
 * @property {(url: string, init: RequestInit) => Promise<Response>} fetch
 * @property {string} origin Of the page.
 * @property {(ms: number, callback: () => void) => () => void} setTimer
 */

/**
 * @typedef {object} HttpOptions
 * @property {string} base An address on the page's own origin; methods are below it.
 * @property {{ methods: readonly JsonMethod[] }} description The page's own: none is asked of the server.
 * @property {number} [timeoutSeconds]
 */

const DEFAULT_TIMEOUT_SECONDS = 30;
const MAX_TOLD_CHARS = 300;
/** A day: what is said to be longer may be no number that can be sent. */
const MAX_RETRY_SECONDS = 86_400;
const METHOD = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}$/;

/** @implements {CanisterConnector} */
export class HttpCanister {
  /**
   * @param {HttpOptions} options
   * @param {HttpPowers} powers
   * @throws {TypeError} For another origin, or a method whose name cannot stand in an address.
   */
  constructor({ base, description, timeoutSeconds = DEFAULT_TIMEOUT_SECONDS }, powers) {
    const url = new URL(base, powers.origin);
    if (url.origin !== powers.origin || url.search !== "" || url.hash !== "") {
      throw new TypeError(`a backend is on the page's own origin, not at ${base}`);
    }
    this._base = url.href.endsWith("/") ? url.href : `${url.href}/`;
    this._timeoutSeconds = timeoutSeconds;
    this._powers = powers;
    /** @type {CanisterInterface} */
    this._interface = jsonInterface(description);
    const odd = [...this._interface.methods.keys()].find((name) => !METHOD.test(name));
    if (odd !== undefined) throw new TypeError(`a method cannot stand in an address: ${odd}`);
    const attached = [...this._interface.methods.values()].find(({ attachments }) => attachments);
    if (attached) throw new TypeError(`${attached.name}: JSON carries no attachments`);
  }

  async interface() {
    return this._interface;
  }

  /**
   * @param {string} method
   * @param {unknown} args
   * @param {CanisterCall} call
   * @returns {Promise<CanisterAnswer>}
   */
  async call(method, args, { signal }) {
    const controller = new AbortController();
    const onAbort = () => controller.abort();
    signal.addEventListener("abort", onAbort);
    let late = false;
    const stopTimer = this._powers.setTimer(this._timeoutSeconds * 1_000, () => {
      late = true;
      controller.abort();
    });
    try {
      return { result: await this._post(method, args, controller.signal) };
    } catch (error) {
      if (error instanceof BusError) throw error;
      if (late) throw backendTimedOut(this._timeoutSeconds);
      throw new BusError(
        "TOOL_FAILED",
        "The backend could not be reached, or broke off; it may have been done.",
      );
    } finally {
      stopTimer();
      signal.removeEventListener("abort", onAbort);
    }
  }

  /**
   * @param {string} method
   * @param {unknown} args
   * @param {AbortSignal} signal
   */
  async _post(method, args, signal) {
    // A browser's own is called by itself, not as a member of something.
    const { fetch } = this._powers;
    const response = await fetch(new URL(method, this._base).href, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json" },
      body: JSON.stringify(args),
      credentials: "same-origin",
      mode: "same-origin",
      // A redirect is refused, wherever it leads: the session is for this address.
      redirect: "manual",
      cache: "no-store",
      referrerPolicy: "no-referrer",
      signal,
    });
    if (response.type === "opaqueredirect" || (response.status >= 300 && response.status < 400)) {
      throw new BusError(
        "TOOL_FAILED",
        "The backend sent the call elsewhere, which is not followed.",
      );
    }
    const text = await readBounded(response, BUS_LIMITS.maxMessageBytes);
    if (!response.ok) throw refusal(response, text);
    if (response.status === 204) return null;
    if (text === null) {
      const most = BUS_LIMITS.maxMessageBytes;
      throw new BusError("TOO_LARGE", `The call was made; its answer has more than ${most} bytes.`);
    }
    const value = parsed(text);
    if (value === undefined) {
      throw new BusError("INVALID_OUTPUT", "The call was made; its answer is no JSON.");
    }
    return value;
  }
}

/**
 * @param {Response} response
 * @param {string | null} text
 */
function refusal({ status, headers }, text) {
  switch (status) {
    case 401:
    case 403:
      return new BusError(
        "OWNER_REQUIRED",
        "The backend asks for a person who is signed in and may do this; nothing was run. Sign in, then try again.",
      );
    case 404:
    case 405:
      return new BusError("UNKNOWN_TOOL", "The backend has no such method; nothing was run.");
    case 400:
    case 409:
    case 422:
      return new BusError("INVALID_INPUT", `The backend refused the call${toldBy(text)}.`);
    case 413:
      return new BusError(
        "TOO_LARGE",
        "The arguments are too large for the backend; nothing was run.",
      );
    case 429:
    case 503: {
      const seconds = Number(headers.get("retry-after") ?? "");
      const later =
        Number.isSafeInteger(seconds) && seconds > 0
          ? { retryAfterMs: Math.min(seconds, MAX_RETRY_SECONDS) * 1_000 }
          : {};
      return new BusError(
        "TOO_MANY_CALLS",
        "The backend has too much to do; nothing was run.",
        later,
      );
    }
    default:
      return new BusError(
        "TOOL_FAILED",
        `The backend failed (HTTP ${status}); it may have done part of it.`,
      );
  }
}

/**
 * What the backend says of it, as what it is.
 *
 * @param {string | null} text
 */
function toldBy(text) {
  const message = /** @type {any} */ (text === null ? undefined : parsed(text))?.message;
  return typeof message === "string" ? `, saying “${seen(message, MAX_TOLD_CHARS)}”` : "";
}

/** @param {string} text */
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
