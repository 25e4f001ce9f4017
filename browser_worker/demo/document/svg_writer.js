// @ts-check
/**
 * Writes a picture as SVG: shapes and text only. No script, no style, no link, no foreign content,
 * so that it is drawn the same under any Content-Security-Policy.
 */

/** @import { BoxItem, Picture, TextItem } from "./page_layout.js" */

/** What XML cannot hold, not even escaped. */
// eslint-disable-next-line no-control-regex
const NOT_XML = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;

/**
 * @param {Picture} picture
 * @returns {string}
 */
export function toSvg({ width, height, title, background, items }) {
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">`,
    `<title>${escaped(title)}</title>`,
    `<rect width="${width}" height="${height}" fill="${background}"/>`,
    ...items.map((item) => (item.kind === "box" ? box(item) : text(item))),
    "</svg>\n",
  ].join("\n");
}

/** @param {BoxItem} item */
function box({ x, y, width, height, colour }) {
  return `<rect x="${x}" y="${y}" width="${width}" height="${height}" fill="${colour}"/>`;
}

/** @param {TextItem} item */
function text({ x, y, width, text: words, font, colour }) {
  const { family, size, weight, italic } = font;
  const look = [
    `font-family="${family}" font-size="${size}"`,
    weight === 400 ? "" : ` font-weight="${weight}"`,
    italic ? ' font-style="italic"' : "",
    // Where it is looked at with other fonts, words still stand beside and not upon each other.
    width > 0 ? ` textLength="${width.toFixed(2)}" lengthAdjust="spacingAndGlyphs"` : "",
  ].join("");
  return `<text x="${x}" y="${y}" ${look} fill="${colour}" xml:space="preserve">${escaped(words)}</text>`;
}

/** @param {string} words */
function escaped(words) {
  return words
    .replace(NOT_XML, "\ufffd")
    .replace(/&/g, "&amp;")
    .replace(/</g, "&lt;")
    .replace(/>/g, "&gt;")
    .replace(/"/g, "&quot;");
}
