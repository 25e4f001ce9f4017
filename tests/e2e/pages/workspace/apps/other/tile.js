// @ts-check
/** An app that is not the notes, and asks them all the same. */

import { callTool } from "../../../../app/index.js";

const told = /** @type {HTMLElement} */ (document.getElementById("told"));

const ask = /** @type {HTMLButtonElement} */ (document.getElementById("ask"));
// Nobody presses it before it is heard.
ask.disabled = false;
ask.addEventListener("click", async () => {
  try {
    await callTool({
      target: "app:notes:background",
      name: "notes_search",
      arguments: { query: "" },
    });
    told.textContent = "answered";
  } catch (error) {
    told.textContent = /** @type {any} */ (error).code;
  }
});
