// @ts-check
/** Runs actions for the page's own controls: through the same dispatcher as a terminal's. */

import { AppError } from "../../dispatcher/app_error.js";

/** @import { Dispatcher } from "../../dispatcher/dispatcher.js" */

/** @typedef {(action: string, input?: unknown) => any} Run Gives the output, or undefined where it failed. */

/**
 * @param {Dispatcher} dispatcher
 * @param {(message: string) => void} tell Told why an action was refused, in words for a person.
 * @returns {Run}
 */
export function localActions(dispatcher, tell) {
  return (action, input) => {
    try {
      return dispatcher.executeLocal(action, input);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      tell(error.message);
      return undefined;
    }
  };
}
