// @ts-check
/** The integers of Candid: their ranges, and which of them JSON's numbers cannot hold. */

/**
 * @typedef {object} NumberRule
 * @property {bigint | null} least Null where there is no bound but that of digits.
 * @property {bigint | null} most
 * @property {boolean} asText In decimal digits, since a JSON number is exact to 2^53 only.
 * @property {number} maxDigits
 */

const MAX_DIGITS = 1_024;

/** @param {number} bits */
function unsigned(bits) {
  return rule(0n, 2n ** BigInt(bits) - 1n, bits);
}

/** @param {number} bits */
function signed(bits) {
  return rule(-(2n ** BigInt(bits - 1)), 2n ** BigInt(bits - 1) - 1n, bits);
}

/**
 * @param {bigint} least
 * @param {bigint} most
 * @param {number} bits
 * @returns {NumberRule}
 */
function rule(least, most, bits) {
  return Object.freeze({ least, most, asText: bits > 32, maxDigits: `${most}`.length });
}

export const NUMBERS = Object.freeze({
  nat8: unsigned(8),
  nat16: unsigned(16),
  nat32: unsigned(32),
  nat64: unsigned(64),
  int8: signed(8),
  int16: signed(16),
  int32: signed(32),
  int64: signed(64),
  /** @type {NumberRule} */
  nat: Object.freeze({ least: 0n, most: null, asText: true, maxDigits: MAX_DIGITS }),
  /** @type {NumberRule} */
  int: Object.freeze({ least: null, most: null, asText: true, maxDigits: MAX_DIGITS }),
});

const DECIMAL = /^(?:0|-?[1-9][0-9]*)$/;

/**
 * @param {NumberRule} rule
 * @param {bigint} value
 */
export function isWithin({ least, most, maxDigits }, value) {
  if (least !== null && value < least) return false;
  if (most !== null) return value <= most;
  return `${value < 0n ? -value : value}`.length <= maxDigits;
}

/**
 * @param {NumberRule} rule
 * @param {string} text
 * @returns {bigint | null} Null where it is none of them.
 */
export function readDecimal(rule, text) {
  // A longer one is not even looked at: digits are turned into a number in more than linear time.
  if (text.length > rule.maxDigits + 1 || !DECIMAL.test(text)) return null;
  const value = BigInt(text);
  return isWithin(rule, value) ? value : null;
}
