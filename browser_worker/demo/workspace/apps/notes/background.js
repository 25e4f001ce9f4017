// @ts-check
/** Owns the notes as long as the workspace is open: a frame of an app has no storage. */

import { exposeTool, publishAppStateChange } from "../../../../app/index.js";
import { NoteStore } from "./note_store.js";
import { exposeNotes } from "./note_tools.js";
import { WELCOME_NOTES } from "./welcome_notes.js";

const store = new NoteStore(() => Date.now());
store.add(WELCOME_NOTES);
exposeNotes({ exposeTool, publishAppStateChange }, store, () => {
  return new Promise((resolve) => setTimeout(resolve, 0));
});
