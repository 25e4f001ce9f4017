// @ts-check
/** The board by keyboard: selecting, moving, resizing, adding and removing shapes. */

import { moved, resized } from "./gestures.js";

/** @import { ListedShape } from "../board_tools.js" */
/** @import { Hands } from "./hands.js" */
/** @import { DrawnKind } from "./selection.js" */

const STEP = 20;
const FINE_STEP = 1;

/** @type {ReadonlyMap<string, readonly [number, number]>} */
const ARROWS = new Map([
  ["ArrowLeft", [-1, 0]],
  ["ArrowRight", [1, 0]],
  ["ArrowUp", [0, -1]],
  ["ArrowDown", [0, 1]],
]);

/** Only where the board itself has the focus. @type {ReadonlyMap<string, DrawnKind>} */
const LETTERS = new Map([
  ["r", "rectangle"],
  ["e", "ellipse"],
  ["l", "line"],
  ["t", "text"],
]);

/** What the list of keys says. @type {readonly (readonly [string, string])[]} */
export const KEYS = Object.freeze([
  ["R, E, L, T", "Add a rectangle, an ellipse, a line, a text"],
  ["Page Up, Page Down", "Select the shape before, after"],
  ["Home, End", "Select the lowest, the highest shape"],
  ["Arrows", "Move the shape; with Ctrl finely"],
  ["Shift+Arrows", "Make the shape larger or smaller"],
  ["Enter", "Write the words of the shape"],
  ["Delete", "Remove the shape"],
  ["Escape", "Select nothing"],
  ["Ctrl+Z, Ctrl+Y", "Undo, redo"],
]);

/**
 * @param {SVGSVGElement} root
 * @param {Hands} hands
 * @param {() => void} editWords Goes to the words of the shape.
 */
export function bindKeys(root, hands, editWords) {
  const { board, selection } = hands;
  /** A shape that arrow keys move: it is put down when they are let go. @type {ListedShape | null} */
  let before = null;

  const putDown = () => {
    if (before === null) return;
    const was = before;
    before = null;
    const now = board.shape(was.id);
    if (now !== undefined) void hands.place(now, was);
  };
  root.addEventListener("keyup", ({ key }) => {
    if (ARROWS.has(key)) putDown();
  });
  root.addEventListener("blur", putDown);

  root.addEventListener("keydown", (event) => {
    const { key } = event;
    if (event.altKey || event.metaKey || event.isComposing) return;
    const arrow = ARROWS.get(key);
    if (event.ctrlKey && arrow === undefined) return;
    const letter = event.shiftKey ? undefined : LETTERS.get(key.toLowerCase());
    if (arrow !== undefined) {
      const shape = hands.shape;
      if (shape === undefined) {
        hands.selectOther(arrow[0] + arrow[1] > 0 ? 1 : -1);
      } else {
        const step = event.ctrlKey ? FINE_STEP : STEP;
        const [dx, dy] = [arrow[0] * step, arrow[1] * step];
        if (before?.id !== shape.id) {
          putDown();
          before = shape;
        }
        const handle = shape.kind === "line" ? "end" : "se";
        const box = event.shiftKey ? resized(shape, handle, dx, dy) : moved(shape, dx, dy);
        board.hold({ ...shape, ...box });
      }
    } else if (letter !== undefined) {
      void hands.addInMiddle(letter);
    } else if (key === "PageDown" || key === "PageUp") {
      putDown();
      hands.selectOther(key === "PageDown" ? 1 : -1);
    } else if (key === "Home" || key === "End") {
      putDown();
      hands.selectOther(key === "Home" ? "first" : "last");
    } else if (key === "Delete" || key === "Backspace") {
      putDown();
      void hands.remove();
    } else if (key === "Enter") {
      if (selection.drawing !== null) void hands.addInMiddle(selection.drawing);
      else if (hands.shape !== undefined) editWords();
    } else if (key === "Escape") {
      selection.draw(null);
      selection.select(null);
    } else {
      return;
    }
    event.preventDefault();
  });

  document.addEventListener("keydown", (event) => {
    if (!(event.ctrlKey || event.metaKey) || event.altKey) return;
    // A field has its own undo.
    if (event.target instanceof HTMLTextAreaElement) return;
    const key = event.key.toLowerCase();
    if (key === "z" && !event.shiftKey) void hands.undo();
    else if (key === "y" || key === "z") void hands.redo();
    else return;
    event.preventDefault();
  });
}
