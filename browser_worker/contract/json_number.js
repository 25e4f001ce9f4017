// @ts-check
/**
 * Numbers that remember how they were written: the twin of `bridge/contract/json_numbers.py`.
 *
 * A JSON number is a native number where `String(number)` gives back the very same token, a
 * native BigInt where it is a plain integer past 2^53, and else a `JsonNumber` that carries its
 * token. `toPlain` makes native numbers of a whole tree, for handlers that compute with them.
 */

const PARTS = /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;
const MAX_EXPONENT_DIGITS = 6;
/** Integral values written with an exponent or a fraction are integers up to a float's range. */
const MAX_SPELLED_DIGITS = 308;

/** A number that a native number would write in another way, or could not hold. */
export class JsonNumber {
  /** @param {string} token A number by RFC 8259's grammar. */
  constructor(token) {
    /** @readonly */
    this.token = token;
    Object.freeze(this);
  }

  /**
   * The native number, or this object itself where none can hold it (`1e400`, `1e-400`):
   * never Infinity, never a silent zero.
   *
   * @returns {number | bigint | JsonNumber}
   */
  toPlain() {
    const parts = PARTS.exec(this.token);
    if (parts === null) return this;
    const whole = parts[1] ?? "";
    const fraction = parts[2] ?? "";
    const exponentText = parts[3] ?? "0";
    const digits = (whole + fraction).replace(/^0+/, "");
    const negative = this.token.startsWith("-");
    if (digits === "") return negative ? -0 : 0;
    if (exponentText.replace(/^[+-]?0*/, "").length > MAX_EXPONENT_DIGITS) return this;
    const scale = Number(exponentText) - fraction.length;
    const trailing = trailingZeros(digits);
    if (scale + trailing >= 0) {
      const spelled = parts[2] !== undefined || parts[3] !== undefined;
      if (spelled && digits.length + scale > MAX_SPELLED_DIGITS) return this;
      const text = scale >= 0 ? digits + "0".repeat(scale) : digits.slice(0, scale);
      const value = BigInt(negative ? `-${text}` : text);
      return fromBigInt(value);
    }
    const value = Number(this.token);
    return Number.isFinite(value) && value !== 0 ? value : this;
  }

  /** @returns {number | bigint | string} What arithmetic sees. */
  valueOf() {
    const plain = this.toPlain();
    return plain === this ? this.token : /** @type {number | bigint} */ (plain);
  }

  toString() {
    return this.token;
  }
}

/**
 * Counts in linear time: `/0+$/` would look again from every zero of a hostile token.
 *
 * @param {string} digits
 * @returns {number}
 */
export function trailingZeros(digits) {
  let end = digits.length;
  while (digits[end - 1] === "0") end--;
  return digits.length - end;
}

/**
 * @param {bigint} value
 * @returns {number | bigint}
 */
function fromBigInt(value) {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

/**
 * Makes the number of a token: native where that loses nothing.
 *
 * @param {string} token A number by RFC 8259's grammar.
 * @returns {number | bigint | JsonNumber}
 */
export function readNumber(token) {
  const value = Number(token);
  // What String writes with an exponent is left to the token, so that both languages agree. An
  // integer past 2^53 may be written alike and yet be another number.
  if (String(value) === token && (Number.isSafeInteger(value) || !Number.isInteger(value))) {
    return value;
  }
  if (/^-?\d+$/.test(token) && token !== "-0") return fromBigInt(BigInt(token));
  return new JsonNumber(token);
}

/**
 * How a number is written. Contract: numbers keep their token.
 *
 * @param {number | bigint | JsonNumber} value A finite number.
 * @returns {string}
 */
export function numberToken(value) {
  return value instanceof JsonNumber ? value.token : String(value);
}

/**
 * Copies a parsed tree with native numbers: `number` where it is exact or no integer, BigInt for
 * integers past 2^53, and a `JsonNumber` only for what neither can hold.
 *
 * @param {unknown} value
 * @returns {any}
 */
export function toPlain(value) {
  if (value === null || typeof value !== "object") return value;
  if (value instanceof JsonNumber) return value.toPlain();
  if (Array.isArray(value)) return value.map(toPlain);
  /** @type {Record<string, unknown>} */
  const copy = {};
  for (const key of Object.keys(value)) {
    setOwn(copy, key, toPlain(/** @type {Record<string, unknown>} */ (value)[key]));
  }
  return copy;
}

/**
 * Sets a member so that it is always an own one: assigning to `__proto__` would not.
 *
 * @param {Record<string, unknown>} object
 * @param {string} key
 * @param {unknown} value
 */
export function setOwn(object, key, value) {
  if (key === "__proto__") {
    Object.defineProperty(object, key, {
      value,
      enumerable: true,
      configurable: true,
      writable: true,
    });
  } else {
    object[key] = value;
  }
}

/**
 * Whether a parsed value is an object: a number may be one for JavaScript only.
 *
 * @param {unknown} value
 * @returns {value is Record<string, unknown>}
 */
export function isObject(value) {
  return (
    value !== null &&
    typeof value === "object" &&
    !Array.isArray(value) &&
    !(value instanceof JsonNumber)
  );
}
