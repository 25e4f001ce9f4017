// @ts-check
/**
 * Gives the keyboard to an element of the trusted page. A frame gets it by its window: once a page has
 * given it to a frame's element, Chromium goes on naming that frame as the one that has it, whichever
 * frame the person clicks in then. Contract: bus, private actions.
 *
 * @param {HTMLElement} element
 */
export function giveKeyboard(element) {
  if (element.localName === "iframe") {
    /** @type {HTMLIFrameElement} */ (element).contentWindow?.focus();
  } else element.focus({ preventScroll: true });
}
