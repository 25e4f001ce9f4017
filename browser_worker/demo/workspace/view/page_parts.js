// @ts-check
/** F6 and Shift+F6 go around the parts of the page, as they do in a browser's own window. */

/** @param {readonly HTMLElement[]} parts In their order; one that is hidden is left out. */
export function bindPartKeys(parts) {
  document.addEventListener("keydown", (event) => {
    if (event.key !== "F6" || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    const shown = parts.filter((part) => part.checkVisibility());
    const at = shown.findIndex((part) => part.contains(document.activeElement));
    const step = event.shiftKey ? -1 : 1;
    for (let turn = 1; turn <= shown.length; turn += 1) {
      const start = at < 0 && step < 0 ? 0 : at;
      const part = shown[(start + step * turn + shown.length * turn) % shown.length];
      if (part !== undefined && enter(part)) return;
    }
  });
}

/** @param {HTMLElement} part */
function enter(part) {
  for (const element of part.querySelectorAll("button, iframe, bascule-panel, [tabindex='0']")) {
    // An element of one's own takes no focus itself: what can is in it.
    const within = element.shadowRoot?.querySelector("summary, button") ?? element;
    if (!(within instanceof HTMLElement)) continue;
    within.focus();
    if (document.activeElement === element) return true;
  }
  return false;
}
