// @ts-check
/** What a page tells of the keyboard, the pointer and fresh clicks: all that an attention watch needs. */

import { activeElement } from "../frames/active_element.js";

/** @import { AttentionView } from "./activation_watch.js" */

/** What may have moved the focus, or the pointer. */
const MOVES = ["focusin", "focusout", "focus", "blur", "pointerover", "pointerout"];
/** Each that may begin an activation, in the order in which browsers tell of them. */
const PRESSES = ["pointerdown", "mousedown", "pointerup", "touchend", "click", "keydown", "keyup"];

/**
 * @param {Window} view The trusted page's own window.
 * @returns {AttentionView}
 */
export function pageAttention(view) {
  const { document } = view;
  return {
    activeFrame: () => {
      const active = activeElement(document);
      return active?.localName === "iframe" && document.hasFocus() ? active : null;
    },
    pointedFrame: () => pointedFrame(document),
    isActive: () => view.navigator.userActivation.isActive,
    listen: (listener) => {
      const moved = () => listener(false);
      // What a script dispatches is nobody's press.
      const pressed = (/** @type {Event} */ { isTrusted }) => listener(isTrusted);
      for (const type of MOVES) view.addEventListener(type, moved, true);
      for (const type of PRESSES) view.addEventListener(type, pressed, true);
      return () => {
        for (const type of MOVES) view.removeEventListener(type, moved, true);
        for (const type of PRESSES) view.removeEventListener(type, pressed, true);
      };
    },
  };
}

/**
 * @param {Document | ShadowRoot} root
 * @returns {Element | null}
 */
function pointedFrame(root) {
  const frame = root.querySelector("iframe:hover");
  if (frame !== null) return frame;
  for (const { shadowRoot } of root.querySelectorAll(":hover")) {
    const within = shadowRoot === null ? null : pointedFrame(shadowRoot);
    if (within !== null) return within;
  }
  return null;
}
