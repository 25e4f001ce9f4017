// @ts-check
/** A page whose actions do what tests need: echo, count, wait, answer too much, block. */

import { ActionSpec } from "../dispatcher/action_spec.js";
import { AgentEndpoint } from "../dispatcher/agent_endpoint.js";
import { Dispatcher } from "../dispatcher/dispatcher.js";
import { attach, recallAttachment } from "../link/attach.js";
import { readAttachLink } from "../link/attach_link.js";
import { browserRuntime } from "../link/browser_runtime.js";

const ANY = { type: "object" };
/** Actions have a turn each, for as long as they take; otherwise they run beside each other. */
const inTurns = new URLSearchParams(location.search).has("turns");
const counter = { revision: 1, runs: Number(localStorage.getItem("runs") ?? "0") };
/** @type {(() => void)[]} */
const waiting = [];

const actions = [
  ActionSpec.read("test.echo", "Gives its input back", { inputSchema: ANY, outputSchema: ANY }),
  ActionSpec.write("test.count", "Counts one more run, over reloads too"),
  ActionSpec.write("test.countAndWait", "Counts, then waits until the page is told to go on"),
  ActionSpec.read("test.runs", "Tells how often test.count ran"),
  ActionSpec.read("test.large", "Gives text of a size", { inputSchema: ANY }),
  ActionSpec.read("test.block", "Blocks the main thread for milliseconds", { inputSchema: ANY }),
];

const dispatcher = new Dispatcher(
  {
    actions: () => actions,
    revision: () => counter.revision,
    capabilities: () => 0,
    concurrent: !inTurns,
    execute(action, input) {
      switch (action) {
        case "test.echo":
          return input;
        case "test.count":
        case "test.countAndWait":
          counter.revision++;
          counter.runs++;
          localStorage.setItem("runs", String(counter.runs));
          if (action === "test.count") return { runs: counter.runs };
          return new Promise((resolve) => {
            waiting.push(() => resolve({ runs: counter.runs }));
            show("waiting", String(waiting.length));
          });
        case "test.runs":
          return { runs: counter.runs };
        case "test.large":
          return { parts: Array.from({ length: input.parts }, () => "x".repeat(input.size)) };
        default: {
          const end = performance.now() + input.ms;
          while (performance.now() < end);
          return {};
        }
      }
    },
  },
  {
    app: { name: "Probe", version: "1" },
    // Without a clock no turn is given up for being long.
    ...(inTurns ? {} : { runtime: browserRuntime }),
  },
);
dispatcher.setEnabled(true);

let link = readAttachLink() ?? recallAttachment();
addEventListener("hashchange", () => {
  link = readAttachLink() ?? link;
});
let starts = 0;
let asked = 0;
let endpoint = new AgentEndpoint(dispatcher);
const remember = new URLSearchParams(location.search).has("remember");

/**
 * @param {string} id
 * @param {string} text
 */
function show(id, text) {
  const element = document.getElementById(id);
  if (element) element.textContent = text;
}

/** @param {{ url: string, token: string }} configuration */
function start(configuration) {
  const mine = ++starts;
  endpoint = new AgentEndpoint(dispatcher);
  endpoint.onSession(({ phase }) => {
    if (phase === "begin") asked++;
  });
  return attach({
    ...configuration,
    app: "Probe",
    dispatcher: endpoint,
    remember,
    channel: !new URLSearchParams(location.search).has("polling"),
    onState: ({ state, cause, message, transport, transportNote }) => {
      if (mine !== starts) return;
      const texts = {
        state,
        cause: cause ?? "",
        message,
        transport: transport ?? "",
        transportNote,
      };
      for (const [id, text] of Object.entries(texts)) show(id, text);
    },
  });
}

/** @type {import("../link/attachment.js").Attachment | undefined} */
let attachment;
document.getElementById("attach")?.addEventListener("click", () => {
  void attachment?.detach();
  if (link) attachment = start(link);
});
document.getElementById("detach")?.addEventListener("click", () => attachment?.detach());
if (remember && link && recallAttachment()) attachment = start(link);

Object.assign(window, {
  probe: {
    goOn: () => waiting.splice(0).forEach((done) => done()),
    waiting: () => waiting.length,
    sessions: () => endpoint.sessions,
    asked: () => asked,
    /** @param {{ url: string, token: string }} configuration */
    attach: (configuration) => void (attachment = start(configuration)),
  },
});
document.documentElement.dataset["ready"] = "yes";
