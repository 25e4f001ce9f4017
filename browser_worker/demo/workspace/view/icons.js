// @ts-check
/** Outlines as elements. An app's own is path data that its manifest was checked for. */

const SVG = "http://www.w3.org/2000/svg";

/** The shell's own, in a box of 20 by 20. */
export const ICONS = Object.freeze({
  earlier: "M12.5 4.5 7 10l5.5 5.5",
  later: "m7.5 4.5 5.5 5.5-5.5 5.5",
  wide: "M2.5 10h15M5.5 7l-3 3 3 3M14.5 7l3 3-3 3",
  aside: "M4.5 15h11",
  close: "m5 5 10 10M15 5 5 15",
});

/**
 * @param {string} path
 * @returns {SVGSVGElement} Hidden from who cannot see it: its words are beside it.
 */
export function icon(path) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 20 20");
  svg.setAttribute("aria-hidden", "true");
  const outline = document.createElementNS(SVG, "path");
  outline.setAttribute("d", path);
  svg.append(outline);
  return svg;
}
