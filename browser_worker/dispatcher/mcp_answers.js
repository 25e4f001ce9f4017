// @ts-check
/**
 * The lines that answer requests of MCP: results of each era, results of tools, errors.
 *
 * Every function gives one line within the limits of strict JSON, whatever it is passed. Contract:
 * MCP.
 */

import { JSON_LIMITS, MCP_LIMITS } from "../contract/limits.js";
import { META_SERVER_INFO } from "../contract/mcp_messages.js";
import { StrictJsonError, stringify } from "../contract/strict_json.js";
import { utf8Length } from "../contract/utf8.js";
import { AppError, contractCode, sendableError, toWireError } from "./app_error.js";
import { outputError } from "./json_copy.js";
import { errorText, forModel, HINTS, shortErrorText } from "./mcp_errors.js";

/** @import { Era } from "../contract/mcp_messages.js" */
/** @import { WireError } from "./app_error.js" */

/** @typedef {{ name: string, title?: string, version: string }} ServerInfo Who answers, for people only. */
/** @typedef {{ id: unknown, era: Era }} Answerable What an answer has to know of its request. */
/** @typedef {Record<string, unknown>} Block A block of content. */

const ELSEWHERE = "The result is in structuredContent.";
const TOO_MUCH =
  "An action that was called has run: do not repeat it. Look with state_inspect what it did, and ask for less at once.";
const OUR_HINTS = new Set([...Object.values(HINTS), TOO_MUCH]);
const ERROR_ELSEWHERE = "The error is in structuredContent.";
/** As JSON. */
const LINE_BREAK_BYTES = 2;

/** The answers of one server. */
export class McpAnswers {
  /** @param {ServerInfo} server */
  constructor({ name, title, version }) {
    this.server = { name, ...(title === undefined ? {} : { title }), version };
  }

  /**
   * @param {Answerable} request
   * @param {Record<string, unknown>} result
   * @param {object} [options]
   * @param {number | undefined} [options.ttlMs] How long a client may keep it, in milliseconds, where it may be kept.
   * @param {Record<string, unknown>} [options.otherwise] Another result, where the first is over a limit.
   * @returns {string} An error where that is over a limit, too.
   */
  result(request, result, { ttlMs, otherwise } = {}) {
    try {
      return this._line(request, result, ttlMs);
    } catch (error) {
      if (otherwise !== undefined) return this.result(request, otherwise, { ttlMs });
      return errorLine(request.id, wireError(outputError(error, result)));
    }
  }

  /**
   * What a tool gave: as data, and the same as text for clients that read only that.
   *
   * @param {Answerable} request
   * @param {Record<string, unknown>} structured
   * @param {readonly Block[]} [content] Blocks after the text.
   * @returns {string} Without the text where both are too much, and a failure where the data alone is.
   */
  toolResult(request, structured, content = []) {
    try {
      const blocks = [...textBlocks(stringify(structured)), ...content];
      return this._line(request, { content: blocks, structuredContent: structured });
    } catch {
      // Whatever it is: without the text it passes, or it fails again.
    }
    try {
      return this._line(request, { content: [text(ELSEWHERE)], structuredContent: structured });
    } catch (error) {
      return this.toolFailure(request, tooLarge(error, structured));
    }
  }

  /**
   * What a tool failed with: some clients show the model nothing but the text, which begins with what
   * matters most, and is short where the line has no room for the whole error twice.
   *
   * @param {Answerable} request
   * @param {WireError} error As `forModel` tells it.
   * @returns {string}
   */
  toolFailure(request, error) {
    const structured = { error };
    /** @param {readonly Block[]} content */
    const line = (content) =>
      this._line(request, { content, structuredContent: structured, isError: true });
    try {
      return line(textBlocks(`${errorText(error)}\n${stringify(structured)}`));
    } catch {
      // It is told in fewer words.
    }
    try {
      const pointed = line([text(ERROR_ELSEWHERE)]);
      const room = JSON_LIMITS.maxEncodedBytes - utf8Length(pointed) - LINE_BREAK_BYTES;
      const short = shortErrorText(error, room);
      return short === "" ? pointed : line([text(`${short}\n${ERROR_ELSEWHERE}`)]);
    } catch {
      return this.toolFailure(request, cut(error));
    }
  }

  /**
   * @param {Answerable} request
   * @param {Record<string, unknown>} result
   * @param {number} [ttlMs]
   * @throws {StrictJsonError}
   */
  _line({ id, era }, result, ttlMs) {
    const whole =
      era === "legacy"
        ? result
        : {
            resultType: "complete",
            ...result,
            ...(ttlMs === undefined ? {} : { ttlMs, cacheScope: "private" }),
            _meta: { [META_SERVER_INFO]: this.server },
          };
    return stringify({ jsonrpc: "2.0", id, result: whole });
  }
}

/**
 * The line of a JSON-RPC error.
 *
 * @param {unknown} id Undefined or null where it is unknown: MCP has no null for it.
 * @param {WireError} error
 * @returns {string}
 */
export function errorLine(id, error) {
  const known = id === undefined || id === null ? {} : { id };
  try {
    return stringify({ jsonrpc: "2.0", ...known, error });
  } catch {
    return stringify({ jsonrpc: "2.0", ...known, error: cut(error) });
  }
}

/**
 * What is left of an error that cannot be sent.
 *
 * @param {WireError} error
 * @returns {WireError}
 */
function cut({ code, data }) {
  const known = data?.["code"];
  return {
    code,
    message: "The error cannot be told in full.",
    ...(typeof known === "string" ? { data: { code: known, ...ourHint(data) } } : {}),
  };
}

/**
 * The hint of an error where it is one of ours, which is short. What an app says may be what does not fit.
 *
 * @param {WireError["data"]} data
 */
function ourHint(data) {
  const hint = data?.["hint"];
  return typeof hint === "string" && OUR_HINTS.has(hint) ? { hint } : {};
}

/**
 * Anything that was thrown, as it may be sent. What cannot even be read is the host's failure.
 *
 * @param {unknown} error
 * @returns {WireError}
 */
export function wireError(error) {
  try {
    return toWireError(error);
  } catch {
    return sendableError(error);
  }
}

/**
 * The same as a tool tells it: always with a code for programs, and with what a model has to know.
 *
 * @param {unknown} error
 * @param {string} tool
 * @returns {WireError}
 */
export function toolError(error, tool) {
  const told = wireError(error);
  const whole = told.data === undefined ? { ...told, data: { code: contractCode(error) } } : told;
  return forModel(whole, tool);
}

/**
 * @param {unknown} error
 * @param {unknown} structured
 * @returns {WireError}
 */
function tooLarge(error, structured) {
  if (!(error instanceof StrictJsonError) || error.kind !== "limit") {
    return forModel(wireError(outputError(error, structured)));
  }
  const { limit, maximum } = error;
  const message = `The action has run, but its result is over the limit ${limit} of ${maximum}.`;
  const told = wireError(new AppError("LIMIT_EXCEEDED", message, { limit, maximum }));
  return { ...told, data: { ...told.data, hint: TOO_MUCH } };
}

/**
 * @param {string} words
 * @returns {Block}
 */
function text(words) {
  return { type: "text", text: words };
}

/**
 * A text in as few blocks as it takes, each of whole characters.
 *
 * @param {string} whole Well-formed.
 * @returns {Block[]}
 */
function textBlocks(whole) {
  const most = MCP_LIMITS.maxTextBlockBytes;
  // Most texts are short; three bytes are the most that one UTF-16 unit takes.
  if (whole.length * 3 <= most) return [text(whole)];
  const blocks = [];
  let start = 0;
  let bytes = 0;
  for (let at = 0; at < whole.length;) {
    const point = /** @type {number} */ (whole.codePointAt(at));
    const size = point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
    if (bytes + size > most) {
      blocks.push(text(whole.slice(start, at)));
      start = at;
      bytes = 0;
    }
    bytes += size;
    at += point < 0x10000 ? 1 : 2;
  }
  return [...blocks, text(whole.slice(start))];
}
