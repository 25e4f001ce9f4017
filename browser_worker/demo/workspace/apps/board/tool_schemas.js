// @ts-check
/** What the board's tools take and give, as JSON Schema. */

import {
  BOARD_HEIGHT,
  BOARD_WIDTH,
  COLOURS,
  DRAWN_KINDS,
  MAX_TEXT,
  MIN_SIDE,
} from "./model/shapes.js";

/**
 * @param {Record<string, unknown>} properties
 * @param {string[]} [required]
 */
export const object = (properties, required = Object.keys(properties)) => ({
  type: "object",
  properties,
  required,
  additionalProperties: false,
});

export const ID = {
  type: "string",
  minLength: 1,
  maxLength: 40,
  description: "As board_list names it",
};
export const X = { type: "number", minimum: 0, maximum: BOARD_WIDTH, description: "From the left" };
export const Y = { type: "number", minimum: 0, maximum: BOARD_HEIGHT, description: "From the top" };
export const WIDTH = {
  type: "number",
  minimum: -BOARD_WIDTH,
  maximum: BOARD_WIDTH,
  description: `At least ${MIN_SIDE}; of a line, how far it goes to the right`,
};
export const HEIGHT = {
  ...WIDTH,
  minimum: -BOARD_HEIGHT,
  maximum: BOARD_HEIGHT,
  description: `At least ${MIN_SIDE}; of a line, how far it goes down`,
};
export const COLOUR = { type: "string", enum: [...COLOURS] };
export const TEXT = {
  type: "string",
  maxLength: MAX_TEXT,
  description: "A line feed begins a line",
};
export const SIDE = { type: "integer", minimum: 1 };
export const REVISION = { type: "integer", minimum: 0 };
export const SHAPE = object(
  {
    id: ID,
    kind: { type: "string", enum: [...DRAWN_KINDS, "image"] },
    x: X,
    y: Y,
    width: WIDTH,
    height: HEIGHT,
    colour: COLOUR,
    text: TEXT,
    image: object({
      id: { type: "string" },
      mimeType: { type: "string" },
      width: SIDE,
      height: SIDE,
      size: { ...SIDE, description: "Bytes" },
    }),
  },
  ["id", "kind", "x", "y", "width", "height", "colour", "text"],
);
export const CHANGED = object({ shape: SHAPE, revision: REVISION });
export const DONE = object({ revision: REVISION });
export const ON_BOARD = `The board is ${BOARD_WIDTH} by ${BOARD_HEIGHT}, and what would leave it stays at its edge`;
export const WRITES = { readOnlyHint: false, destructiveHint: false };
