// @ts-check
/** What the board's tools need of a browser: a canvas, and its word on whether a picture is one. */

/** @import { BoardPowers } from "./board_tools.js" */

/** @type {BoardPowers["png"]} */
export async function drawPng(svg, width, height) {
  const picture = new Image();
  // By an address that holds it: the page's policy knows no other, and such a picture taints no canvas.
  picture.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await picture.decode();
  const canvas = document.createElement("canvas");
  canvas.width = width;
  canvas.height = height;
  const context = canvas.getContext("2d");
  if (context === null) throw new Error("the browser gives no canvas");
  context.drawImage(picture, 0, 0, width, height);
  const blob = await new Promise((resolve) => void canvas.toBlob(resolve, "image/png"));
  if (!(blob instanceof Blob)) throw new Error("the browser makes no picture of a canvas");
  return blob.arrayBuffer();
}

/** @type {BoardPowers["drawable"]} */
export async function isDrawable(bytes, { mimeType }) {
  try {
    const copy = /** @type {Uint8Array<ArrayBuffer>} */ (bytes);
    const bitmap = await createImageBitmap(new Blob([copy], { type: mimeType }));
    bitmap.close();
    return true;
  } catch {
    return false;
  }
}
