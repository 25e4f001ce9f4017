// @ts-check
/**
 * Exact decimal arithmetic for JSON Schema: numbers, BigInts and tokens compare and divide by
 * their decimal value, never by their nearest float.
 */

import { JsonNumber, trailingZeros } from "./json_number.js";

/** @typedef {number | bigint | JsonNumber} AnyNumber */
/** @typedef {{ digits: bigint, scale: bigint }} Decimal The value digits × 10^scale. */

const PARTS = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/**
 * @param {unknown} value
 * @returns {value is AnyNumber} False for NaN and Infinity, which JSON does not have.
 */
export function isNumber(value) {
  return (
    (typeof value === "number" && Number.isFinite(value)) ||
    typeof value === "bigint" ||
    value instanceof JsonNumber
  );
}

/**
 * @param {AnyNumber} value
 * @returns {Decimal} Without trailing zeros, so that equal numbers have equal decimals.
 */
function decimal(value) {
  const parts = PARTS.exec(value instanceof JsonNumber ? value.token : String(value));
  if (parts === null) throw new TypeError("not a number of JSON");
  const fraction = parts[3] ?? "";
  const all = `${parts[2]}${fraction}`;
  const zeros = trailingZeros(all);
  if (zeros === all.length) return { digits: 0n, scale: 0n };
  const digits = all.slice(0, all.length - zeros);
  const scale = BigInt(parts[4] ?? "0") + BigInt(zeros - fraction.length);
  return { digits: BigInt(`${parts[1]}${digits}`), scale };
}

/** @param {AnyNumber} value */
export function isInteger(value) {
  if (typeof value === "number") return Number.isInteger(value);
  return typeof value === "bigint" || decimal(value).scale >= 0n;
}

/**
 * @param {AnyNumber} left
 * @param {AnyNumber} right
 * @returns {-1 | 0 | 1}
 */
export function compare(left, right) {
  if (typeof left === "number" && typeof right === "number") return order(left, right);
  const a = decimal(left);
  const b = decimal(right);
  if (a.digits === 0n || b.digits === 0n || a.digits < 0n !== b.digits < 0n) {
    return order(a.digits, b.digits);
  }
  // Of equal magnitude the scales differ by no more than the digits do: safe to write out.
  const magnitude = order(magnitudeOf(a), magnitudeOf(b));
  if (magnitude !== 0) return a.digits < 0n ? (magnitude > 0 ? -1 : 1) : magnitude;
  const shared = a.scale < b.scale ? a.scale : b.scale;
  return order(raised(a, shared), raised(b, shared));
}

/**
 * @template {number | bigint} T
 * @param {T} a
 * @param {T} b
 * @returns {-1 | 0 | 1}
 */
function order(a, b) {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** @param {Decimal} value */
function magnitudeOf({ digits, scale }) {
  return BigInt(digits.toString().length - (digits < 0n ? 1 : 0)) + scale;
}

/**
 * @param {Decimal} value
 * @param {bigint} scale Not above the value's own.
 */
function raised(value, scale) {
  return value.digits * 10n ** (value.scale - scale);
}

/**
 * @param {AnyNumber} value
 * @param {AnyNumber} divisor Greater than 0.
 * @returns {boolean}
 */
export function isMultipleOf(value, divisor) {
  if (Number.isSafeInteger(value) && Number.isSafeInteger(divisor)) {
    return Number(value) % Number(divisor) === 0;
  }
  const a = decimal(value);
  const b = decimal(divisor);
  if (a.digits === 0n) return true;
  const shift = a.scale - b.scale;
  if (shift >= 0n) return (a.digits * powerOfTen(shift, b.digits)) % b.digits === 0n;
  // The value's last digit is not zero: no power of ten divides it.
  return false;
}

/**
 * 10^exponent modulo `modulus`, whatever the exponent: it is never written out.
 *
 * @param {bigint} exponent
 * @param {bigint} modulus
 */
function powerOfTen(exponent, modulus) {
  let result = 1n % modulus;
  let square = 10n % modulus;
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = (result * square) % modulus;
    square = (square * square) % modulus;
  }
  return result;
}

/**
 * JSON Schema's equality: numbers by value, objects whatever the order of their members.
 *
 * @param {unknown} left
 * @param {unknown} right
 * @param {{ look: (length: number) => void }} run Counts the work.
 * @returns {boolean}
 */
export function equal(left, right, run) {
  if (left === right) return true;
  if (isNumber(left)) return isNumber(right) && compare(left, right) === 0;
  if (left === null || right === null || typeof left !== "object" || typeof right !== "object") {
    return false;
  }
  if (Array.isArray(left)) {
    if (!Array.isArray(right) || left.length !== right.length) return false;
    run.look(left.length);
    return left.every((item, index) => equal(item, right[index], run));
  }
  if (Array.isArray(right) || isNumber(right)) return false;
  const a = /** @type {Record<string, unknown>} */ (left);
  const b = /** @type {Record<string, unknown>} */ (right);
  const keys = Object.keys(a);
  const count = Object.keys(b).length;
  run.look(keys.length + count);
  return (
    keys.length === count &&
    keys.every((key) => Object.hasOwn(b, key) && equal(a[key], b[key], run))
  );
}

/**
 * A text that is the same for two values exactly when `equal` says so: for finding repeats in
 * linear time.
 *
 * @param {unknown} value
 * @returns {string}
 */
export function canonical(value) {
  if (isNumber(value)) {
    const { digits, scale } = decimal(value);
    return `${digits}e${scale}`;
  }
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value) ?? "undefined";
  const members = /** @type {Record<string, unknown>} */ (value);
  const parts = Object.keys(members)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonical(members[key])}`);
  return `{${parts.join(",")}}`;
}
