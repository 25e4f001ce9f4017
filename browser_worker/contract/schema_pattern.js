// @ts-check
/**
 * Patterns of JSON Schema without catastrophe: a regular expression is compiled to a small
 * automaton and run in time linear in the text, as the engine on the Python side does. What such
 * an engine cannot do (look-around, back-references) is refused when the schema is read, and so is
 * what engines of different ages take differently: modifiers, a group's name given twice or not in
 * ASCII, properties outside of a common list.
 */

import { PROPERTIES } from "./schema_pattern_properties.js";

const MAX_PATTERN_CHARS = 1_024;
const MAX_PROGRAM = 4_096;
/** Groups around a character. Keeps the reading of a pattern within a small stack. */
const MAX_GROUPS = 32;

/** A pattern that is malformed, too large, or needs backtracking. */
export class PatternError extends Error {}

/**
 * @typedef {{ op: "char", test: (character: string) => boolean }
 *   | { op: "split", to: number[] } | { op: "jump", to: number }
 *   | { op: "assert", test: (before: string, after: string) => boolean } | { op: "match" }} Instruction
 */

/**
 * @typedef {(text: string, spend?: (steps: number) => void) => boolean} Pattern Says whether it occurs in
 *   a text. `spend` is told of the work as it is done and may stop it by throwing.
 */

/** Threads that are looked at for what counts as one step. */
const THREADS_PER_STEP = 8;

/**
 * Compiles a pattern.
 *
 * @param {string} source ECMA-262 syntax, read with the `u` flag; it may match anywhere in a text.
 * @returns {Pattern}
 * @throws {PatternError}
 */
export function compilePattern(source) {
  if (source.length > MAX_PATTERN_CHARS) throw new PatternError("the pattern is too long");
  try {
    new RegExp(source, "u");
  } catch {
    throw new PatternError("the pattern is malformed");
  }
  const program = new Compiler(source).program();
  return (text, spend = () => {}) => occurs(program, Array.from(text), spend);
}

/**
 * Runs all threads of the automaton side by side: each character is looked at once.
 *
 * @param {readonly Instruction[]} program
 * @param {readonly string[]} characters
 * @param {(steps: number) => void} spend
 */
function occurs(program, characters, spend) {
  /** @type {number[]} */
  let current = [];
  let marked = new Uint8Array(program.length);
  for (let at = 0; at <= characters.length; at++) {
    const before = characters[at - 1] ?? "";
    const after = characters[at] ?? "";
    if (follow(program, 0, before, after, current, marked)) return true;
    spend((1 + current.length) / THREADS_PER_STEP);
    /** @type {number[]} */
    const next = [];
    const nextMarked = new Uint8Array(program.length);
    for (const pc of current) {
      const instruction = program[pc];
      if (instruction?.op !== "char" || after === "" || !instruction.test(after)) continue;
      if (follow(program, pc + 1, after, characters[at + 1] ?? "", next, nextMarked)) return true;
    }
    current = next;
    marked = nextMarked;
  }
  return false;
}

/**
 * Adds a thread, through everything that takes no character.
 *
 * @param {readonly Instruction[]} program
 * @param {number} start
 * @param {string} before
 * @param {string} after
 * @param {number[]} threads
 * @param {Uint8Array} marked
 * @returns {boolean} Whether the end was reached.
 */
function follow(program, start, before, after, threads, marked) {
  const stack = [start];
  while (stack.length > 0) {
    const pc = /** @type {number} */ (stack.pop());
    if (marked[pc] === 1) continue;
    marked[pc] = 1;
    const instruction = /** @type {Instruction} */ (program[pc]);
    switch (instruction.op) {
      case "match":
        return true;
      case "jump":
        stack.push(instruction.to);
        break;
      case "split":
        stack.push(...instruction.to);
        break;
      case "assert":
        if (instruction.test(before, after)) stack.push(pc + 1);
        break;
      default:
        threads.push(pc);
    }
  }
  return false;
}

/** @param {string} character */
const isWord = (character) => /^\w$/.test(character);

/** Reads a pattern that is known to be well-formed and writes its program. */
class Compiler {
  /** @param {string} source */
  constructor(source) {
    this.source = source;
    this.at = 0;
    /** @type {Set<string>} */
    this.names = new Set();
    this.depth = 0;
    /** @type {Instruction[]} */
    this.out = [];
  }

  program() {
    this.alternatives();
    this.emit({ op: "match" });
    return this.out;
  }

  /** @param {Instruction} instruction */
  emit(instruction) {
    if (this.out.length >= MAX_PROGRAM) throw new PatternError("the pattern is too large");
    return this.out.push(instruction) - 1;
  }

  alternatives() {
    const start = this.out.length;
    /** @type {number[]} */
    const jumps = [];
    this.sequence();
    let branch = start;
    while (this.source[this.at] === "|") {
      this.at++;
      this.insert(branch, { op: "split", to: [branch + 1, this.out.length + 2] });
      jumps.push(this.emit({ op: "jump", to: 0 }));
      branch = this.out.length;
      this.sequence();
    }
    for (const jump of jumps) this.out[jump] = { op: "jump", to: this.out.length };
  }

  sequence() {
    while (this.at < this.source.length) {
      const character = this.source[this.at];
      if (character === "|" || character === ")") return;
      const start = this.out.length;
      this.atom();
      this.quantifier(start);
    }
  }

  atom() {
    const rest = this.source.slice(this.at);
    const character = String.fromCodePoint(/** @type {number} */ (rest.codePointAt(0)));
    if (character === "(") return this.group(rest);
    if (character === "[") return this.characterClass(rest);
    if (character === "\\") return this.escape(rest);
    this.at += character.length;
    if (character === "^") this.emit({ op: "assert", test: (before) => before === "" });
    else if (character === "$") this.emit({ op: "assert", test: (_, after) => after === "" });
    else if (character === ".")
      this.emit({ op: "char", test: (c) => !/^[\n\r\u2028\u2029]$/.test(c) });
    else this.emit({ op: "char", test: (c) => c === character });
  }

  /** @param {string} rest */
  group(rest) {
    const open = /^\((?:\?:|\?<([A-Za-z_$][A-Za-z0-9_$]*)>|(?!\?))/.exec(rest);
    if (open === null) {
      throw new PatternError("the pattern uses look-around, modifiers or an unusual name");
    }
    const name = open[1];
    if (name !== undefined) {
      if (this.names.has(name)) {
        throw new PatternError("the pattern uses the name of a group twice");
      }
      this.names.add(name);
    }
    this.at += open[0].length;
    if (++this.depth > MAX_GROUPS) throw new PatternError("the pattern is nested too deeply");
    this.alternatives();
    this.depth--;
    this.at++;
  }

  /** @param {string} rest */
  characterClass(rest) {
    const match = /^\[(?:\\[\s\S]|[^\]\\])*\]/.exec(rest);
    if (match === null) throw new PatternError("the pattern is malformed");
    this.single(match[0]);
  }

  /** @param {string} rest */
  escape(rest) {
    if (/^\\[bB]/.test(rest)) {
      const wanted = rest[1] === "b";
      this.at += 2;
      this.emit({
        op: "assert",
        test: (before, after) => (isWord(before) !== isWord(after)) === wanted,
      });
      return;
    }
    if (/^\\(?:[1-9]|k)/.test(rest)) throw new PatternError("the pattern uses a back-reference");
    const match =
      /^\\(?:u\{[0-9a-fA-F]+\}|u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|c[A-Za-z]|[pP]\{[^}]*\}|[\s\S])/.exec(
        rest,
      );
    if (match === null) throw new PatternError("the pattern is malformed");
    this.single(match[0]);
  }

  /** @param {string} source What stands for exactly one character. */
  single(source) {
    // An escaped backslash is no beginning of a property.
    for (const property of source.matchAll(/\\(?:[pP]\{([^}]*)\}|[^])/g)) {
      if (property[1] !== undefined && !PROPERTIES.has(property[1])) {
        throw new PatternError("the pattern uses a property that is not known everywhere");
      }
    }
    const one = new RegExp(`^${source}$`, "u");
    this.at += source.length;
    this.emit({ op: "char", test: (character) => one.test(character) });
  }

  /** @param {number} start Where the atom's program begins. */
  quantifier(start) {
    const match = /^(?:([*+?])|\{(\d+)(?:(,)(\d*))?\})\??/.exec(this.source.slice(this.at));
    if (match === null) return;
    this.at += match[0].length;
    const least = match[1] ? (match[1] === "+" ? 1 : 0) : Number(match[2]);
    const most = match[1]
      ? match[1] === "?"
        ? 1
        : Infinity
      : match[3] === undefined
        ? least
        : match[4]
          ? Number(match[4])
          : Infinity;
    const body = this.out.splice(start);
    // What takes no character and asserts nothing may be repeated in vain, a billion times.
    if (body.length === 0) return;
    if ((Number.isFinite(most) ? most : least + 1) * body.length > MAX_PROGRAM) {
      throw new PatternError("the pattern is too large");
    }
    for (let count = 0; count < least; count++) this.copy(body, start);
    if (most === Infinity) {
      const split = this.emit({ op: "split", to: [] });
      this.copy(body, start);
      this.emit({ op: "jump", to: split });
      this.out[split] = { op: "split", to: [split + 1, this.out.length] };
      return;
    }
    /** @type {number[]} */
    const splits = [];
    for (let count = least; count < most; count++) {
      splits.push(this.emit({ op: "split", to: [] }));
      this.copy(body, start);
    }
    for (const split of splits) {
      this.out[split] = { op: "split", to: [split + 1, this.out.length] };
    }
  }

  /**
   * @param {readonly Instruction[]} body
   * @param {number} from Where the body's own addresses start.
   */
  copy(body, from) {
    const shift = this.out.length - from;
    for (const instruction of body) this.emit(shifted(instruction, shift, 0));
  }

  /**
   * @param {number} index
   * @param {Instruction} instruction
   */
  insert(index, instruction) {
    const moved = this.out.splice(index).map((each) => shifted(each, 1, index));
    this.emit(instruction);
    for (const each of moved) this.emit(each);
  }
}

/**
 * @param {Instruction} instruction
 * @param {number} by
 * @param {number} from Addresses below stay as they are.
 * @returns {Instruction}
 */
function shifted(instruction, by, from) {
  /** @param {number} address */
  const move = (address) => (address >= from ? address + by : address);
  if (instruction.op === "jump") return { op: "jump", to: move(instruction.to) };
  if (instruction.op === "split") return { op: "split", to: instruction.to.map(move) };
  return instruction;
}
