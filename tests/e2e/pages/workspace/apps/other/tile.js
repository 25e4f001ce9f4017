// @ts-check
/** An app that is not the notes, and asks them all the same. It can also be waited for, without end. */

import { callTool, exposeTool } from "../../../../app/index.js";

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

const waits = /** @type {HTMLElement} */ (document.getElementById("waits"));
exposeTool("other_wait", { description: "Waits until it is cancelled." }, (_given, { signal }) => {
  waits.textContent = "waiting";
  return new Promise((_resolve, reject) => {
    signal.addEventListener("abort", () => {
      waits.textContent = "aborted";
      reject(signal.reason);
    });
  });
});
