// @ts-check
/**
 * An app's resources as MCP has them: lists in pages, small ones whole, and pictures to be shown.
 * Large ones are read in parts by a tool. Contract: MCP, resources.
 */

import { JSON_RPC_ERROR } from "../contract/error_codes.js";
import { MCP_LIMITS } from "../contract/limits.js";
import { MCP_ERROR } from "../contract/mcp_messages.js";
import { decodeUtf8 } from "../contract/utf8.js";
import { AppError, RpcError } from "./app_error.js";
import { andThen } from "./eventually.js";
import { fitting } from "./list_page.js";
import { caller } from "./methods.js";
import { base64 } from "./resources.js";

/** @import { Era, Refusal } from "../contract/mcp_messages.js" */
/** @import { Eventually } from "./eventually.js" */
/** @import { Resource } from "./host.js" */
/** @import { Block } from "./mcp_answers.js" */
/** @import { AppRequest } from "./mcp_front.js" */
/** @import { MethodContext } from "./methods.js" */

/** @typedef {Record<string, unknown>} Result */
/** @typedef {{ result: Result, otherwise?: Result }} ResourceResult `otherwise` where it is too much for a line. */
/** @typedef {{ refusal: Refusal, code: string }} ResourceRefusal An error as MCP words it, and the app's code. */
/** @typedef {ResourceResult | ResourceRefusal} Told */

/** What is text beside `text/*`, `+json` and `+xml`. */
const TEXTS = new Set([
  "application/json",
  "application/xml",
  "application/javascript",
  "application/x-ndjson",
]);

/** What models are shown. Of others, SVG above all, a client may make a failure of the whole. */
const PICTURES = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

/**
 * Answers one of the methods `resources/*`.
 *
 * @param {MethodContext} context
 * @param {AppRequest} request Whose params are of the right types.
 * @returns {Eventually<Told>}
 * @throws {AppError | RpcError} What the app refuses, and a bad cursor.
 */
export function answerResources(context, { method, params, era }) {
  const { reading } = context.dispatcher;
  const cursor = /** @type {string | undefined} */ (params["cursor"]);
  switch (method) {
    case "resources/list":
      return andThen(reading.resources(caller(context)), ({ value }) =>
        page("resources", value, cursor),
      );
    case "resources/templates/list":
      return andThen(reading.resourceTemplates(caller(context)), ({ value }) =>
        page("resourceTemplates", value, cursor),
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
  const listed = fitting(all.slice(start, start + MCP_LIMITS.resourcesPerPage));
  const end = start + listed.length;
  const more = end < all.length ? { nextCursor: String(end) } : {};
  return { result: { [name]: listed, ...more } };
}

/**
 * @param {MethodContext} context
 * @param {string} uri
 * @param {Era} era
 * @returns {Promise<Told>}
 */
async function readSmall(context, uri, era) {
  try {
    const { mimeType, size, data } = await whole(context, uri);
    if (size <= MCP_LIMITS.maxSmallResourceBytes) {
      return contents({ uri, mimeType }, data);
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
 * The picture that a rendering names where models can be shown it, else a link to it.
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
    const found = await whole(context, uri);
    const isSmall = found.size <= MCP_LIMITS.maxSmallResourceBytes;
    if (!isSmall || !PICTURES.has(mediaType(found.mimeType))) return link;
    return { type: "image", data: base64(found.data), mimeType: found.mimeType };
  } catch (error) {
    context.dispatcher.reportHostError(error);
    return link;
  }
}

/**
 * @param {MethodContext} context
 * @param {string} uri
 * @returns {Eventually<Resource>}
 */
function whole(context, uri) {
  const most = MCP_LIMITS.maxSmallResourceBytes;
  const seen = context.dispatcher.reading.wholeResource(uri, most, caller(context));
  return andThen(seen, ({ value }) => value);
}

/**
 * @param {{ uri: string, mimeType: string }} named
 * @param {Uint8Array} data
 * @returns {ResourceResult}
 */
function contents(named, data) {
  const blob = { contents: [{ ...named, blob: base64(data) }] };
  const text = isText(mediaType(named.mimeType)) ? decodeUtf8(data) : undefined;
  if (text === undefined) return { result: blob };
  // Text that is all escapes may be too long for a line, and is never so as base64.
  return { result: { contents: [{ ...named, text }] }, otherwise: blob };
}

/** @param {string} type */
function isText(type) {
  return (
    type.startsWith("text/") || type.endsWith("+json") || type.endsWith("+xml") || TEXTS.has(type)
  );
}

/** @param {string} mimeType */
function mediaType(mimeType) {
  return (mimeType.split(";")[0] ?? "").trim().toLowerCase();
}
