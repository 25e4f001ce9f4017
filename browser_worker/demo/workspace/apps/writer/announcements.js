// @ts-check
/**
 * Tells the workspace of each change of the document. Revisions rise over reloads of the tile too, as
 * they begin at the clock.
 */

/** @import { AppRuntime } from "../../../../app/app_runtime.js" */
/** @import { TextDocument } from "../../../document/text_document.js" */

/** `state` is the topic by which a terminal's writes are checked. */
export const TOPICS = Object.freeze(["document", "state"]);

/**
 * @param {Pick<AppRuntime, "publishAppStateChange">} bus
 * @param {TextDocument} text
 * @param {() => number} wallNow Unix milliseconds.
 */
export function announceChanges(bus, text, wallNow) {
  let revision = 0;
  const announce = () => {
    revision = Math.max(wallNow(), revision + 1);
    for (const topic of TOPICS) {
      bus.publishAppStateChange(topic, revision).catch((error) => {
        // Who follows looks again by itself; without a workspace there is nobody.
        if (error.code !== "ENDPOINT_GONE") console.error(error);
      });
    }
  };
  text.onChange(announce);
  announce();
}
