// @ts-check
/** The notes on the screen: a list that can be searched, and an editor that saves by itself. */

import { callTool, followAppState } from "../../../../app/index.js";
import { button, element, input } from "../../../page/elements.js";
import { NoteList } from "./note_list.js";
import { NotesClient } from "./notes_client.js";
import { OpenNote } from "./open_note.js";

/** @import { Match } from "./note_store.js" */

const SAVE_MS = 400;

const notes = new NotesClient(callTool, (ms) => new Promise((done) => setTimeout(done, ms)));
const editor = element("editor", HTMLElement);
const none = element("none", HTMLElement);
const query = input("query");
const count = element("count", HTMLElement);
const title = input("title");
const text = element("text", HTMLTextAreaElement);
const saved = element("saved", HTMLElement);
const conflict = element("conflict", HTMLElement);
const list = new NoteList(element("notes", HTMLElement), (id) => void open(id, false));

/** @type {OpenNote | null} */
let current = null;
/** Whether what is saved outlives the workspace. */
let keeps = true;
let saveTimer = 0;
/** Counts searches and openings: an answer to an earlier one is not wanted any more. */
let searches = 0;
let openings = 0;

/** @type {Readonly<Record<OpenNote["state"], string>>} */
const WORDS = {
  saved: "Saved",
  editing: "Not saved yet",
  saving: "Saving",
  conflict: "Changed elsewhere",
  deleted: "This note was deleted",
  failed: "Could not be saved",
};

/** Said instead of "Saved": it would be taken for what is there tomorrow. */
const NOT_KEPT =
  "Not kept: this browser has no room. It is lost when the workspace is locked or closed.";

function draw() {
  editor.hidden = current === null;
  none.hidden = current !== null;
  document.body.classList.toggle("editing", current !== null);
  list.mark(current?.id ?? null);
  if (current === null) return;
  const { draft, state } = current;
  // Only what differs is written: the caret stays where it is.
  if (title.value !== draft.title) title.value = draft.title;
  if (text.value !== draft.text) text.value = draft.text;
  title.readOnly = text.readOnly = state === "deleted";
  const words = state === "saved" && !keeps ? NOT_KEPT : WORDS[state];
  if (saved.textContent !== words) saved.textContent = words;
  conflict.hidden = state !== "conflict";
}

/** @param {{ matches: readonly Match[], total: number, notKept?: true }} found */
function drawList({ matches, total, notKept = undefined }) {
  keeps = notKept === undefined;
  draw();
  list.show(matches, current?.id ?? null);
  const more = total > matches.length ? `the first ${matches.length} of ` : "";
  const words = total === 1 ? "1 note" : `${more}${total} notes`;
  count.textContent = query.value.trim() === "" ? words : `${words} found`;
}

async function look() {
  const mine = ++searches;
  const found = await notes.search(query.value);
  // What was typed since is looked for by a search of its own.
  return { ...found, stale: mine !== searches };
}

/** @param {unknown} error */
function fail(error) {
  count.textContent = error instanceof Error ? error.message : "The notes cannot be reached.";
}

/**
 * @param {string} id
 * @param {boolean} fresh
 */
async function open(id, fresh) {
  const mine = ++openings;
  saveNow();
  try {
    const note = await notes.read(id);
    if (mine !== openings) return;
    current = new OpenNote(note, notes, draw);
    draw();
    (fresh ? title : text).focus();
  } catch (error) {
    fail(error);
  }
}

function close() {
  saveNow();
  const id = current?.id ?? null;
  openings += 1;
  current = null;
  draw();
  list.focus(id);
}

function saveNow() {
  clearTimeout(saveTimer);
  void current?.save();
}

function edited() {
  current?.edit({ title: title.value, text: text.value });
  clearTimeout(saveTimer);
  saveTimer = window.setTimeout(saveNow, SAVE_MS);
}

for (const topic of ["notes", "kept"]) {
  followAppState(topic, {
    fetch: look,
    apply: (found) => {
      if (!found.stale) drawList(found);
      void current?.refresh();
    },
    onError: fail,
  });
}

query.addEventListener("input", () => {
  look().then((found) => found.stale || drawList(found), fail);
});
query.addEventListener("keydown", (event) => {
  if (event.key === "ArrowDown") {
    event.preventDefault();
    list.focus(null);
  }
});
button("new").addEventListener("click", () => {
  notes.add({ title: "", text: "" }).then(({ id }) => open(id, true), fail);
});
button("back").addEventListener("click", close);
button("delete").addEventListener("click", () => {
  if (current === null) return;
  clearTimeout(saveTimer);
  const { id, state } = current;
  if (state === "deleted") close();
  else {
    current = null;
    notes.delete(id).then(() => {
      draw();
      list.focus(null);
    }, fail);
  }
});
button("mine").addEventListener("click", () => void current?.keepMine());
button("theirs").addEventListener("click", () => void current?.takeTheirs());
title.addEventListener("input", edited);
text.addEventListener("input", edited);
// A tile may be closed at any time, and is not asked.
window.addEventListener("blur", saveNow);
editor.addEventListener("focusout", saveNow);
