// @ts-check
/** The word processor as a tile of a workspace: kept by its background, its actions tools of the bus. */

import * as bus from "../../../../app/index.js";
import { openWordProcessor } from "../../../page/word_processor.js";
import { announceChanges } from "./announcements.js";
import { exposeDocument } from "./document_tools.js";
import { openKeptStorage } from "./kept_storage.js";
import { workspaceWelcome } from "./welcome_document.js";

/** @import { StringStorage } from "../../../document/saved_document.js" */

const storage = await keptStorage();
const { text, dispatcher, pause } = openWordProcessor({
  storage,
  savedWords: "Kept until locked or reloaded",
  newcomer: workspaceWelcome,
});
exposeDocument(bus, dispatcher, pause);
announceChanges(bus, text, () => Date.now());

/** @returns {Promise<() => StringStorage>} */
async function keptStorage() {
  try {
    const opened = await openKeptStorage(bus);
    return () => opened;
  } catch (error) {
    console.error(error);
    // Written it can be all the same; the page says that it is not saved.
    return () => {
      throw error;
    };
  }
}
