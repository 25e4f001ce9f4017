// @ts-check
/** The pictures on the board as addresses that hold them: the page's policy knows no others. */

/** @import { ListedShape } from "../board_tools.js" */
/** @import { ShownBoard } from "./shown_board.js" */

export class ShownPictures {
  /**
   * @param {ShownBoard} board
   * @param {() => void} arrived Told when one more can be shown.
   */
  constructor(board, arrived) {
    this._board = board;
    this._arrived = arrived;
    /** By picture, not by shape. @type {Map<string, string | null>} */
    this._addresses = new Map();
  }

  /**
   * @param {ListedShape} shape With a picture.
   * @returns {string | null} Null while it is on its way.
   */
  addressOf({ id, image }) {
    if (image === undefined) return null;
    const known = this._addresses.get(image.id);
    if (known !== undefined) return known;
    this._addresses.set(image.id, null);
    void this._load(id, image);
    return null;
  }

  /**
   * @param {string} shape
   * @param {{ id: string, mimeType: string }} image
   */
  async _load(shape, { id, mimeType }) {
    try {
      const { attachment } = await this._board.read("board_image", { id: shape });
      if (attachment === undefined) throw new Error("there is none");
      this._addresses.set(id, await addressOf(new Blob([attachment], { type: mimeType })));
      this._arrived();
    } catch {
      // The shape is gone, or the background: it is asked for again when it is shown again.
      this._addresses.delete(id);
    }
  }
}

/**
 * @param {Blob} blob
 * @returns {Promise<string>}
 */
export function addressOf(blob) {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(blob);
  });
}
