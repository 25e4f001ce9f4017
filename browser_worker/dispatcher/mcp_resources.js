// @ts-check
/**
 * An app's resources as MCP has them: lists in pages, small ones whole, and pictures to be shown.
 * Large ones are read in parts by a tool. Contract: MCP, resources.
 */

import { JSON_RPC_ERROR } from "../contract/error_codes.js";
import { MCP_LIMITS, PROTOCOL_LIMITS } from "../contract/limits.js";
import { MCP_ERROR } from "../contract/mcp_messages.js";
import { decodeUtf8 } from "../contract/utf8.js";
import { AppError, RpcError } from "./app_error.js";
import { andThen } from "./eventually.js";
import { caller } from "./methods.js";
import { base64 } from "./resources.js";

/** @import { Era, Refusal } from "../contract/mcp_messages.js" */
/** @import { Eventually } from "./eventually.js" */
/** @import { Block } from "./mcp_answers.js" */
/** @import { AppRequest } from "./mcp_front.js" */
/** @import { MethodContext } from "./methods.js" */

/** @typedef {{ result: Record<string, unknown> } | { refusal: Refusal, code: string }} Told */
/** @typedef {{ mimeType: string, size: number, data: Uint8Array | undefined }} Whole Without data where it is too large. */

/** What is text beside `text/*`, `+json` and `+xml`. */
const TEXTS = new Set([
  "application/json",
  "application/xml",
  "application/javascript",
  "application/x-ndjson",
]);

/**
 * Answers one of the methods `resources/*`.
 *
 * @param {MethodContext} context
 * @param {AppRequest} request Whose params are of the right types.
 * @returns {Eventually<Told>}
 * @throws {AppError | RpcError} What the app refuses, and a bad cursor.
 */
export function answerResources(context, { method, params, era }) {
  const { dispatcher } = context;
  const cursor = /** @type {string | undefined} */ (params["cursor"]);
  switch (method) {
    case "resources/list":
      return andThen(dispatcher.resources(caller(context)), (all) =>
        page("resources", all, cursor),
      );
    case "resources/templates/list":
      return andThen(dispatcher.resourceTemplates(caller(context)), (all) =>
        page("resourceTemplates", all, cursor),
      );
    default:
      return readSmall(context, String(params["uri"]), era);
  }
}

/**
 * @param {string} name
 * @param {readonly unknown[]} all
 * @param {string | undefined} cursor
 * @returns {Told}
 */
function page(name, all, cursor) {
  const start = cursor === undefined ? 0 : /^[1-9]\d{0,8}$/.test(cursor) ? Number(cursor) : NaN;
  if (cursor !== undefined && !(start < all.length)) {
    throw new RpcError("INVALID_PARAMS", "params.cursor must be a nextCursor of an earlier answer");
  }
  const end = start + MCP_LIMITS.resourcesPerPage;
  const more = end < all.length ? { nextCursor: String(end) } : {};
  return { result: { [name]: all.slice(start, end), ...more } };
}

/**
 * @param {MethodContext} context
 * @param {string} uri
 * @param {Era} era
 * @returns {Promise<Told>}
 */
async function readSmall(context, uri, era) {
  try {
    const { mimeType, size, data } = await readWhole(context, uri);
    if (data !== undefined) {
      return { result: { contents: [{ uri, mimeType, ...textOrBlob(mimeType, data) }] } };
    }
    const message = `This resource has ${size} bytes, too many for one answer: read it in parts with the tool resource_read.`;
    const number = JSON_RPC_ERROR.INVALID_PARAMS;
    return { refusal: { number, message, data: { uri, size } }, code: "INVALID_PARAMS" };
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "UNKNOWN_RESOURCE") throw error;
    const number = era === "legacy" ? MCP_ERROR.RESOURCE_NOT_FOUND : JSON_RPC_ERROR.INVALID_PARAMS;
    const message = "The app has no such resource.";
    return { refusal: { number, message, data: { uri } }, code: error.code };
  }
}

/**
 * The picture that a rendering names, or a link to it where it is large, no picture, or gone.
 *
 * @param {MethodContext} context
 * @param {string} uri
 * @param {string | undefined} mimeType As the rendering told it.
 * @returns {Promise<Block>} Never rejects: the rendering itself is there.
 */
export async function picture(context, uri, mimeType) {
  const link = {
    type: "resource_link",
    uri,
    name: uri,
    ...(mimeType === undefined ? {} : { mimeType }),
  };
  try {
    const whole = await readWhole(context, uri);
    if (whole.data === undefined || !mediaType(whole.mimeType).startsWith("image/")) return link;
    return { type: "image", data: base64(whole.data), mimeType: whole.mimeType };
  } catch (error) {
    context.dispatcher.reportHostError(error);
    return link;
  }
}

/**
 * Reads all of a resource where that is small, in parts as any other caller does.
 *
 * @param {MethodContext} context
 * @param {string} uri
 * @returns {Promise<Whole>}
 */
async function readWhole(context, uri) {
  /** @type {Uint8Array[]} */
  const parts = [];
  let from = 0;
  for (;;) {
    const most = PROTOCOL_LIMITS.maxResourceChunkBytes;
    const { mimeType, size, data } = await context.dispatcher.readResource(
      uri,
      from,
      most,
      caller(context),
    );
    if (size > MCP_LIMITS.maxSmallResourceBytes) return { mimeType, size, data: undefined };
    parts.push(data);
    from += data.length;
    if (from >= size) return { mimeType, size: from, data: joined(parts, from) };
  }
}

/**
 * @param {readonly Uint8Array[]} parts
 * @param {number} size
 */
function joined(parts, size) {
  const whole = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/**
 * @param {string} mimeType
 * @param {Uint8Array} data
 * @returns {{ text: string } | { blob: string }}
 */
function textOrBlob(mimeType, data) {
  const type = mediaType(mimeType);
  const isText =
    type.startsWith("text/") || type.endsWith("+json") || type.endsWith("+xml") || TEXTS.has(type);
  const text = isText ? decodeUtf8(data) : undefined;
  return text === undefined ? { blob: base64(data) } : { text };
}

/** @param {string} mimeType */
function mediaType(mimeType) {
  return (mimeType.split(";")[0] ?? "").trim().toLowerCase();
}
