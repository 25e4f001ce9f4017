// @ts-check
/** Finds the page's own elements, and says so at once where one is missing. */

/**
 * @template {HTMLElement} T
 * @param {string} id
 * @param {new () => T} kind
 * @returns {T}
 */
export function element(id, kind) {
  const found = document.getElementById(id);
  if (!(found instanceof kind)) throw new Error(`the page has no ${kind.name} #${id}`);
  return found;
}

/** @param {string} id */
export const button = (id) => element(id, HTMLButtonElement);
/** @param {string} id */
export const input = (id) => element(id, HTMLInputElement);
/** @param {string} id */
export const dialog = (id) => element(id, HTMLDialogElement);
