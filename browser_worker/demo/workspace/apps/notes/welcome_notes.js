// @ts-check
/** What is there at first. */

/** @import { Draft } from "./note_store.js" */

/** @type {readonly Draft[]} */
export const WELCOME_NOTES = Object.freeze([
  {
    title: "Roadmap",
    text: "Four apps in one workspace.\nEach in a frame of its own.\nEach with tools that the others may be allowed to call.",
  },
  {
    title: "Welcome",
    text: "These notes are held by the app's background. Its backend keeps them in this browser, where the workspace has one for it.\n\nA terminal can find them with notes_search, and add some with notes_add.",
  },
]);
