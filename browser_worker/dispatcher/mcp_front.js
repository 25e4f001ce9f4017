// @ts-check
/**
 * What of MCP is answered without an app: the checks of every request, `server/discover`,
 * `initialize`, `ping` and `tools/list`. The rest comes out as a request that is known to be sound.
 *
 * Pure: remembers nothing between messages and runs nothing. Contract: MCP.
 */

import { JSON_RPC_ERROR } from "../contract/error_codes.js";
import { isObject } from "../contract/json_number.js";
import { isId } from "../contract/jsonrpc.js";
import { MCP_LIMITS } from "../contract/limits.js";
import {
  LEGACY,
  OLDER,
  SUPPORTED,
  eraOf,
  metaRefusal,
  methodRefusal,
  progressToken,
  shapeRefusal,
  versionRefusal,
} from "../contract/mcp_messages.js";
import { RpcError } from "./app_error.js";
import { readEnvelope } from "./envelope.js";
import { McpAnswers, errorLine, wireError } from "./mcp_answers.js";
import { INSTRUCTIONS, TOOLS } from "./mcp_catalog.js";

/** @import { Era, ProgressToken, Refusal } from "../contract/mcp_messages.js" */
/** @import { WireError } from "./app_error.js" */
/** @import { Envelope } from "./envelope.js" */
/** @import { Block, ServerInfo } from "./mcp_answers.js" */
/** @import { Params } from "./params.js" */

/** @typedef {{ kind: "answered", line: string, ok: boolean }} Answered Answered here; `ok` by a result. */
/** @typedef {{ kind: "cancelled", requestId: unknown }} Cancelled Somebody waits no more for an answer. */
/** @typedef {{ kind: "ignored" }} Ignored Other notifications, and responses: nothing to do. */
/**
 * @typedef {object} AppRequest `tools/call` of a known tool with an object as arguments, or `resources/*`.
 * @property {"app"} kind
 * @property {unknown} id
 * @property {string} method
 * @property {Params} params
 * @property {Era} era
 * @property {ProgressToken | undefined} progressToken
 */
/** @typedef {Answered | Cancelled | Ignored | AppRequest} Taken */

const CAPABILITIES = Object.freeze({ tools: {}, resources: {} });
const CATALOG_TTL_MS = MCP_LIMITS.catalogTtlSeconds * 1000;
const TOOL_NAMES = new Set(TOOLS.map(({ name }) => name));
/** @type {Ignored} */
const IGNORED = Object.freeze({ kind: "ignored" });

/** The first to see a message. */
export class McpFront {
  /**
   * @param {ServerInfo} server
   * @param {object} [options]
   * @param {boolean} [options.acceptOlder] Whether 2025-06-18 is answered as offered.
   */
  constructor(server, { acceptOlder = false } = {}) {
    this._answers = new McpAnswers(server);
    this._acceptOlder = acceptOlder;
  }

  /**
   * Takes one line.
   *
   * @param {string} line
   * @returns {Taken} Never throws.
   */
  take(line) {
    return this.takeEnvelope(readEnvelope(line));
  }

  /**
   * Takes one line that was read before.
   *
   * @param {Envelope} envelope
   * @returns {Taken}
   */
  takeEnvelope(envelope) {
    if (envelope.kind === "response") return IGNORED;
    if (envelope.id === undefined) return notification(envelope);
    const { id, method, params, error } = envelope;
    if (envelope.kind !== undefined) return refused(errorLine(id, wireError(wordsOf(envelope))));
    const era = eraOf(method, params);
    const refusal = ladder(method, params, era, error !== undefined);
    if (refusal !== undefined) return refused(errorLine(id, asWire(refusal)));
    return this._answer({
      kind: "app",
      id,
      method,
      params,
      era,
      progressToken: progressToken(params),
    });
  }

  /**
   * @param {AppRequest} request
   * @param {Record<string, unknown>} result
   * @param {object} [options]
   * @param {number | undefined} [options.ttlMs] How long a client may keep it.
   * @param {Record<string, unknown>} [options.otherwise] Another result, where the first is over a limit.
   * @returns {string} With what the era adds.
   */
  result(request, result, options) {
    return this._answers.result(request, result, options);
  }

  /**
   * @param {AppRequest} request
   * @param {Record<string, unknown>} structured
   * @param {readonly Block[]} [content]
   * @returns {string}
   */
  toolResult(request, structured, content) {
    return this._answers.toolResult(request, structured, content);
  }

  /**
   * @param {AppRequest} request
   * @param {WireError} error As control protocol 1 nests one.
   * @returns {string} A result that says that the tool failed.
   */
  toolFailure(request, error) {
    return this._answers.toolFailure(request, error);
  }

  /**
   * @param {AppRequest} request
   * @param {Refusal} refusal
   * @returns {string} A JSON-RPC error.
   */
  error(request, refusal) {
    return errorLine(request.id, asWire(refusal));
  }

  /**
   * @param {AppRequest} request
   * @returns {Taken}
   */
  _answer(request) {
    /** @param {Record<string, unknown>} result @param {number} [ttlMs] @returns {Answered} */
    const answered = (result, ttlMs) => ({
      kind: "answered",
      line: this._answers.result(request, result, { ttlMs }),
      ok: true,
    });
    switch (request.method) {
      case "server/discover":
        return answered(
          {
            supportedVersions: SUPPORTED,
            capabilities: CAPABILITIES,
            instructions: INSTRUCTIONS,
          },
          CATALOG_TTL_MS,
        );
      case "initialize":
        return answered({
          protocolVersion: this._version(request.params),
          capabilities: CAPABILITIES,
          serverInfo: this._answers.server,
          instructions: INSTRUCTIONS,
        });
      case "ping":
        return answered({});
      case "tools/list":
        return answered({ tools: TOOLS }, CATALOG_TTL_MS);
      default:
        return request;
    }
  }

  /** @param {Params} params */
  _version(params) {
    return this._acceptOlder && params["protocolVersion"] === OLDER ? OLDER : LEGACY;
  }
}

/**
 * @param {Refusal} refusal
 * @returns {WireError}
 */
function asWire({ number, message, data }) {
  return { code: number, message, ...(data === undefined ? {} : { data }) };
}

/**
 * @param {Envelope} envelope
 * @returns {Taken}
 */
function notification({ method, params }) {
  const requestId = Object.hasOwn(params, "requestId") ? params["requestId"] : undefined;
  return method === "notifications/cancelled" && isId(requestId)
    ? { kind: "cancelled", requestId }
    : IGNORED;
}

/**
 * What is wrong with a line that is no request. Batches are of another protocol.
 *
 * @param {Envelope} envelope
 */
function wordsOf({ kind, error }) {
  if (kind !== "array") return error;
  return new RpcError("INVALID_REQUEST", "An array is no request; send each message by itself.");
}

/**
 * @param {string} line
 * @returns {Answered}
 */
function refused(line) {
  return { kind: "answered", line, ok: false };
}

/**
 * Every check of a request, in MCP's order.
 *
 * @param {string} method
 * @param {Params} params
 * @param {Era} era
 * @param {boolean} misshapen Whether the params are no object.
 * @returns {Refusal | undefined}
 */
function ladder(method, params, era, misshapen) {
  if (era === "modern") {
    const refusal = metaRefusal(params) ?? versionRefusal(params);
    if (refusal !== undefined) return refusal;
  }
  return (
    methodRefusal(method, era) ??
    (misshapen ? invalid("params must be an object") : undefined) ??
    shapeRefusal(params, era) ??
    paramsRefusal(method, params)
  );
}

/**
 * @param {string} method
 * @param {Params} params
 * @returns {Refusal | undefined}
 */
function paramsRefusal(method, params) {
  /** @param {string} name */
  const own = (name) => (Object.hasOwn(params, name) ? params[name] : undefined);
  switch (method) {
    case "initialize":
      if (typeof own("protocolVersion") !== "string") return mustBe("protocolVersion", "a string");
      if (!isObject(own("capabilities"))) return mustBe("capabilities", "an object");
      if (!isObject(own("clientInfo"))) return mustBe("clientInfo", "an object");
      return undefined;
    case "tools/call": {
      const name = own("name");
      if (typeof name !== "string") return mustBe("name", "a string");
      if (!TOOL_NAMES.has(name)) return invalid("No such tool; see tools/list.");
      const given = own("arguments");
      return given === undefined || isObject(given) ? undefined : mustBe("arguments", "an object");
    }
    case "tools/list":
      return own("cursor") === undefined
        ? undefined
        : invalid("params.cursor must be left out: there are no further pages");
    case "resources/list":
    case "resources/templates/list": {
      const cursor = own("cursor");
      return cursor === undefined || typeof cursor === "string"
        ? undefined
        : mustBe("cursor", "a string");
    }
    case "resources/read":
      return typeof own("uri") === "string" ? undefined : mustBe("uri", "a string");
    default:
      return undefined;
  }
}

/**
 * @param {string} name
 * @param {string} what
 */
function mustBe(name, what) {
  return invalid(`params.${name} must be ${what}`);
}

/**
 * @param {string} message
 * @returns {Refusal}
 */
function invalid(message) {
  return { number: JSON_RPC_ERROR.INVALID_PARAMS, message };
}
