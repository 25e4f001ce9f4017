// @ts-check
/**
 * Tells the app's own console what went wrong in the app's own code: nobody else is told the details.
 *
 * @param {unknown} error
 */
export function reportFailure(error) {
  globalThis.console?.error(error);
}
