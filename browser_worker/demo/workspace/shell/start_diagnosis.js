// @ts-check
/**
 * Why a page of an app did not take its place on the bus, as far as that can be seen from outside its
 * frame: whether the page and its scripts are there.
 */

const CONSOLE = "the browser’s console says more";
const MAX_SCRIPTS = 8;

/**
 * @param {string} url The page's address, of the workspace's own origin.
 * @param {(url: string) => Promise<Pick<Response, "ok" | "status" | "text">>} fetch
 * @param {(page: string) => readonly string[]} scriptsOf The `src` of each script of a page.
 * @returns {Promise<string>} In words, without a full stop. Never rejects.
 */
export async function whyNotStarted(url, fetch, scriptsOf) {
  let page;
  try {
    const answer = await fetch(url);
    if (!answer.ok) return `its page ${nameOf(url)} ${unfound(answer.status)}; ${CONSOLE}`;
    page = await answer.text();
  } catch {
    return `its page ${nameOf(url)} could not be loaded; ${CONSOLE}`;
  }
  const { origin } = new URL(url);
  for (const source of scriptsOf(page).slice(0, MAX_SCRIPTS)) {
    const script = URL.canParse(source, url) ? new URL(source, url) : null;
    // Who serves scripts from elsewhere is not asked.
    if (script === null || script.origin !== origin) continue;
    const answer = await fetch(script.href).catch(() => null);
    if (answer === null || !answer.ok) {
      const why = answer === null ? "could not be loaded" : unfound(answer.status);
      return `its script ${nameOf(script.href)} ${why}; ${CONSOLE}`;
    }
  }
  return `its page never asked for its port, so a script of it may have failed, or never ends; ${CONSOLE}`;
}

/** @param {number} status */
function unfound(status) {
  return status === 404 ? "was not found" : `was answered with ${status}`;
}

/** @param {string} url */
function nameOf(url) {
  return new URL(url).pathname.split("/").at(-1) || "/";
}
