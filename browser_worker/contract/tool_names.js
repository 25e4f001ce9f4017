// @ts-check
/**
 * Names of package tools: one pattern, and nothing that it depends on.
 * The twin of `bridge/contract/tool_names.py`. Contract: package tools, names.
 */

/** A letter, then up to 63 letters, digits and underscores: ASCII in lower case. */
export const TOOL_NAME_PATTERN = "^[a-z][a-z0-9_]{0,63}$";

const NAME = new RegExp(TOOL_NAME_PATTERN);

/**
 * Whether any value is the name of a package tool.
 *
 * @param {unknown} value
 * @returns {boolean}
 */
export function isWireSafeToolName(value) {
  return typeof value === "string" && NAME.test(value);
}
