// @ts-check
/** Pictures of the page, made of the document and not of the screen: formats and sizes. */

import { laidOut } from "./page_layout.js";
import { toSvg } from "./svg_writer.js";

/** @import { Measure, Picture } from "./page_layout.js" */
/** @import { DocumentState } from "./text_document.js" */

/** @typedef {"svg" | "png"} PictureFormat */

/** @type {readonly PictureFormat[]} The first is what is drawn unless another is asked for. */
export const PICTURE_FORMATS = Object.freeze(["svg", "png"]);

/** In pixels. A canvas of this size is one that every browser can make. */
export const PICTURE_WIDTH = 816;
export const MIN_PICTURE_WIDTH = 320;
export const MAX_PICTURE_WIDTH = 1_600;
export const MAX_PICTURE_HEIGHT = 4_096;

/**
 * @typedef {object} PicturePowers
 * @property {Measure} measure
 * @property {(picture: Picture) => Uint8Array} png Draws it.
 */

/**
 * @param {DocumentState} state
 * @param {{ format?: PictureFormat, width?: number, first: number }} how
 * @param {PicturePowers} powers
 * @returns {{ data: Uint8Array, extension: string, mimeType: string, picture: Picture }}
 */
export function drawnPage(state, { format = "svg", width = PICTURE_WIDTH, first }, powers) {
  const how = { width, maxHeight: MAX_PICTURE_HEIGHT, first };
  const picture = laidOut(state, how, powers.measure);
  return format === "png"
    ? { data: powers.png(picture), extension: "png", mimeType: "image/png", picture }
    : {
        data: new TextEncoder().encode(toSvg(picture)),
        extension: "svg",
        mimeType: "image/svg+xml",
        picture,
      };
}
