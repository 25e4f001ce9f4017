/* global document */
/** Our page of the benchmarks: one action that gives its input back, attached like any app. */

import { ActionSpec, Dispatcher, attach, readAttachLink } from "../bascule/index.js";

const ANY = { type: "object" };
const host = {
  actions: () => [
    ActionSpec.read("bench.echo", "Gives its input back", { inputSchema: ANY, outputSchema: ANY }),
  ],
  revision: () => 1,
  capabilities: () => 0,
  concurrent: true,
  execute: (_action, input) => input,
};
const dispatcher = new Dispatcher(host, { app: { name: "Bench", version: "1" } });
dispatcher.setEnabled(true);

const link = readAttachLink();
document.getElementById("attach").addEventListener("click", () => {
  const attachment = attach({ ...link, app: "Bench", dispatcher });
  const show = () => {
    document.getElementById("state").textContent = attachment.state;
    document.getElementById("transport").textContent = attachment.transport ?? "";
  };
  attachment.addEventListener("statechange", show);
  show();
});

/** For `page.evaluate`, which calls a function of the page instead of an action. */
globalThis.bench = { echo: (input) => input };
