// @ts-check
/** The notes at a glance: how many there are, the last of them, and a line for a new one. */

import { callTool, followAppState } from "../../../../app/index.js";
import { button, element, input } from "../../../page/elements.js";
import { NotesClient } from "./notes_client.js";

const RECENT = 5;

const notes = new NotesClient(callTool, (ms) => new Promise((done) => setTimeout(done, ms)));
const count = element("count", HTMLElement);
const recent = element("recent", HTMLElement);
const title = input("new");

/** @param {unknown} error */
function fail(error) {
  count.textContent = error instanceof Error ? error.message : "The notes cannot be reached.";
}

followAppState("notes", {
  fetch: () => notes.search("", RECENT),
  apply: ({ matches, total }) => {
    const words = total === 1 ? "1 note" : `${total} notes`;
    if (count.textContent !== words) count.textContent = words;
    recent.replaceChildren(
      ...matches.map((match) => {
        const item = document.createElement("li");
        item.textContent = match.title === "" ? "Untitled" : match.title;
        return item;
      }),
    );
  },
  onError: fail,
});

// No form: a frame without an origin may not submit one.
button("add").addEventListener("click", add);
title.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && !event.isComposing) add();
});

function add() {
  const words = title.value.trim();
  if (words === "") return;
  notes.add({ title: words, text: "" }).then(() => {
    title.value = "";
  }, fail);
}
