// @ts-check
/** What a tool of the browser answered, as the output of an action: an object, or an error. */

import { isObject } from "../contract/json_number.js";
import { StrictJsonError, parse } from "../contract/strict_json.js";
import { AppError } from "../dispatcher/app_error.js";

const MAX_ERROR_CHARS = 4_000;

/**
 * An object is the output as it is. An answer in MCP's form gives its `structuredContent`, else the
 * object that its text is as JSON, else `{text}`, and `{content}` where it holds more than text. Other
 * text is `{text}`, any other value `{value}`, nothing is `{}`.
 *
 * @param {unknown} answer A value, or JSON as text.
 * @returns {Record<string, unknown>}
 * @throws {AppError} `HOST_ERROR` with the tool's own text, where the tool says that it failed.
 */
export function toolOutput(answer) {
  if (typeof answer === "string") return ofText(answer);
  if (answer === undefined || answer === null) return {};
  return isObject(answer) ? ofObject(answer) : { value: answer };
}

/** @param {string} text */
function ofText(text) {
  // What a browser that answers in text makes of no answer at all.
  if (text === "undefined" || text === "null") return {};
  const value = jsonValue(text);
  if (Array.isArray(value)) return { value };
  // A number in quotes and a number look the same here: text stays text.
  return isObject(value) ? ofObject(value) : { text };
}

/**
 * @param {Record<string, unknown>} answer
 * @returns {Record<string, unknown>}
 */
function ofObject(answer) {
  const { content, structuredContent, isError } = answer;
  const text = isContent(content) ? textOf(content) : undefined;
  if (isError === true) {
    // Not cut within a character: half of one cannot be sent.
    const said = (text ?? "").slice(0, MAX_ERROR_CHARS).replace(/[\uD800-\uDBFF]$/, "");
    throw new AppError("HOST_ERROR", said || "The tool says that it failed, and not why.");
  }
  if (!isContent(content)) return answer;
  if (isObject(structuredContent)) return structuredContent;
  if (text === undefined) return { content };
  const value = jsonValue(text);
  return isObject(value) ? value : { text };
}

/**
 * @param {unknown} content
 * @returns {content is { type: string, text?: unknown }[]}
 */
function isContent(content) {
  return (
    Array.isArray(content) &&
    content.every((block) => isObject(block) && typeof block["type"] === "string")
  );
}

/**
 * @param {{ type: string, text?: unknown }[]} content
 * @returns {string | undefined} Undefined where it is more than text.
 */
function textOf(content) {
  const texts = content.map(({ type, text }) => (type === "text" ? text : undefined));
  return texts.every((text) => typeof text === "string") ? texts.join("\n") : undefined;
}

/**
 * @param {string} text
 * @returns {unknown} Undefined for what is no JSON.
 */
function jsonValue(text) {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof StrictJsonError)) throw error;
    return undefined;
  }
}
