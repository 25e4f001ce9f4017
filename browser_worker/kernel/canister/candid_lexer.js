// @ts-check
/** Splits an interface description in Candid into tokens. Knows letters, and no grammar. */

import { isWellFormed } from "../../contract/utf8.js";

export const CANDID_LIMITS = Object.freeze({
  maxSourceChars: 262_144,
  /** Types within types. */
  maxDepth: 32,
  maxTypes: 1_000,
  /** Fields, methods, arguments or results of one. */
  maxMembers: 1_000,
  maxNameChars: 200,
});

/** A description that cannot be read: the message begins with the line and the column. */
export class CandidError extends Error {
  /**
   * @param {string} message
   * @param {{ line: number, column: number }} place Both from 1.
   */
  constructor(message, { line, column }) {
    super(`${line}:${column}: ${message}`);
    this.name = "CandidError";
    /** @readonly */
    this.line = line;
    /** @readonly */
    this.column = column;
  }
}

/**
 * @typedef {object} Token
 * @property {"id" | "text" | "number" | "mark" | "end"} kind
 * @property {string} value Of a text, what it stands for; of a number, its digits.
 * @property {number} line
 * @property {number} column In UTF-16 units.
 */

const BLANK = /[\t\n\r ]+/y;
const ID = /[A-Za-z_][A-Za-z0-9_]*/y;
const NUMBER = /(?:0x[0-9A-Fa-f](?:_?[0-9A-Fa-f])*|[0-9](?:_?[0-9])*)(?![A-Za-z0-9_])/y;
const MARK = /->|[{}():;,=]/y;
/** @type {Readonly<Record<string, string>>} */
const ESCAPES = { n: "\n", r: "\r", t: "\t", "\\": "\\", '"': '"', "'": "'" };

/**
 * @param {string} source
 * @returns {Token[]} The last one is of the kind `end`.
 * @throws {CandidError}
 */
export function tokensOf(source) {
  return new Lexer(source).tokens();
}

class Lexer {
  /** @param {string} source */
  constructor(source) {
    this._source = source;
    this._at = 0;
    this._line = 1;
    this._lineStart = 0;
    this._counted = 0;
  }

  tokens() {
    const { maxSourceChars } = CANDID_LIMITS;
    if (this._source.length > maxSourceChars) {
      throw this._wrong(`the description has more than ${maxSourceChars} characters`);
    }
    /** @type {Token[]} */
    const tokens = [];
    for (;;) {
      this._skip();
      const place = this._place();
      const token = this._token();
      tokens.push({ ...token, ...place });
      if (token.kind === "end") return tokens;
    }
  }

  /** Passes over blanks and comments; those between `/*` marks nest. */
  _skip() {
    for (;;) {
      if (this._take(BLANK) !== null) continue;
      if (this._source.startsWith("//", this._at)) {
        const end = this._source.indexOf("\n", this._at);
        this._at = end < 0 ? this._source.length : end;
      } else if (this._source.startsWith("/*", this._at)) this._skipComment();
      else return;
    }
  }

  _skipComment() {
    const place = this._place();
    let depth = 0;
    do {
      if (this._source.startsWith("/*", this._at)) {
        depth += 1;
        this._at += 2;
      } else if (this._source.startsWith("*/", this._at)) {
        depth -= 1;
        this._at += 2;
      } else if (this._at >= this._source.length) {
        throw new CandidError("a comment does not end", place);
      } else this._at += 1;
    } while (depth > 0);
  }

  /** @returns {Pick<Token, "kind" | "value">} */
  _token() {
    if (this._at >= this._source.length) return { kind: "end", value: "" };
    const id = this._take(ID);
    if (id !== null) return { kind: "id", value: this._bounded(id) };
    const number = this._take(NUMBER);
    if (number !== null) return { kind: "number", value: number.replaceAll("_", "") };
    const mark = this._take(MARK);
    if (mark !== null) return { kind: "mark", value: mark };
    if (this._source[this._at] === '"') return { kind: "text", value: this._bounded(this._text()) };
    throw this._wrong("a character that stands for nothing here");
  }

  _text() {
    const place = this._place();
    this._at += 1;
    let text = "";
    /** @type {number[]} */
    const bytes = [];
    for (;;) {
      const character = this._source[this._at];
      if (character === undefined || character === "\n") {
        throw new CandidError("a text does not end on its line", place);
      }
      if (bytes.length > 0 && !/^\\[0-9A-Fa-f]{2}/.test(this._source.slice(this._at, this._at + 3)))
        text += this._decoded(bytes.splice(0), place);
      if (character === '"') break;
      if (character !== "\\") {
        text += character;
        this._at += 1;
      } else {
        const escape = this._escape();
        if (typeof escape === "number") bytes.push(escape);
        else text += escape;
      }
    }
    this._at += 1;
    if (!isWellFormed(text)) throw new CandidError("a text holds half a character", place);
    return text;
  }

  /** @returns {string | number} A number is a byte of UTF-8. */
  _escape() {
    const rest = this._source.slice(this._at, this._at + 16);
    const [all = "", simple, byte, point] =
      /^\\(?:([nrt\\"'])|([0-9A-Fa-f]{2})|u\{([0-9A-Fa-f]{1,6})\})/.exec(rest) ?? [];
    if (all === "") throw this._wrong("an escape that there is not");
    if (point !== undefined && Number.parseInt(point, 16) > 0x10ffff) {
      throw this._wrong("no character has this number");
    }
    this._at += all.length;
    if (simple !== undefined) return ESCAPES[simple] ?? "";
    if (byte !== undefined) return Number.parseInt(byte, 16);
    return String.fromCodePoint(Number.parseInt(point ?? "", 16));
  }

  /**
   * @param {number[]} bytes
   * @param {{ line: number, column: number }} place
   */
  _decoded(bytes, place) {
    try {
      return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(
        Uint8Array.from(bytes),
      );
    } catch {
      throw new CandidError("the bytes of a text are no UTF-8", place);
    }
  }

  /** @param {string} name */
  _bounded(name) {
    if (name.length <= CANDID_LIMITS.maxNameChars) return name;
    throw this._wrong(`a name has more than ${CANDID_LIMITS.maxNameChars} characters`);
  }

  /**
   * @param {RegExp} pattern A sticky one.
   * @returns {string | null}
   */
  _take(pattern) {
    pattern.lastIndex = this._at;
    const found = pattern.exec(this._source)?.[0] ?? null;
    if (found !== null) this._at += found.length;
    return found;
  }

  /** Each line is counted once, however often the place is asked for. */
  _place() {
    for (let at = this._source.indexOf("\n", this._counted); at >= 0 && at < this._at;) {
      this._line += 1;
      this._lineStart = at + 1;
      at = this._source.indexOf("\n", at + 1);
    }
    this._counted = this._at;
    return { line: this._line, column: this._at - this._lineStart + 1 };
  }

  /** @param {string} message */
  _wrong(message) {
    return new CandidError(message, this._place());
  }
}
