// @ts-check
/** Drawing, selecting, moving and resizing with a pointer: mouse, pen or finger. */

import { drawn, moved, resized } from "./gestures.js";

/** @import { ListedShape } from "../board_tools.js" */
/** @import { Box } from "../model/shapes.js" */
/** @import { BoardView } from "./board_view.js" */
/** @import { Handle, Point } from "./gestures.js" */
/** @import { Hands } from "./hands.js" */

/** @typedef {{ move: (point: Point) => void, end: (point: Point) => void, cancel: () => void }} Gesture */

/**
 * @param {BoardView} view
 * @param {Hands} hands
 */
export function bindPointer(view, hands) {
  const { root } = view;
  const { board, selection } = hands;
  /** @type {{ pointer: number, gesture: Gesture } | null} */
  let running = null;

  /** @param {PointerEvent} event @returns {Point} */
  function pointOf({ clientX, clientY }) {
    const matrix = root.getScreenCTM();
    if (matrix === null) return { x: 0, y: 0 };
    const { x, y } = new DOMPoint(clientX, clientY).matrixTransform(matrix.inverse());
    return { x, y };
  }

  root.addEventListener("pointerdown", (event) => {
    if (running !== null || event.button !== 0) return;
    // A press on SVG would not move the focus by itself everywhere.
    root.focus({ preventScroll: true });
    event.preventDefault();
    const gesture = begin(/** @type {Element} */ (event.target), pointOf(event));
    if (gesture === null) return;
    running = { pointer: event.pointerId, gesture };
    root.setPointerCapture(event.pointerId);
  });
  root.addEventListener("pointermove", (event) => {
    if (running?.pointer === event.pointerId) running.gesture.move(pointOf(event));
  });
  root.addEventListener("pointerup", (event) => finish(event, (g) => g.end(pointOf(event))));
  root.addEventListener("pointercancel", (event) => finish(event, (g) => g.cancel()));

  /**
   * @param {PointerEvent} event
   * @param {(gesture: Gesture) => void} how
   */
  function finish(event, how) {
    if (running?.pointer !== event.pointerId) return;
    const { gesture } = running;
    running = null;
    how(gesture);
  }

  /**
   * @param {Element} target
   * @param {Point} from
   * @returns {Gesture | null}
   */
  function begin(target, from) {
    const { drawing } = selection;
    if (drawing !== null) {
      /** @param {Point} to @returns {ListedShape} */
      const draft = (to) => ({
        id: "draft",
        kind: drawing,
        ...drawn(drawing, from, to),
        colour: hands.colour,
        text: "",
      });
      return {
        move: (to) => view.showDraft(draft(to)),
        end(to) {
          view.showDraft(null);
          void hands.add(drawing, drawn(drawing, from, to));
        },
        cancel: () => view.showDraft(null),
      };
    }
    const handle = /** @type {Handle | undefined} */ (
      target.closest("[data-handle]")?.getAttribute("data-handle") ?? undefined
    );
    const id =
      handle === undefined
        ? (target.closest("[data-id]")?.getAttribute("data-id") ?? null)
        : selection.shape;
    selection.select(id);
    const shape = board.shape(id);
    if (shape === undefined) return null;
    /** @param {Point} to @returns {Box} */
    const box = (to) =>
      handle === undefined
        ? moved(shape, to.x - from.x, to.y - from.y)
        : resized(shape, handle, to.x - from.x, to.y - from.y);
    return {
      move: (to) => board.hold({ ...shape, ...box(to) }),
      end: (to) => void hands.place({ ...shape, ...box(to) }, shape),
      cancel: () => board.release(shape.id),
    };
  }
}
