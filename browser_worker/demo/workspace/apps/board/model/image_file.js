// @ts-check
/** Tells from its first bytes what kind of picture a file is and how large: PNG and JPEG, and no other. */

/** @typedef {{ mimeType: "image/png" | "image/jpeg", width: number, height: number }} ImageFile */

const PNG = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
/** A side that every browser can draw. */
export const MAX_IMAGE_SIDE = 8_192;

/**
 * @param {Uint8Array} bytes
 * @returns {ImageFile | null} Null for any other file, and for a picture without a size or too large.
 */
export function readImageFile(bytes) {
  const file = PNG.every((byte, at) => bytes[at] === byte) ? png(bytes) : jpeg(bytes);
  if (file === null) return null;
  const fits = [file.width, file.height].every((side) => side > 0 && side <= MAX_IMAGE_SIDE);
  return fits ? file : null;
}

/** @param {Uint8Array} bytes @returns {ImageFile | null} */
function png(bytes) {
  if (bytes.length < 24 || String.fromCharCode(...bytes.subarray(12, 16)) !== "IHDR") return null;
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  return { mimeType: "image/png", width: view.getUint32(16), height: view.getUint32(20) };
}

/** @param {Uint8Array} bytes @returns {ImageFile | null} */
function jpeg(bytes) {
  if (bytes[0] !== 0xff || bytes[1] !== 0xd8) return null;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 2; at + 9 <= bytes.length;) {
    if (bytes[at] !== 0xff) return null;
    const marker = bytes[at + 1] ?? 0;
    // A frame header: all of C0 to CF but tables, which have the same numbers.
    if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)) {
      return {
        mimeType: "image/jpeg",
        width: view.getUint16(at + 7),
        height: view.getUint16(at + 5),
      };
    }
    at += marker === 0xff ? 1 : 2 + view.getUint16(at + 2);
  }
  return null;
}
