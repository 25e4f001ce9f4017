// @ts-check
/**
 * UTF-8, without the browser's own coder, so that the contract runs anywhere: the size of a
 * text, and a strict reader that refuses what is not well-formed.
 */

/**
 * Counts the UTF-8 bytes of a well-formed text. A lone surrogate counts as three.
 *
 * @param {string} text
 * @returns {number}
 */
export function utf8Length(text) {
  let bytes = text.length;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit < 0x80) continue;
    if (unit < 0x800) {
      bytes += 1;
    } else if (unit >= 0xd800 && unit < 0xdc00 && isLow(text.charCodeAt(index + 1))) {
      bytes += 2;
      index++;
    } else {
      bytes += 2;
    }
  }
  return bytes;
}

/**
 * Says whether a text takes more bytes than it may. Most texts are too short to need counting.
 *
 * @param {string} text
 * @param {number} maxBytes
 * @returns {boolean}
 */
export function exceedsUtf8(text, maxBytes) {
  return text.length * 3 > maxBytes && utf8Length(text) > maxBytes;
}

const SURROGATE = /[\ud800-\udfff]/;

/**
 * Finds lone surrogates.
 *
 * @param {string} text
 * @returns {boolean} Whether the text has no lone surrogate.
 */
export function isWellFormed(text) {
  if (!SURROGATE.test(text)) return true;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit < 0xd800 || unit > 0xdfff) continue;
    if (unit > 0xdbff || !isLow(text.charCodeAt(index + 1))) return false;
    index++;
  }
  return true;
}

/** @param {number} unit */
function isLow(unit) {
  return unit >= 0xdc00 && unit <= 0xdfff;
}

/**
 * Decodes UTF-8 strictly.
 *
 * @param {Uint8Array} bytes
 * @returns {string | undefined} Undefined where the bytes are not well-formed.
 */
export function decodeUtf8(bytes) {
  /** @type {string[]} */
  const chunks = [];
  /** @type {number[]} */
  let units = [];
  for (let index = 0; index < bytes.length;) {
    const lead = /** @type {number} */ (bytes[index]);
    const size = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    const point = size === 1 ? lead : multiByte(bytes, index, size);
    if (point === undefined) return undefined;
    index += size;
    if (point < 0x10000) {
      units.push(point);
    } else {
      units.push(0xd800 + ((point - 0x10000) >> 10), 0xdc00 + ((point - 0x10000) & 0x3ff));
    }
    if (units.length >= 8192) {
      chunks.push(String.fromCharCode(...units));
      units = [];
    }
  }
  chunks.push(String.fromCharCode(...units));
  return chunks.join("");
}

/**
 * @param {Uint8Array} bytes
 * @param {number} start
 * @param {number} size
 * @returns {number | undefined}
 */
function multiByte(bytes, start, size) {
  const lead = /** @type {number} */ (bytes[start]);
  if (lead < 0xc2 || lead > 0xf4 || start + size > bytes.length) return undefined;
  let point = lead & (0x7f >> size);
  for (let index = start + 1; index < start + size; index++) {
    const byte = /** @type {number} */ (bytes[index]);
    if ((byte & 0xc0) !== 0x80) return undefined;
    point = (point << 6) | (byte & 0x3f);
  }
  const least = size === 2 ? 0x80 : size === 3 ? 0x800 : 0x10000;
  if (point < least || point > 0x10ffff || (point >= 0xd800 && point <= 0xdfff)) return undefined;
  return point;
}
