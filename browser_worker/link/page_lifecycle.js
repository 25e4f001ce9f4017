// @ts-check
/**
 * Notices when the page is left and when the browser brings it back whole from its back/forward
 * cache. A page that is only hidden is still there: see `state_reports.js`.
 */

/**
 * @param {Pick<EventTarget, "addEventListener" | "removeEventListener">} window
 * @param {object} handlers
 * @param {() => void} handlers.onLeave called within the event, for a request with keepalive
 * @param {() => void} handlers.onReturn
 * @returns {() => void} ends it
 */
export function watchLifecycle(window, { onLeave, onReturn }) {
  const shown = (/** @type {Event} */ event) => {
    if ("persisted" in event && event.persisted === true) onReturn();
  };
  window.addEventListener("pagehide", onLeave);
  window.addEventListener("pageshow", shown);
  return () => {
    window.removeEventListener("pagehide", onLeave);
    window.removeEventListener("pageshow", shown);
  };
}
