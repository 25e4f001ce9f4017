// @ts-check
/** Owns the notes. A frame of an app has no storage: what outlives it is in the app's backend. */

import { canister, exposeTool, publishAppStateChange } from "../../../../app/index.js";
import { keepNotes, loadNotes } from "./kept_notes.js";
import { NoteStore } from "./note_store.js";
import { exposeNotes } from "./note_tools.js";
import { WELCOME_NOTES } from "./welcome_notes.js";

const now = () => Date.now();
const { kept, fresh, notes } = await loadNotes(canister);
// Ids of two workspaces that share a backend must not meet: each begins with the time.
const store = new NoteStore(now, kept ? { notes, lastId: now() } : {});
if (fresh) store.add(WELCOME_NOTES);
const keeps = { yes: true };
/** @param {boolean} yes */
function tell(yes) {
  if (keeps.yes === yes) return;
  keeps.yes = yes;
  // Later than whatever was looked at before.
  publishAppStateChange("kept", Math.max(store.revision, now()) + 1).catch(() => {});
}
const failed = (/** @type {unknown} */ error) => {
  console.error("not saved", error);
  tell(false);
};
if (kept) keepNotes(canister, store, notes, failed, () => tell(true));
const pause = () => new Promise((resolve) => setTimeout(resolve, 0));
exposeNotes({ exposeTool, publishAppStateChange }, store, pause, () => keeps.yes);
