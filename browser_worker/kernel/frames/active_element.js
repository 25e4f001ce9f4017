// @ts-check
/**
 * What has the keyboard in a page, a frame in its own place too: of what is in a shadow root the page names only
 * the root's host.
 *
 * @param {Pick<Document, "activeElement">} document
 * @returns {Element | null}
 */
export function activeElement(document) {
  let active = document.activeElement;
  for (;;) {
    const within = active?.shadowRoot?.activeElement ?? null;
    if (within === null) return active;
    active = within;
  }
}
