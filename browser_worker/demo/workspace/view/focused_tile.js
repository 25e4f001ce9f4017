// @ts-check
/**
 * Where in the page the person is. A frame swallows all keys and clicks, and going from one frame to
 * another tells the page that holds them nothing: so while a frame has the focus, it is looked at.
 */

import { activeElement } from "../../../kernel/frames/active_element.js";

const LOOK_MS = 250;

/**
 * @param {(element: Element | null) => void} onElement Told when another element has the focus.
 * @returns {() => void} Ends the watching.
 */
export function watchFocus(onElement) {
  /** @type {Element | null} */
  let last = null;
  let timer = 0;
  const look = () => {
    const active = document.activeElement;
    if (active !== last) {
      last = active;
      onElement(active);
    }
    const inFrame = activeElement(document)?.localName === "iframe" && document.hasFocus();
    if (inFrame && timer === 0) timer = window.setInterval(look, LOOK_MS);
    else if (!inFrame && timer !== 0) {
      clearInterval(timer);
      timer = 0;
    }
  };
  // At a blur the frame does not yet have the focus.
  const later = () => setTimeout(look, 0);
  document.addEventListener("focusin", later);
  window.addEventListener("blur", later);
  window.addEventListener("focus", later);
  return () => {
    clearInterval(timer);
    document.removeEventListener("focusin", later);
    window.removeEventListener("blur", later);
    window.removeEventListener("focus", later);
  };
}
