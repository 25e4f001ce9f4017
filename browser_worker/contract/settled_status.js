// @ts-check
/**
 * The one status that a finished call's header shows, as its structured content says it: an icon,
 * the tone it is drawn in, and the word that is its accessible name. Draws nothing, and says
 * nothing of a call that still runs. Its twin: `bridge/tools/settled_status.py`.
 */

/** @typedef {"success" | "neutral" | "error" | "warning" | "pending"} Tone */

/**
 * @typedef {object} SettledStatus
 * @property {"check" | "cross" | "triangle" | "spinner"} icon
 * @property {Tone} tone
 * @property {string} word The icon's accessible name.
 */

const SUCCESS = new Set(["success", "completed", "pending_review"]);
/** @type {Readonly<Record<Tone, SettledStatus["icon"]>>} */
const LOOKS = {
  success: "check",
  neutral: "check",
  error: "cross",
  warning: "triangle",
  pending: "spinner",
};
const BLANKS = " \t\r\n";
const MAX_WORD_CHARS = 64;

/**
 * Returns the status of a call that has ended. Contract: package tools, settled status.
 *
 * A result that is an error is drawn as one, whatever it says of itself. Then `ok` counts, then a
 * `status` that is text. A result with neither is `committed`.
 *
 * @param {unknown} structuredContent
 * @param {boolean} [isError]
 * @returns {SettledStatus}
 */
export function settledStatus(structuredContent, isError) {
  const ok = own(structuredContent, "ok");
  const word = wordOf(own(structuredContent, "status"));
  const tone = word === "" ? null : toneOf(word);
  /** @type {Tone | null} */
  let told = null;
  if (isError === true || ok === false) told = "error";
  else if (ok === true) told = "success";
  if (told !== null) return { icon: LOOKS[told], tone: told, word: tone === told ? word : told };
  if (tone === null) return { icon: "check", tone: "success", word: "committed" };
  return { icon: LOOKS[tone], tone, word };
}

/**
 * @param {unknown} value
 * @param {string} name
 * @returns {unknown}
 */
function own(value, name) {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  return Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined;
}

/** @param {unknown} status */
function wordOf(status) {
  if (typeof status !== "string") return "";
  // No regular expression: one that looks for blanks at the end begins anew at each of them.
  let start = 0;
  let end = status.length;
  while (start < end && BLANKS.includes(status.charAt(start))) start += 1;
  while (end > start && BLANKS.includes(status.charAt(end - 1))) end -= 1;
  // By code points, as in every language; a long text is not taken apart for its beginning.
  const beginning = status.slice(start, Math.min(end, start + 2 * MAX_WORD_CHARS));
  return [...beginning].slice(0, MAX_WORD_CHARS).join("");
}

/**
 * @param {string} word
 * @returns {Tone}
 */
function toneOf(word) {
  // ASCII alone: other letters become smaller in other ways in other languages.
  const lower = word.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
  if (SUCCESS.has(lower)) return "success";
  if (lower.includes("error") || lower.includes("fail")) return "error";
  if (lower.includes("partial")) return "warning";
  return lower.includes("pending") ? "pending" : "neutral";
}
