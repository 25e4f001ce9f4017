// @ts-check
/** The parts beside the desk that a person shows and hides, each with its button in the bar. */

/**
 * @typedef {object} SidePart
 * @property {HTMLElement} part
 * @property {HTMLButtonElement} button
 * @property {{ setVisible: (visible: boolean) => void }} view
 */

/**
 * @param {SidePart} side
 * @param {boolean} shown
 */
export function showPart({ part, button, view }, shown) {
  part.hidden = !shown;
  button.setAttribute("aria-expanded", String(shown));
  view.setVisible(shown);
  if (shown) part.scrollIntoView({ block: "nearest" });
}
