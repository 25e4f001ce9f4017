// @ts-check
/** What the assistant understands: a few plain commands in a sentence. Knows nothing of apps and tools. */

/**
 * @typedef {{ kind: "find", query: string }
 *   | { kind: "draw", text: string | null }
 *   | { kind: "add", title: string }
 *   | { kind: "tools" }} Command `text`: null for what was found before.
 */

export const MAX_TASK_CHARS = 500;
export const MAX_COMMANDS = 8;

/** Where one command ends and the next begins: not within "salt and pepper". */
const NEXT =
  /\s*(?:[,.;]|\s(?:and then|and|then)\s)\s*(?=(?:please\s+)?(?:find|search|look|draw|sketch|put|add|write|list|show|which|what)\b)/iu;
const FIND =
  /^(?:find|search(?: for)?|look for)\s+(.+?)(?:\s+(?:in|from|among)\s+(?:my|the)?\s*notes)?$/iu;
const SEARCH = /^(?:search|look through)\s+(?:my|the)?\s*notes\s+for\s+(.+)$/iu;
const DRAW = /^(?:draw|sketch|put)\s+(.+?)(?:\s+(?:on|to|onto)\s+(?:my|the)?\s*board)?$/iu;
const ADD =
  /^(?:add|write)\s+(?:(?:a|the)\s+)?note(?:\s*:|\s+(?:that says|saying|called|about))?\s+(.+)$/iu;
const TOOLS = /^(?:list|show|which|what)\b.*\btools?\b/iu;
const THAT = /^(?:it|them|that|those|these|this|the (?:notes?|results?))$/iu;

/**
 * Reads a sentence.
 *
 * @param {string} sentence
 * @returns {{ commands: Command[], unknown: string[] }} In the order of the sentence; `unknown` has the
 *   parts that are no command.
 */
export function readTask(sentence) {
  /** @type {Command[]} */
  const commands = [];
  /** @type {string[]} */
  const unknown = [];
  for (const part of sentence.trim().split(NEXT).slice(0, MAX_COMMANDS)) {
    const words = part.replace(/^(?:please\s+)/iu, "").replace(/[\s.!?;,]+$/u, "");
    if (words === "") continue;
    const command = readCommand(words);
    if (command === null) unknown.push(words);
    else commands.push(command);
  }
  return { commands, unknown };
}

/**
 * @param {string} words
 * @returns {Command | null}
 */
function readCommand(words) {
  if (TOOLS.test(words)) return { kind: "tools" };
  const add = ADD.exec(words)?.[1];
  if (add !== undefined) return { kind: "add", title: unquoted(add) };
  const query = SEARCH.exec(words)?.[1] ?? FIND.exec(words)?.[1];
  if (query !== undefined) return { kind: "find", query: unquoted(query) };
  const drawn = DRAW.exec(words)?.[1];
  if (drawn === undefined) return null;
  return { kind: "draw", text: THAT.test(drawn) ? null : unquoted(drawn) };
}

/** @param {string} text */
function unquoted(text) {
  return text.replace(/^["“'](.*)["”']$/u, "$1").trim();
}
