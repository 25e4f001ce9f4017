// @ts-check
/** Takes over the word processor's own page, apart from what attaches it to a terminal: so that there is one. */

const PAGE = new URL("../../../index.html", import.meta.url);

/**
 * @param {Document} document
 * @returns {Promise<void>} Rejects where the page cannot be had.
 */
export async function adoptPage(document) {
  const answer = await fetch(PAGE);
  if (!answer.ok) throw new Error("the word processor's page is missing");
  // Nothing of it runs and nothing is loaded until it is in this document, and of scripts it takes none.
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  for (const part of [...page.body.children]) {
    if (part.localName === "aside" || part.localName === "script") continue;
    document.body.append(document.adoptNode(part));
  }
}
