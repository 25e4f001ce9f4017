// @ts-check
/**
 * Draws the board into an SVG element: one option of a list box for each shape, and the frame with
 * handles of the one that is selected. Words come in as text and never as markup.
 */

import { marksOf } from "../model/drawing.js";
import { spoken } from "../model/shapes.js";
import { handlesOf } from "./gestures.js";

/** @import { ListedShape } from "../board_tools.js" */
/** @import { ShownPictures } from "./shown_pictures.js" */

const SVG = "http://www.w3.org/2000/svg";

/**
 * @param {string} name
 * @param {Record<string, string | number>} [attributes]
 * @param {string} [words]
 */
function make(name, attributes = {}, words = undefined) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  if (words !== undefined) element.textContent = words;
  return element;
}

export class BoardView {
  /**
   * @param {SVGSVGElement} root
   * @param {ShownPictures} pictures
   */
  constructor(root, pictures) {
    this.root = root;
    this._pictures = pictures;
    this._shapes = make("g");
    this._frame = make("g", { class: "frame", "aria-hidden": "true" });
    this._draft = make("g", { class: "draft", "aria-hidden": "true" });
    // The list box owns its options, so that they are children of it and of nothing between.
    this._shapes.setAttribute("role", "presentation");
    root.replaceChildren(this._shapes, this._frame, this._draft);
    /** What is drawn, by shape. @type {Map<string, { text: string, element: Element }>} */
    this._drawn = new Map();
  }

  /**
   * @param {readonly ListedShape[]} shapes
   * @param {string | null} selected
   */
  show(shapes, selected) {
    /** @type {Element[]} */
    const elements = [];
    const kept = new Set();
    for (const shape of shapes) {
      kept.add(shape.id);
      elements.push(this._element(shape, shape.id === selected));
    }
    for (const id of this._drawn.keys()) if (!kept.has(id)) this._drawn.delete(id);
    const now = [...this._shapes.children];
    if (elements.length !== now.length || elements.some((each, at) => each !== now[at])) {
      this._shapes.replaceChildren(...elements);
    }
    this._showFrame(shapes.find(({ id }) => id === selected));
    if (selected !== null && kept.has(selected)) {
      this.root.setAttribute("aria-activedescendant", `board-${selected}`);
    } else {
      this.root.removeAttribute("aria-activedescendant");
    }
  }

  /** Shows what is being drawn. @param {ListedShape | null} shape */
  showDraft(shape) {
    if (shape === null) this._draft.replaceChildren();
    else this._draft.replaceChildren(group(shape, null));
  }

  /**
   * @param {ListedShape} shape
   * @param {boolean} selected
   */
  _element(shape, selected) {
    const href = shape.image === undefined ? null : this._pictures.addressOf(shape);
    const text = JSON.stringify([shape, href?.length]);
    let drawn = this._drawn.get(shape.id);
    if (drawn?.text !== text) {
      const element = group(shape, href);
      element.id = `board-${shape.id}`;
      element.setAttribute("role", "option");
      element.setAttribute("aria-label", spoken(shape));
      drawn = { text, element };
      this._drawn.set(shape.id, drawn);
    }
    drawn.element.setAttribute("aria-selected", String(selected));
    return drawn.element;
  }

  /** @param {ListedShape | undefined} shape */
  _showFrame(shape) {
    if (shape === undefined) {
      this._frame.replaceChildren();
      return;
    }
    const { x, y, width, height } = shape;
    const outline =
      shape.kind === "line" ? [] : [make("rect", { x, y, width, height, class: "outline" })];
    const handles = handlesOf(shape).map(({ handle, x: cx, y: cy }) =>
      make("circle", { cx, cy, r: 14, class: "handle", "data-handle": handle }),
    );
    this._frame.replaceChildren(...outline, ...handles);
  }
}

/**
 * @param {ListedShape} shape
 * @param {string | null} href
 */
function group(shape, href) {
  const element = make("g", {
    class: "shape",
    "data-id": shape.id,
    "data-kind": shape.kind,
    "data-colour": shape.colour,
  });
  const { x, y, width, height } = shape;
  // Something to take hold of, where the shape itself is thin or hollow.
  const hold =
    shape.kind === "line"
      ? make("line", { class: "hold", x1: x, y1: y, x2: x + width, y2: y + height })
      : make("rect", { class: "hold", x, y, width, height });
  element.append(
    hold,
    ...marksOf(shape, href).map(({ name, attributes, words }) => make(name, attributes, words)),
  );
  return element;
}
