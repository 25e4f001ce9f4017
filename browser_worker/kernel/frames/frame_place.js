// @ts-check
/**
 * A place for an app's frame where no other app's frame finds it. Whatever is in the page itself stands in
 * `parent.frames`, and in Chromium one frame can give the keyboard to another from there: then the other looks
 * as if it had taken it. What is in a shadow root does not stand there. Contract: bus, frames.
 */

const FILLED =
  ":host { display: grid } iframe { display: block; width: 100%; height: 100%; border: 0 } iframe:focus-visible { outline: 2px solid var(--accent, Highlight); outline-offset: -2px }";

/**
 * @param {HTMLElement} element Filled by what is put into the place. It has no other content.
 * @returns {ShadowRoot}
 */
export function framePlace(element) {
  const root = element.attachShadow({ mode: "open" });
  const view = /** @type {Window & typeof globalThis} */ (element.ownerDocument.defaultView);
  const style = new view.CSSStyleSheet();
  style.replaceSync(FILLED);
  root.adoptedStyleSheets = [style];
  return root;
}

/**
 * Whether a frame in such a place lives on when the place is moved within its parent, as other frames do. In Firefox
 * it does not; there no frame gives the keyboard to another either.
 *
 * @param {HTMLElement} parent In the page. Something is put into it for a moment.
 */
export function placeOutlivesMove(parent) {
  const { ownerDocument: document } = parent;
  const [first, moved] = [document.createElement("div"), document.createElement("div")];
  const frame = document.createElement("iframe");
  moved.attachShadow({ mode: "open" }).append(frame);
  parent.append(first, moved);
  const before = frame.contentWindow;
  /** @type {any} */ (parent).moveBefore(moved, first);
  const lives = frame.contentWindow === before;
  first.remove();
  moved.remove();
  return lives;
}
