// @ts-check
/** An element that holds words and nothing else: what apps say is never markup. */

/**
 * @param {string} kind
 * @param {string} words
 * @param {string} [className]
 */
export function textElement(kind, words, className = "") {
  const element = document.createElement(kind);
  element.textContent = words;
  if (className !== "") element.className = className;
  return element;
}
