// @ts-check
/**
 * A terminal's requests to one bridge over connections that stay open.
 *
 * Dials the literal loopback address, knows no proxies, follows no redirects and bounds what it reads,
 * so that the token reaches one port of this machine only. Knows no JSON-RPC. Contract: HTTP.
 */

import { Agent, request as httpRequest } from "node:http";

import { BRIDGE_LIMITS, JSON_LIMITS } from "../contract/limits.js";
import { StrictJsonError, parse, toPlain } from "../contract/strict_json.js";
import { isToken, readBridgeAddress } from "../link/bridge_address.js";
import { BridgeFailure, CallAborted, DeadlineExceeded, notABridge } from "./bascule_error.js";

/** @import { ClientRequest, IncomingMessage } from "node:http" */
/** @import { Outcome } from "./bascule_error.js" */

/**
 * @typedef {object} BridgeLike What it takes to call a bridge; `startBridge` gives one.
 * @property {string} url `http://127.0.0.1:PORT`
 * @property {string} token
 * @property {boolean} [running] False once it has ended: its port may be anybody's since.
 */

/**
 * @typedef {object} Answer
 * @property {number} status
 * @property {any} value What the body holds, in native numbers; BigInt for integers past 2^53.
 */

/** Well below the time after which a bridge closes an idle connection itself. */
const IDLE_MS = 2_000;
const MAX_SOCKETS = 16;
const ANSWER_LIMITS = Object.freeze({
  ...JSON_LIMITS,
  maxEncodedBytes: BRIDGE_LIMITS.maxBodyBytes,
});
/** Refusals without an outcome, since there was no call yet. */
const BEFORE_THE_CALL = new Set([
  "BAD_REQUEST",
  "UNAUTHORIZED",
  "FORBIDDEN_ORIGIN",
  "NOT_FOUND",
  "METHOD_NOT_ALLOWED",
  "TOO_LARGE",
  "UNSUPPORTED_MEDIA_TYPE",
  "FORBIDDEN_HOST",
  // A socket too many is told so before it has said what it wants.
  "BUSY",
]);

/** Requests to one bridge. */
export class BridgeConnection {
  #bridge;
  #port;
  #agent;

  /**
   * @param {BridgeLike} bridge
   * @param {{ idleMs?: number }} [limits] How long a connection is kept that nobody uses.
   * @throws {TypeError} for an address or a token that no bridge has
   */
  constructor(bridge, { idleMs = IDLE_MS } = {}) {
    const address = readBridgeAddress(bridge.url);
    if (address === null) throw new TypeError("a bridge's url is http://127.0.0.1:PORT");
    if (!isToken(bridge.token)) throw new TypeError("this is no token of a bridge");
    this.#bridge = bridge;
    this.#port = Number(new URL(address).port);
    // The agent's time-out ends connections in its pool only, not those that wait for an answer.
    this.#agent = new Agent({ keepAlive: true, maxSockets: MAX_SOCKETS, timeout: idleMs });
  }

  /**
   * Make one request, and end it by its deadline whatever happens.
   *
   * @param {"GET" | "POST"} method
   * @param {string} path
   * @param {string | null} body JSON text
   * @param {{ deadlineMs: number, signal?: AbortSignal | undefined }} until
   * @returns {Promise<Answer>}
   * @throws {BridgeFailure} `CallAborted` by the signal, `DeadlineExceeded` by the deadline
   */
  async exchange(method, path, body, { deadlineMs, signal }) {
    if (signal?.aborted) throw new CallAborted(signal.reason, "not_delivered");
    if (this.#bridge.running === false) {
      throw new BridgeFailure("NO_BRIDGE", "The bridge has ended.", { outcome: "not_delivered" });
    }
    const bytes = body === null ? null : Buffer.from(body);
    const sent = httpRequest({
      agent: this.#agent,
      host: "127.0.0.1",
      port: this.#port,
      method,
      path,
      headers: {
        Authorization: `Bearer ${this.#bridge.token}`,
        Accept: "application/json",
        ...(bytes === null
          ? {}
          : { "Content-Type": "application/json", "Content-Length": bytes.length }),
      },
    });
    const text = await finished(sent, bytes, { deadlineMs, signal });
    return readAnswer(text);
  }

  /** Close the connections; requests that are under way fail. */
  close() {
    this.#agent.destroy();
  }
}

/**
 * @param {ClientRequest} sent
 * @param {Buffer | null} bytes
 * @param {{ deadlineMs: number, signal?: AbortSignal | undefined }} until
 * @returns {Promise<{ status: number, body: Buffer }>}
 */
function finished(sent, bytes, { deadlineMs, signal }) {
  return new Promise((resolve, reject) => {
    let connected = false;
    /** @returns {Outcome} */
    const outcome = () => (connected ? "unknown" : "not_delivered");
    /** @param {() => void} how */
    const end = (how) => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
      how();
    };
    /** @param {BridgeFailure} error */
    const fail = (error) =>
      end(() => {
        sent.destroy();
        reject(error);
      });
    const abort = () => fail(new CallAborted(signal?.reason, outcome()));
    const timer = setTimeout(
      () =>
        fail(
          new DeadlineExceeded("DEADLINE_EXCEEDED", "No answer came before the call's deadline.", {
            outcome: outcome(),
          }),
        ),
      deadlineMs,
    );
    signal?.addEventListener("abort", abort);
    sent.once("socket", (socket) => {
      if (socket.connecting) socket.once("connect", () => (connected = true));
      else connected = true;
    });
    sent.on("error", (error) => fail(lost(error, connected)));
    sent.once("response", (response) => {
      collect(response).then(
        (body) => end(() => resolve({ status: response.statusCode ?? 0, body })),
        (error) => fail(error instanceof BridgeFailure ? error : lost(error, true)),
      );
    });
    sent.end(bytes ?? undefined);
  });
}

/**
 * @param {IncomingMessage} response
 * @returns {Promise<Buffer>}
 */
async function collect(response) {
  const { statusCode = 0, headers } = response;
  if (statusCode >= 300 && statusCode < 400) {
    throw notABridge("it redirects, which a bridge never does; it was not followed");
  }
  const length = Number(headers["content-length"] ?? Number.NaN);
  if (!(length <= BRIDGE_LIMITS.maxBodyBytes)) {
    throw notABridge("its answer has no length or is too large");
  }
  const parts = [];
  for await (const part of response) parts.push(part);
  return Buffer.concat(parts);
}

/**
 * @param {unknown} error
 * @param {boolean} connected
 */
function lost(error, connected) {
  const reason = /** @type {NodeJS.ErrnoException} */ (error).code ?? "it broke off";
  if (!connected) {
    return new BridgeFailure("UNREACHABLE", `No bridge answers at its address (${reason}).`, {
      outcome: "not_delivered",
      hint: "Is it still running? `bascule list` tells.",
    });
  }
  if (reason.startsWith("HPE_")) return notABridge("it does not speak HTTP");
  return new BridgeFailure(
    "CONNECTION_LOST",
    `The bridge took the call, but the connection failed (${reason}).`,
    { outcome: "unknown" },
  );
}

/**
 * @param {{ status: number, body: Buffer }} answer
 * @returns {Answer}
 */
function readAnswer({ status, body }) {
  const value = body.length === 0 ? null : readJson(body, status);
  if (status < 400) return { status, value };
  const error = value !== null && typeof value === "object" ? value.error : undefined;
  const { code, message, hint, outcome } = error ?? {};
  if (typeof code !== "string" || typeof message !== "string") {
    throw notABridge(`it answers with HTTP status ${status} and no reason`);
  }
  const told = outcome === "not_delivered" || outcome === "unknown" ? outcome : undefined;
  const Failure = code === "TIMEOUT" ? DeadlineExceeded : BridgeFailure;
  throw new Failure(code, message, {
    outcome: told ?? (BEFORE_THE_CALL.has(code) ? null : "unknown"),
    ...(typeof hint === "string" ? { hint } : {}),
  });
}

/**
 * @param {Buffer} body
 * @param {number} status
 */
function readJson(body, status) {
  try {
    return toPlain(parse(body, ANSWER_LIMITS));
  } catch (error) {
    if (!(error instanceof StrictJsonError)) throw error;
    throw notABridge(`it answers with HTTP status ${status} and no strict JSON`);
  }
}
