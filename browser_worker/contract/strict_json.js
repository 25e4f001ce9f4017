// @ts-check
/**
 * Strict JSON: one reader and one writer with one set of bounds (Contract: strict JSON). The
 * twin of `bridge/contract/strict_json.py`: both give one verdict on every document.
 *
 * Refuses a BOM, duplicate keys, lone surrogates, NaN, Infinity and every number outside
 * RFC 8259's grammar; keeps the tokens of numbers; bounds everything. Any input gives a value or
 * a `StrictJsonError`. Verdicts differ from the public suite's on duplicate keys only (refused); of what
 * that leaves open, numbers of any size are read, as their tokens are kept, and all else is refused.
 */

import { JSON_LIMITS } from "./limits.js";
import { JsonNumber, numberToken, readNumber, setOwn, toPlain } from "./json_number.js";
import { decodeUtf8, exceedsUtf8, isWellFormed } from "./utf8.js";

/** @import { JsonLimits } from "./limits.js" */

export { JsonNumber, numberToken, toPlain };

/** A document that is not strict JSON, or a value that cannot be written as such. */
export class StrictJsonError extends Error {
  /**
   * @param {string} message
   * @param {{ limit: string, maximum: number }} [over] The limit that was passed.
   */
  constructor(message, over) {
    super(message);
    this.name = "StrictJsonError";
    /** @type {"syntax" | "limit"} */
    this.kind = over ? "limit" : "syntax";
    this.limit = over?.limit;
    this.maximum = over?.maximum;
  }
}

/**
 * @param {string} limit
 * @param {number} maximum
 */
function over(limit, maximum) {
  return new StrictJsonError(`over the limit ${limit} of ${maximum}`, { limit, maximum });
}

/**
 * Reads one document.
 *
 * @param {string | Uint8Array} source Text, or its UTF-8 bytes.
 * @param {Readonly<JsonLimits>} [limits]
 * @returns {any} Plain objects and arrays, strings, booleans, null, and numbers by their tokens.
 * @throws {StrictJsonError} For whatever is not strict JSON within the limits.
 */
export function parse(source, limits = JSON_LIMITS) {
  const most = limits.maxEncodedBytes;
  if (source.length > most) throw over("encodedBytes", most);
  if (typeof source !== "string") {
    const text = decodeUtf8(source);
    if (text === undefined) throw new StrictJsonError("not strict JSON: not valid UTF-8");
    return new Reader(text, limits).document();
  }
  if (exceedsUtf8(source, most)) throw over("encodedBytes", most);
  return new Reader(source, limits).document();
}

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
/** What a string may hold unescaped up to its end, a backslash or something forbidden. */
// eslint-disable-next-line no-control-regex -- control characters are what the grammar forbids
const PLAIN_TEXT = /[^"\\\u0000-\u001f]*/y;
const ESCAPES = new Map([
  ['"', '"'],
  ["\\", "\\"],
  ["/", "/"],
  ["b", "\b"],
  ["f", "\f"],
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
]);
const HEX = /^[0-9a-fA-F]{4}$/;

/** Most strings are short: the call of a regular expression would take longer than they do. */
const FEW_UNITS = 12;

/**
 * @param {string} text
 * @param {number} start
 * @returns {number} Where a string has a quote, a backslash, something forbidden or no end.
 */
function plainEnd(text, start) {
  let end = start;
  for (const few = start + FEW_UNITS; end < few; end++) {
    const unit = text.charCodeAt(end);
    // Not a number, past the end, is not greater either.
    if (unit === 0x22 || unit === 0x5c || !(unit >= 0x20)) return end;
  }
  PLAIN_TEXT.lastIndex = end;
  PLAIN_TEXT.test(text);
  return PLAIN_TEXT.lastIndex;
}

function loneSurrogate() {
  return new StrictJsonError("not strict JSON: a lone surrogate");
}

/** One pass over one text. */
class Reader {
  /**
   * @param {string} text
   * @param {Readonly<JsonLimits>} limits
   */
  constructor(text, limits) {
    this.text = text;
    this.limits = limits;
    this.at = 0;
    this.values = 0;
    /** Whether a lone surrogate can only have been written as an escape. */
    this.sound = isWellFormed(text);
  }

  document() {
    this.skipSpace();
    const value = this.value(0);
    this.skipSpace();
    if (this.at < this.text.length) throw this.wrong();
    return value;
  }

  /**
   * @param {number} depth Containers around the value.
   * @returns {unknown}
   */
  value(depth) {
    if (++this.values > this.limits.maxValues) throw over("values", this.limits.maxValues);
    switch (this.text.charCodeAt(this.at)) {
      case 0x22:
        return this.string();
      case 0x7b:
        return this.object(depth);
      case 0x5b:
        return this.array(depth);
      case 0x74:
        return this.word("true", true);
      case 0x66:
        return this.word("false", false);
      case 0x6e:
        return this.word("null", null);
      default:
        return this.number();
    }
  }

  /** @param {number} depth */
  object(depth) {
    this.enter(depth);
    /** @type {Record<string, unknown>} */
    const result = {};
    let members = 0;
    if (this.closes(0x7d)) return result;
    for (;;) {
      if (this.text.charCodeAt(this.at) !== 0x22) throw this.wrong();
      const key = this.string();
      if (Object.hasOwn(result, key)) throw new StrictJsonError("not strict JSON: a duplicate key");
      if (++members > this.limits.maxMembers) throw over("members", this.limits.maxMembers);
      this.skipSpace();
      if (this.text.charCodeAt(this.at) !== 0x3a) throw this.wrong();
      this.at++;
      this.skipSpace();
      setOwn(result, key, this.value(depth + 1));
      if (this.ends(0x7d)) return result;
    }
  }

  /** @param {number} depth */
  array(depth) {
    this.enter(depth);
    /** @type {unknown[]} */
    const result = [];
    if (this.closes(0x5d)) return result;
    for (;;) {
      if (result.length >= this.limits.maxMembers) throw over("members", this.limits.maxMembers);
      result.push(this.value(depth + 1));
      if (this.ends(0x5d)) return result;
    }
  }

  /** @param {number} depth */
  enter(depth) {
    if (depth >= this.limits.maxDepth) throw over("depth", this.limits.maxDepth);
    this.at++;
    this.skipSpace();
  }

  /** @param {number} bracket */
  closes(bracket) {
    if (this.text.charCodeAt(this.at) !== bracket) return false;
    this.at++;
    return true;
  }

  /**
   * After a member: takes a comma, or the closing bracket.
   *
   * @param {number} bracket
   */
  ends(bracket) {
    this.skipSpace();
    if (this.closes(bracket)) return true;
    if (this.text.charCodeAt(this.at) !== 0x2c) throw this.wrong();
    this.at++;
    this.skipSpace();
    return false;
  }

  string() {
    const { text } = this;
    const start = ++this.at;
    const end = plainEnd(text, start);
    const plain = text.slice(start, end);
    this.at = end + 1;
    const result = text.charCodeAt(end) === 0x22 ? plain : this.escaped(plain);
    const most = this.limits.maxStringBytes;
    if (exceedsUtf8(result, most)) throw over("stringBytes", most);
    if (!this.sound && !isWellFormed(result)) throw loneSurrogate();
    return result;
  }

  /** @param {string} plain What stood before the first backslash. */
  escaped(plain) {
    const { text } = this;
    let result = plain;
    while (text.charCodeAt(this.at - 1) === 0x5c) {
      result += this.escape();
      const end = plainEnd(text, this.at);
      result += text.slice(this.at, end);
      this.at = end + 1;
    }
    if (text.charCodeAt(this.at - 1) !== 0x22) throw this.wrong();
    if (!isWellFormed(result)) throw loneSurrogate();
    return result;
  }

  escape() {
    const name = this.text[this.at++];
    if (name === "u") {
      const digits = this.text.slice(this.at, this.at + 4);
      if (!HEX.test(digits)) throw this.wrong();
      this.at += 4;
      return String.fromCharCode(Number.parseInt(digits, 16));
    }
    const character = ESCAPES.get(name ?? "");
    if (character === undefined) throw this.wrong();
    return character;
  }

  number() {
    NUMBER.lastIndex = this.at;
    const match = NUMBER.exec(this.text);
    if (match === null) throw this.wrong();
    const token = match[0];
    if (token.length > this.limits.maxNumberChars) {
      throw over("numberChars", this.limits.maxNumberChars);
    }
    this.at += token.length;
    return readNumber(token);
  }

  /**
   * @template T
   * @param {string} word
   * @param {T} value
   * @returns {T}
   */
  word(word, value) {
    if (!this.text.startsWith(word, this.at)) throw this.wrong();
    this.at += word.length;
    return value;
  }

  skipSpace() {
    const { text } = this;
    for (;;) {
      const unit = text.charCodeAt(this.at);
      if (unit !== 0x20 && unit !== 0x0a && unit !== 0x0d && unit !== 0x09) return;
      this.at++;
    }
  }

  wrong() {
    return new StrictJsonError(
      `not strict JSON at character ${Math.min(this.at, this.text.length)}`,
    );
  }
}

/**
 * Writes one value on one line, within the same bounds.
 *
 * @param {unknown} value What `parse` gives, or plain data of a handler's.
 * @param {Readonly<JsonLimits>} [limits]
 * @returns {string}
 * @throws {StrictJsonError} For anything else: NaN, Infinity, lone surrogates, `undefined`,
 *   functions, symbols, holes in arrays, class instances.
 */
export function stringify(value, limits = JSON_LIMITS) {
  const text = new Writer(limits).value(value, 0);
  const most = limits.maxEncodedBytes;
  if (exceedsUtf8(text, most)) throw over("encodedBytes", most);
  return text;
}

/** One walk over one value. */
class Writer {
  /** @param {Readonly<JsonLimits>} limits */
  constructor(limits) {
    this.limits = limits;
    this.values = 0;
  }

  /**
   * @param {unknown} value
   * @param {number} depth Containers around the value.
   * @returns {string}
   */
  value(value, depth) {
    if (++this.values > this.limits.maxValues) throw over("values", this.limits.maxValues);
    if (value === null) return "null";
    switch (typeof value) {
      case "string":
        return this.string(value);
      case "boolean":
        return value ? "true" : "false";
      case "number":
        if (!Number.isFinite(value)) throw unwritable("a number that is not finite");
        return this.token(String(value));
      case "bigint":
        return this.token(String(value));
      case "object":
        return this.object(value, depth);
      default:
        throw unwritable(`a value of type ${typeof value}`);
    }
  }

  /**
   * @param {object} value
   * @param {number} depth
   */
  object(value, depth) {
    if (value instanceof JsonNumber) return this.token(value.token);
    if (depth >= this.limits.maxDepth) throw over("depth", this.limits.maxDepth);
    if (Array.isArray(value)) {
      if (value.length > this.limits.maxMembers) throw over("members", this.limits.maxMembers);
      const parts = [];
      for (let index = 0; index < value.length; index++) {
        parts.push(this.value(value[index], depth + 1));
      }
      return `[${parts.join(",")}]`;
    }
    const prototype = Object.getPrototypeOf(value);
    if (prototype !== null && Object.getPrototypeOf(prototype) !== null) {
      throw unwritable("an instance of a class");
    }
    const keys = Object.keys(value);
    if (keys.length > this.limits.maxMembers) throw over("members", this.limits.maxMembers);
    const parts = [];
    for (const key of keys) {
      const member = /** @type {Record<string, unknown>} */ (value)[key];
      parts.push(`${this.string(key)}:${this.value(member, depth + 1)}`);
    }
    return `{${parts.join(",")}}`;
  }

  /** @param {string} text */
  string(text) {
    const most = this.limits.maxStringBytes;
    if (exceedsUtf8(text, most)) throw over("stringBytes", most);
    if (!isWellFormed(text)) throw unwritable("a lone surrogate");
    return JSON.stringify(text).replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029");
  }

  /** @param {string} token */
  token(token) {
    if (token.length > this.limits.maxNumberChars) {
      throw over("numberChars", this.limits.maxNumberChars);
    }
    return token;
  }
}

/** @param {string} what */
function unwritable(what) {
  return new StrictJsonError(`cannot be written: ${what}`);
}
