// @ts-check
/**
 * A principal as text: its bytes behind their CRC-32, in base 32, in groups of five. The sum finds a
 * letter that was mistyped. A principal is a name and no secret.
 */

const LETTERS = "abcdefghijklmnopqrstuvwxyz234567";
const FORM = /^[a-z2-7]{5}(?:-[a-z2-7]{5})*(?:-[a-z2-7]{1,4})?$/;
const SUM_BYTES = 4;
const MAX_PRINCIPAL_BYTES = 29;
export const MAX_PRINCIPAL_CHARS = 63;

/**
 * @param {string} text
 * @returns {Uint8Array | null} Null where it is none.
 */
export function readPrincipal(text) {
  if (text.length > MAX_PRINCIPAL_CHARS || !FORM.test(text)) return null;
  /** @type {number[]} */
  const bytes = [];
  let bits = 0;
  let held = 0;
  for (const letter of text.replaceAll("-", "")) {
    held = ((held << 5) | LETTERS.indexOf(letter)) & 0xfff;
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push((held >> bits) & 0xff);
  }
  if (bytes.length < SUM_BYTES || bytes.length > SUM_BYTES + MAX_PRINCIPAL_BYTES) return null;
  const principal = Uint8Array.from(bytes.slice(SUM_BYTES));
  // Writing it again finds a wrong sum, and letters that stand for no byte.
  return writePrincipal(principal) === text ? principal : null;
}

/**
 * @param {Uint8Array} principal At most 29 bytes.
 * @returns {string}
 */
export function writePrincipal(principal) {
  const sum = crc32(principal);
  let letters = "";
  let bits = 0;
  let held = 0;
  for (const byte of [
    sum >>> 24,
    (sum >>> 16) & 0xff,
    (sum >>> 8) & 0xff,
    sum & 0xff,
    ...principal,
  ]) {
    held = ((held << 8) | byte) & 0x1fff;
    for (bits += 8; bits >= 5; bits -= 5) letters += LETTERS[(held >> (bits - 5)) & 31];
  }
  if (bits > 0) letters += LETTERS[(held << (5 - bits)) & 31];
  return (letters.match(/.{1,5}/g) ?? []).join("-");
}

/** @param {Uint8Array} bytes */
function crc32(bytes) {
  let sum = 0xffffffff;
  for (const byte of bytes) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit += 1) sum = sum & 1 ? (sum >>> 1) ^ 0xedb88320 : sum >>> 1;
  }
  return (sum ^ 0xffffffff) >>> 0;
}
