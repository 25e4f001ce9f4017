// @ts-check
/** Reads the marks within one paragraph of Markdown: `**bold**`, `*italic*`, `` `code` ``, escapes. */

import { cleanText } from "./text_offsets.js";

/** @import { Run } from "./paragraph.js" */

const [BOLD, ITALIC, CODE] = [1, 2, 4];
const ESCAPABLE = /^[!-/:-@[-`{-~]$/;
const SPACE = /^\s?$/u;
const WORD = /^[\p{L}\p{N}]$/u;

/** @typedef {{ text: string, marks: number, switches: number, opens: boolean }} Token */

/**
 * @param {string} text
 * @returns {Run[]}
 */
export function readInline(text) {
  return paired(tokens(text)).map(({ text: piece, marks }) => ({ text: cleanText(piece), marks }));
}

/**
 * @param {string} text
 * @returns {Token[]}
 */
function tokens(text) {
  /** @type {Token[]} */
  const found = [];
  /** @param {string} piece @param {number} [marks] */
  const put = (piece, marks = 0) => {
    const last = found.at(-1);
    if (last !== undefined && last.switches === 0 && last.marks === marks) last.text += piece;
    else found.push({ text: piece, marks, switches: 0, opens: false });
  };
  let at = 0;
  while (at < text.length) {
    const sign = text[at] ?? "";
    const next = text[at + 1] ?? "";
    if (sign === "\\" && ESCAPABLE.test(next)) {
      put(next);
      at += 2;
    } else if (sign === "`") {
      at = readCodeSpan(text, at, put);
    } else if (sign === "*" || sign === "_") {
      const run = /^(\*+|_+)/.exec(text.slice(at))?.[0] ?? sign;
      pushDelimiters(found, put, run, text[at - 1] ?? "", text[at + run.length] ?? "");
      at += run.length;
    } else if (sign === "&") {
      const entity = /^&#(\d{1,7});/.exec(text.slice(at, at + 12));
      const code = Number(entity?.[1]);
      if (entity !== null && code > 0 && code <= 0x10ffff) put(String.fromCodePoint(code));
      else put(sign);
      at += entity === null ? 1 : entity[0].length;
    } else {
      put(sign);
      at++;
    }
  }
  return found;
}

/**
 * @param {string} text
 * @param {number} start
 * @param {(piece: string, marks?: number) => void} put
 * @returns {number}
 */
function readCodeSpan(text, start, put) {
  const fence = /^`+/.exec(text.slice(start))?.[0] ?? "`";
  const from = start + fence.length;
  for (let end = text.indexOf(fence, from); end !== -1; end = text.indexOf(fence, end)) {
    const run = /^`+/.exec(text.slice(end))?.[0] ?? "";
    if (run.length === fence.length) {
      const inner = text.slice(from, end);
      put(/^ .* $/s.test(inner) ? inner.slice(1, -1) : inner, CODE);
      return end + fence.length;
    }
    end += run.length;
  }
  put(fence);
  return from;
}

/**
 * @param {Token[]} found
 * @param {(piece: string) => void} put
 * @param {string} run
 * @param {string} before
 * @param {string} after
 */
function pushDelimiters(found, put, run, before, after) {
  const within = run[0] === "_" && WORD.test(before) && WORD.test(after);
  const opens = !SPACE.test(after);
  const closes = !SPACE.test(before);
  if (run.length > 3 || within || (!opens && !closes)) {
    put(run);
    return;
  }
  const sign = run[0] ?? "";
  if (run.length !== 1) found.push({ text: sign + sign, marks: 0, switches: BOLD, opens });
  if (run.length !== 2) found.push({ text: sign, marks: 0, switches: ITALIC, opens });
}

/**
 * Turns marks on and off. What opens and is never closed, or closes nothing, is text.
 *
 * @param {readonly Token[]} found
 * @returns {Run[]}
 */
function paired(found) {
  /** @type {Map<number, number>} By bit, where it was opened. */
  const open = new Map();
  /** @type {Set<number>} */
  const used = new Set();
  found.forEach(({ switches, opens }, index) => {
    if (switches === 0) return;
    const opened = open.get(switches);
    if (opened !== undefined) {
      used.add(opened);
      used.add(index);
      open.delete(switches);
    } else if (opens) {
      open.set(switches, index);
    }
  });
  let bits = 0;
  /** @type {Run[]} */
  const runs = [];
  found.forEach(({ text, marks, switches }, index) => {
    if (switches === 0) runs.push({ text, marks: marks | bits });
    else if (used.has(index)) bits ^= switches;
    else runs.push({ text, marks: bits });
  });
  return runs;
}
