// @ts-check
/**
 * Exact decimal arithmetic for JSON Schema: numbers, BigInts and tokens compare and divide by
 * their decimal value, never by their nearest float.
 */

import { JsonNumber } from "./json_number.js";

/** @typedef {number | bigint | JsonNumber} AnyNumber */
/** @typedef {{ digits: bigint, scale: number }} Decimal The value digits × 10^scale. */

const PARTS = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;
/** Past this an exponent is only a magnitude: a power of ten that large is never written out. */
const MAX_SCALE = 5_000;

/**
 * @param {unknown} value
 * @returns {value is AnyNumber}
 */
export function isNumber(value) {
  return typeof value === "number" || typeof value === "bigint" || value instanceof JsonNumber;
}

/**
 * @param {AnyNumber} value
 * @returns {Decimal}
 */
function decimal(value) {
  const parts = PARTS.exec(value instanceof JsonNumber ? value.token : String(value));
  if (parts === null) throw new TypeError("not a finite number");
  const fraction = parts[3] ?? "";
  const exponent = Math.max(-1e9, Math.min(1e9, Number(parts[4] ?? "0")));
  let digits = BigInt(`${parts[1]}${parts[2]}${fraction}`);
  let scale = exponent - fraction.length;
  if (digits === 0n) return { digits, scale: 0 };
  while (scale < 0 && digits % 10n === 0n) {
    digits /= 10n;
    scale++;
  }
  return { digits, scale };
}

/** @param {AnyNumber} value */
export function isInteger(value) {
  if (typeof value === "number") return Number.isInteger(value);
  return typeof value === "bigint" || decimal(value).scale >= 0;
}

/**
 * @param {AnyNumber} left
 * @param {AnyNumber} right
 * @returns {number} Negative, zero or positive.
 */
export function compare(left, right) {
  if (typeof left === "number" && typeof right === "number") return left - right;
  const a = decimal(left);
  const b = decimal(right);
  if (a.digits === 0n || b.digits === 0n || a.digits < 0n !== b.digits < 0n) {
    return a.digits < b.digits ? -1 : a.digits > b.digits ? 1 : 0;
  }
  const sign = a.digits < 0n ? -1 : 1;
  const magnitude = exponentOf(a) - exponentOf(b);
  if (magnitude !== 0) return sign * magnitude;
  if (Math.abs(a.scale - b.scale) > MAX_SCALE) return sign * (a.scale - b.scale);
  const shared = Math.min(a.scale, b.scale);
  const difference = raised(a, shared) - raised(b, shared);
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

/** @param {Decimal} value */
function exponentOf({ digits, scale }) {
  return (digits < 0n ? -digits : digits).toString().length + scale;
}

/**
 * @param {Decimal} value
 * @param {number} scale Not above the value's own.
 */
function raised(value, scale) {
  return value.digits * 10n ** BigInt(value.scale - scale);
}

/**
 * @param {AnyNumber} value
 * @param {AnyNumber} divisor Greater than 0.
 * @returns {boolean}
 */
export function isMultipleOf(value, divisor) {
  if (typeof value === "number" && typeof divisor === "number") {
    if (Number.isSafeInteger(value) && Number.isSafeInteger(divisor)) return value % divisor === 0;
  }
  const a = decimal(value);
  const b = decimal(divisor);
  if (a.digits === 0n) return true;
  const shared = Math.min(a.scale, b.scale);
  if (Math.max(a.scale, b.scale) - shared > MAX_SCALE) return a.scale > b.scale && b.digits === 1n;
  return raised(a, shared) % raised(b, shared) === 0n;
}

/**
 * JSON Schema's equality: numbers by value, objects whatever the order of their members.
 *
 * @param {unknown} left
 * @param {unknown} right
 * @returns {boolean}
 */
export function equal(left, right) {
  if (left === right) return true;
  if (isNumber(left)) return isNumber(right) && compare(left, right) === 0;
  if (left === null || right === null || typeof left !== "object" || typeof right !== "object") {
    return false;
  }
  if (Array.isArray(left)) {
    return (
      Array.isArray(right) &&
      left.length === right.length &&
      left.every((item, index) => equal(item, right[index]))
    );
  }
  if (Array.isArray(right) || isNumber(right)) return false;
  const a = /** @type {Record<string, unknown>} */ (left);
  const b = /** @type {Record<string, unknown>} */ (right);
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && equal(a[key], b[key]))
  );
}
