// @ts-check
/** The bar above the board: what to draw, the colour and the words of a shape, and what else can be done. */

import { bindToolbar, setEnabled } from "../../../../page/toolbar.js";
import { COLOURS, DRAWN_KINDS } from "../model/shapes.js";

/** @import { ShapeColour } from "../model/shapes.js" */
/** @import { Hands } from "./hands.js" */
/** @import { DrawnKind } from "./selection.js" */

/**
 * @typedef {object} BarParts
 * @property {HTMLElement} bar With a button for each `data-draw` and each `data-do`.
 * @property {HTMLSelectElement} colour
 * @property {HTMLTextAreaElement} words
 */

/** @typedef {Readonly<Record<string, () => void>>} Deeds What the buttons do, by their `data-do`. */

/**
 * @param {BarParts} parts
 * @param {Hands} hands
 * @param {Deeds} deeds
 * @param {() => void} leave Goes back to the board.
 */
export function bindToolsBar({ bar, colour, words }, hands, deeds, leave) {
  const { board, selection } = hands;
  bindToolbar(bar);
  for (const name of COLOURS) {
    colour.append(new Option(`${name.slice(0, 1).toUpperCase()}${name.slice(1)}`, name));
  }
  colour.value = hands.colour;

  bar.addEventListener("click", ({ target }) => {
    const button = target instanceof Element ? target.closest("button") : null;
    if (button === null || button.getAttribute("aria-disabled") === "true") return;
    const { draw, do: deed } = button.dataset;
    if (draw !== undefined) {
      const kind = DRAWN_KINDS.find((each) => each === draw) ?? null;
      selection.draw(selection.drawing === kind ? null : kind);
    } else if (deed !== undefined) {
      deeds[deed]?.();
    }
  });
  colour.addEventListener("change", () => {
    hands.colour = /** @type {ShapeColour} */ (colour.value);
    void hands.restyle({ colour: hands.colour });
  });

  /** Whose words are in the field. @type {string | null} */
  let written = null;
  const commit = () => {
    const { shape } = hands;
    if (shape !== undefined && shape.id === written && shape.text !== words.value) {
      void hands.restyle({ text: words.value });
    }
  };
  words.addEventListener("change", commit);
  words.addEventListener("keydown", (event) => {
    if (event.isComposing || event.shiftKey) return;
    if (event.key === "Escape") words.value = hands.shape?.text ?? "";
    else if (event.key !== "Enter") return;
    event.preventDefault();
    commit();
    leave();
  });

  const show = () => {
    const { shape } = hands;
    for (const each of bar.querySelectorAll("button")) {
      const { draw, do: deed } = each.dataset;
      if (draw !== undefined) {
        const drawing = /** @type {DrawnKind | "select"} */ (selection.drawing ?? "select");
        each.setAttribute("aria-pressed", String(draw === drawing));
      }
      if (deed === "undo") setEnabled(each, board.canUndo);
      if (deed === "redo") setEnabled(each, board.canRedo);
      if (deed === "remove") setEnabled(each, shape !== undefined);
    }
    if (shape !== undefined && shape.kind !== "image") colour.value = shape.colour;
    else if (shape === undefined) colour.value = hands.colour;
    words.disabled = shape === undefined;
    const another = (shape?.id ?? null) !== written;
    if (another || document.activeElement !== words) words.value = shape?.text ?? "";
    written = shape?.id ?? null;
  };
  board.onChange(show);
  selection.onChange(show);
  show();
}
