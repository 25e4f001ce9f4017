// @ts-check
/**
 * Notices when the page is hidden, shown, frozen or resumed. The worker freezes with the page, so
 * only the page's own handler can tell the bridge in time. Contract: liveness.
 */

/** @import { PageState } from "./bridge_api.js" */

/** @typedef {Pick<EventTarget, "addEventListener" | "removeEventListener"> & { readonly visibilityState: string }} DocumentLike */

/**
 * @param {DocumentLike} document
 * @returns {PageState}
 */
export function visibilityOf(document) {
  return document.visibilityState === "hidden" ? "hidden" : "visible";
}

/**
 * @param {DocumentLike} document
 * @param {(state: PageState) => void} onState called within the event, for a request with keepalive
 * @returns {() => void} ends it
 */
export function watchPageState(document, onState) {
  const frozen = () => onState("frozen");
  const shown = () => onState(visibilityOf(document));
  document.addEventListener("freeze", frozen);
  document.addEventListener("resume", shown);
  document.addEventListener("visibilitychange", shown);
  return () => {
    document.removeEventListener("freeze", frozen);
    document.removeEventListener("resume", shown);
    document.removeEventListener("visibilitychange", shown);
  };
}
