// @ts-check
/**
 * What may travel on the bus: plain JSON data, bounded. Says by name and path what is not.
 * Contract: bus, the envelope.
 */

import { BusError } from "./bus_error.js";
import { setOwn } from "./json_number.js";
import { BUS_LIMITS } from "./limits.js";
import { utf8Length } from "./utf8.js";

/**
 * @typedef {object} JsonBounds
 * @property {number} [maxBytes] Of the value as JSON in UTF-8.
 * @property {number} [maxDepth] Nested containers.
 * @property {string} [what] What the value is called in an error.
 * @property {string} [not] What an error says that was not done with it.
 */

/** Six characters for one, as `\u001f`, is the most that JSON makes of one in UTF-8. */
const MOST_BYTES_OF_A_CHAR = 6;
const MOST_BYTES_OF_A_NUMBER = 25;
/** Each of these is one byte. A text of them is measured by a look, which short ones are not worth. */
const PLAIN = /^[ !#-[\]-~]*$/;
const SHORT_CHARS = 16;
const MAX_PATH_CHARS = 200;

/**
 * Checks a value that is sent as it is.
 *
 * @param {unknown} value
 * @param {JsonBounds} [bounds]
 * @returns {number} Bytes: exact where that mattered, else no less than it has.
 * @throws {BusError} `NOT_JSON`, `TOO_LARGE`
 */
export function checkJson(value, bounds = {}) {
  const walk = new Walk(bounds, false);
  walk.take(value, undefined);
  return walk.bytes(value);
}

/**
 * Copies a value, so that whatever it was made of, a reactive object say, can be cloned to another
 * window.
 *
 * @template T
 * @param {T} value
 * @param {JsonBounds} [bounds]
 * @returns {T}
 * @throws {BusError} `NOT_JSON`, `TOO_LARGE`
 */
export function copyJson(value, bounds = {}) {
  return readJson(value, bounds).copy;
}

/**
 * Copies what came from elsewhere: only what was looked at is in the copy. A list can have named members
 * beside its items, which come through a port with it, and are no JSON.
 *
 * @template T
 * @param {T} value
 * @param {JsonBounds} [bounds]
 * @param {string} [apart] A member of `value` itself that is left out.
 * @returns {{ copy: T, bytes: number }} Bytes as `checkJson` counts them.
 * @throws {BusError} `NOT_JSON`, `TOO_LARGE`
 */
export function readJson(value, bounds = {}, apart = undefined) {
  const walk = new Walk(bounds, true);
  const copy = /** @type {T} */ (walk.take(value, apart));
  return { copy, bytes: walk.bytes(copy) };
}

/** One look at one value. */
class Walk {
  /**
   * @param {JsonBounds} bounds
   * @param {boolean} copies
   */
  constructor(
    {
      maxBytes = BUS_LIMITS.maxMessageBytes,
      maxDepth = BUS_LIMITS.maxDepth,
      what = "value",
      not = "sent",
    },
    copies,
  ) {
    this._maxBytes = maxBytes;
    this._maxDepth = maxDepth;
    this._what = what;
    this._not = not;
    this._copies = copies;
    /** Bytes that it has at least: beyond the bound nothing more is looked at. */
    this._least = 0;
    /** Bytes that it has at most: within the bound nothing needs to be counted. */
    this._most = 0;
    /** Names and places on the way down; joined only for an error. @type {(string | number)[]} */
    this._path = [];
    /** @type {object[]} */
    this._above = [];
  }

  /**
   * @param {unknown} value
   * @param {string | undefined} apart
   * @returns {unknown}
   */
  take(value, apart) {
    switch (typeof value) {
      case "string":
        this._text(value, 2);
        return value;
      case "boolean":
        this._grow(4, 6);
        return value;
      case "number":
        if (!Number.isFinite(value)) throw this._refused(`${value} is no JSON number`);
        this._grow(1, MOST_BYTES_OF_A_NUMBER);
        return value;
      case "object":
        if (value === null) {
          this._grow(4, 5);
          return value;
        }
        return this._container(value, apart);
      case "undefined":
        throw this._refused("undefined is no JSON value; leave the member out, or use null");
      case "function":
        throw this._refused("a function cannot be sent");
      case "symbol":
        throw this._refused("a symbol cannot be sent");
      case "bigint":
        throw this._refused("a BigInt is no JSON value; send it as a string");
      default:
        throw this._refused("it cannot be sent");
    }
  }

  /**
   * @param {object} value
   * @param {string | undefined} apart
   */
  _container(value, apart) {
    if (this._above.length >= this._maxDepth) throw this._tooDeep();
    this._above.push(value);
    const copy = Array.isArray(value) ? this._array(value) : this._object(value, apart);
    this._above.pop();
    return copy;
  }

  /** @param {unknown[]} value */
  _array(value) {
    // A subclass's prototype is an ordinary object; every realm's own is an array itself.
    if (!Array.isArray(Object.getPrototypeOf(value))) throw this._instance(value);
    // A list of two hundred million holes must not be walked to be refused.
    this._grow(1 + value.length, 2 + value.length);
    /** @type {unknown[] | undefined} */
    const copy = this._copies ? [] : undefined;
    const at = this._path.push(0) - 1;
    for (let index = 0; index < value.length; index++) {
      this._path[at] = index;
      const item = this.take(value[index], undefined);
      copy?.push(item);
    }
    this._path.pop();
    return copy ?? value;
  }

  /**
   * @param {object} value
   * @param {string | undefined} apart
   */
  _object(value, apart) {
    if (!isPlain(value)) throw this._instance(value);
    const members = /** @type {Record<string, unknown>} */ (value);
    /** @type {Record<string, unknown> | undefined} */
    const copy = this._copies ? {} : undefined;
    const at = this._path.push("") - 1;
    this._grow(2, 2);
    for (const name of Object.keys(members)) {
      if (name === apart) continue;
      this._path[at] = name;
      this._text(name, 4);
      const member = this.take(members[name], undefined);
      if (copy !== undefined) setOwn(copy, name, member);
    }
    this._path.pop();
    return copy ?? value;
  }

  /**
   * @param {string} text
   * @param {number} around Bytes around it.
   */
  _text(text, around) {
    const chars = text.length;
    const plain = chars > SHORT_CHARS && chars <= this._maxBytes && PLAIN.test(text);
    this._grow(chars + 2, around + (plain ? chars : chars * MOST_BYTES_OF_A_CHAR));
  }

  /**
   * @param {number} least
   * @param {number} most
   */
  _grow(least, most) {
    this._least += least;
    this._most += most;
    if (this._least > this._maxBytes) throw this._tooLarge();
  }

  /**
   * Counts exactly only what may be too large.
   *
   * @param {unknown} value
   */
  bytes(value) {
    if (this._most <= this._maxBytes) return this._most;
    const exact = utf8Length(JSON.stringify(value));
    if (exact > this._maxBytes) throw this._tooLarge();
    return exact;
  }

  /** @param {object} value */
  _instance(value) {
    const prototype = Object.getPrototypeOf(value);
    const maker = prototype === null ? undefined : prototype.constructor;
    const name = typeof maker === "function" && maker.name !== "" ? maker.name : "a class";
    return this._refused(
      `an instance of ${String(name).slice(0, 60)} cannot be sent; send plain data`,
    );
  }

  /** @param {string} why */
  _refused(why) {
    // Names are as long as who sends them likes, and the error has to be sent, too: of a long path it
    // tells the beginning.
    const whole = this._path.map((part) => `/${escaped(part)}`).join("");
    const path =
      whole.length <= MAX_PATH_CHARS
        ? whole
        : whole.slice(0, Math.max(0, whole.lastIndexOf("/", MAX_PATH_CHARS)));
    const where = path === "" ? this._what : `${this._what} at ${path}`;
    return new BusError("NOT_JSON", `The ${where} was not ${this._not}: ${why}.`, {
      data: { path },
    });
  }

  /** What holds itself has no end, and is found by its depth alone: to look at each step costs more. */
  _tooDeep() {
    const again = this._above.findIndex((each, at) => this._above.indexOf(each) < at);
    if (again < 0) return this._refused(`it is nested deeper than ${this._maxDepth}`);
    this._path.splice(again);
    return this._refused("it holds itself");
  }

  _tooLarge() {
    return new BusError(
      "TOO_LARGE",
      `The ${this._what} was not ${this._not}: as JSON it has more than ${this._maxBytes} bytes.`,
      { data: { limit: "bytes", maximum: this._maxBytes } },
    );
  }
}

/**
 * Whether it is an object as a literal makes one, in whatever window.
 *
 * @param {object} value
 */
function isPlain(value) {
  const prototype = Object.getPrototypeOf(value);
  if (prototype === null || prototype === Object.prototype) return true;
  return Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype, "isPrototypeOf");
}

/** @param {string | number} part */
function escaped(part) {
  return String(part).replaceAll("~", "~0").replaceAll("/", "~1");
}
