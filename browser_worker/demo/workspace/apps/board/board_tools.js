// @ts-check
/** The board's tools on the bus: what its own tile, other apps and a terminal all use. */

import { BusError } from "../../../../contract/bus_error.js";
import { BUS_LIMITS } from "../../../../contract/limits.js";
import { BoardError } from "./model/board.js";
import { toSvg } from "./model/board_svg.js";
import { readImageFile } from "./model/image_file.js";
import { BOARD_HEIGHT, BOARD_WIDTH, DRAWN_KINDS, MIN_SIDE } from "./model/shapes.js";
import {
  CHANGED,
  COLOUR,
  DONE,
  HEIGHT,
  ID,
  ON_BOARD,
  REVISION,
  SHAPE,
  SIDE,
  TEXT,
  WIDTH,
  WRITES,
  X,
  Y,
  object,
} from "./tool_schemas.js";

/** @import { AppRuntime } from "../../../../app/app_runtime.js" */
/** @import { ToolContext } from "../../../../app/exposed_tools.js" */
/** @import { Board } from "./model/board.js" */
/** @import { ImageFile } from "./model/image_file.js" */
/** @import { Shape } from "./model/shapes.js" */

export const BOARD = "board";
export const BOARD_BACKGROUND = `app:${BOARD}:background`;
/** `state` is the topic by which a terminal's writes are checked. */
export const TOPICS = Object.freeze(["board", "state"]);

/**
 * @typedef {object} BoardPowers What the tools need of a browser.
 * @property {(svg: string, width: number, height: number) => Promise<ArrayBuffer>} png Draws it.
 * @property {(bytes: Uint8Array, file: ImageFile) => Promise<boolean>} drawable Whether it is what its
 *   first bytes say.
 */

/** A shape as it travels: its picture's bytes do not. @typedef {Omit<Shape, "image"> & { image?: { id: string, mimeType: string, width: number, height: number, size: number } }} ListedShape */
/** @typedef {{ revision: number, width: number, height: number, canUndo: boolean, canRedo: boolean, shapes: ListedShape[] }} BoardListing */

/**
 * Exposes the tools, and tells the workspace of each change.
 *
 * @param {Pick<AppRuntime, "exposeTool" | "publishAppStateChange">} bus
 * @param {Board} board
 * @param {BoardPowers} powers
 */
export function exposeBoard(bus, board, powers) {
  /**
   * @param {string} name
   * @param {import("../../../../app/exposed_tools.js").ToolOptions} options
   * @param {(args: any, context: ToolContext) => unknown} handler
   */
  const expose = (name, options, handler) =>
    bus.exposeTool(name, options, async (args, context) => {
      try {
        return await handler(args, context);
      } catch (error) {
        throw busError(error);
      }
    });
  const revision = () => ({ revision: board.revision });
  /** @param {Readonly<Shape>} shape */
  const changed = (shape) => ({ shape: listed(shape), ...revision() });
  let images = 0;

  expose(
    "board_list",
    {
      title: "List shapes",
      description: "List all shapes on the board, the lowest first",
      outputSchema: object({
        revision: REVISION,
        width: SIDE,
        height: SIDE,
        canUndo: { type: "boolean" },
        canRedo: { type: "boolean" },
        shapes: { type: "array", items: SHAPE },
      }),
      annotations: { readOnlyHint: true },
    },
    () => listing(board),
  );
  expose(
    "board_add",
    {
      title: "Add a shape",
      description: `Put a rectangle, ellipse, line or text on the board. ${ON_BOARD}`,
      inputSchema: object(
        {
          kind: { type: "string", enum: [...DRAWN_KINDS] },
          x: X,
          y: Y,
          width: WIDTH,
          height: HEIGHT,
          colour: { ...COLOUR, description: "graphite by default" },
          text: TEXT,
        },
        ["kind", "x", "y"],
      ),
      outputSchema: CHANGED,
      annotations: WRITES,
    },
    (args) => changed(board.add(args)),
  );
  expose(
    "board_move",
    {
      title: "Move a shape",
      description: `Move a shape to a place. ${ON_BOARD}`,
      inputSchema: object({ id: ID, x: X, y: Y }),
      outputSchema: CHANGED,
      annotations: { ...WRITES, idempotentHint: true },
    },
    ({ id, x, y }) => changed(board.move(id, x, y)),
  );
  expose(
    "board_change",
    {
      title: "Change a shape",
      description: `Change the place, size, colour or words of a shape. ${ON_BOARD}`,
      inputSchema: object(
        { id: ID, x: X, y: Y, width: WIDTH, height: HEIGHT, colour: COLOUR, text: TEXT },
        ["id"],
      ),
      outputSchema: CHANGED,
      annotations: { ...WRITES, idempotentHint: true },
    },
    ({ id, ...change }) => changed(board.change(id, change)),
  );
  expose(
    "board_remove",
    {
      title: "Remove a shape",
      description: "Remove a shape; can be undone",
      inputSchema: object({ id: ID }),
      outputSchema: DONE,
      annotations: WRITES,
    },
    ({ id }) => {
      board.remove(id);
      return revision();
    },
  );
  expose(
    "board_clear",
    {
      title: "Clear the board",
      description: "Remove all shapes; can be undone. Gives how many there were",
      outputSchema: object({ removed: REVISION, revision: REVISION }),
      annotations: { readOnlyHint: false, destructiveHint: true },
    },
    () => ({ removed: board.clear(), ...revision() }),
  );
  for (const step of /** @type {const} */ (["undo", "redo"])) {
    expose(
      `board_${step}`,
      {
        description:
          step === "undo"
            ? "Undo the last change of the board, whoever made it"
            : "Do the last undone change again",
        outputSchema: DONE,
        annotations: WRITES,
      },
      () => {
        board[step]();
        return revision();
      },
    );
  }
  expose(
    "board_export_image",
    {
      title: "Picture of the board",
      description: "Draw the whole board as a picture. The attachment is it",
      inputSchema: object(
        { format: { type: "string", enum: ["png", "svg"], description: "png by default" } },
        [],
      ),
      outputSchema: object({
        mimeType: { type: "string" },
        width: SIDE,
        height: SIDE,
        size: { ...SIDE, description: "Bytes" },
        revision: REVISION,
      }),
      annotations: {
        readOnlyHint: true,
        "bascule:attachments": { api: 1, output: { mediaTypes: ["image/png", "image/svg+xml"] } },
      },
    },
    async ({ format = "png" }, context) => {
      const drawn = revision();
      const svg = toSvg(board.shapes);
      const picture =
        format === "svg"
          ? new TextEncoder().encode(svg).slice().buffer
          : await powers.png(svg, BOARD_WIDTH, BOARD_HEIGHT);
      const size = picture.byteLength;
      if (size > BUS_LIMITS.maxAttachmentBytes) {
        throw new BusError(
          "ATTACHMENT_TOO_LARGE",
          "The picture is too large; ask for the other format.",
        );
      }
      context.replyAttachment(picture);
      const mimeType = format === "svg" ? "image/svg+xml" : "image/png";
      return { mimeType, width: BOARD_WIDTH, height: BOARD_HEIGHT, size, ...drawn };
    },
  );
  expose(
    "board_import_image",
    {
      title: "Put a picture on the board",
      description: `Put a PNG or JPEG picture on the board, at a place and in a width or in its own. The attachment is it. ${ON_BOARD}`,
      inputSchema: object(
        {
          x: X,
          y: Y,
          width: { ...WIDTH, minimum: MIN_SIDE, description: "The height follows" },
          text: { ...TEXT, description: "What it shows, for who cannot see it" },
        },
        [],
      ),
      outputSchema: CHANGED,
      annotations: {
        ...WRITES,
        "bascule:attachments": {
          api: 1,
          input: { required: true, mediaTypes: ["image/png", "image/jpeg"] },
        },
      },
    },
    async ({ x, y, width: wanted, text = "" }, context) => {
      const bytes = new Uint8Array(/** @type {ArrayBuffer} */ (context.attachment));
      const file = readImageFile(bytes);
      if (file === null || !(await powers.drawable(bytes, file))) {
        throw new BusError(
          "INVALID_INPUT",
          "The attachment is no PNG or JPEG that can be drawn. Nothing was changed.",
        );
      }
      const { width, height } = fitted(file, wanted);
      const at = { x: x ?? (BOARD_WIDTH - width) / 2, y: y ?? (BOARD_HEIGHT - height) / 2 };
      const image = { id: `image-${++images}`, ...file, bytes };
      return changed(board.add({ kind: "image", ...at, width, height, text, image }));
    },
  );
  expose(
    "board_image",
    {
      title: "Picture of a shape",
      description: "Give the picture of a shape as it was put on the board. The attachment is it",
      inputSchema: object({ id: ID }),
      outputSchema: object({ mimeType: { type: "string" } }),
      annotations: {
        readOnlyHint: true,
        "bascule:attachments": { api: 1, output: { mediaTypes: ["image/png", "image/jpeg"] } },
      },
    },
    ({ id }, context) => {
      const { image } = board.shape(id);
      if (image === null) throw new BusError("INVALID_INPUT", "The shape is no picture.");
      // What is sent is gone here: a copy goes.
      context.replyAttachment(image.bytes.slice().buffer);
      return { mimeType: image.mimeType };
    },
  );

  /** @param {number} now */
  const publish = (now) => {
    for (const topic of TOPICS) {
      bus.publishAppStateChange(topic, now).catch((error) => {
        // Who follows looks again by itself; without a workspace there is nobody.
        if (error.code !== "ENDPOINT_GONE") console.error(error);
      });
    }
  };
  board.onChange(publish);
  publish(board.revision);
}

/**
 * @param {Board} board
 * @returns {BoardListing}
 */
function listing(board) {
  return {
    revision: board.revision,
    width: BOARD_WIDTH,
    height: BOARD_HEIGHT,
    canUndo: board.canUndo,
    canRedo: board.canRedo,
    shapes: board.shapes.map(listed),
  };
}

/**
 * @param {Readonly<Shape>} shape
 * @returns {ListedShape}
 */
function listed({ image, ...shape }) {
  if (image === null) return shape;
  const { id, mimeType, width, height, bytes } = image;
  return { ...shape, image: { id, mimeType, width, height, size: bytes.length } };
}

/**
 * A picture's size on the board: as wide as wanted or as it is, and no larger than the board.
 *
 * @param {{ width: number, height: number }} file
 * @param {number} [wanted]
 */
function fitted({ width, height }, wanted = width) {
  const scale = Math.min(wanted / width, BOARD_WIDTH / width, BOARD_HEIGHT / height);
  return { width: width * scale, height: height * scale };
}

/** @param {unknown} error */
function busError(error) {
  if (!(error instanceof BoardError)) return error;
  const code = error.reason === "unknown_shape" ? "INVALID_INPUT" : "TOOL_FAILED";
  return new BusError(code, error.message, { data: { reason: error.reason } });
}
