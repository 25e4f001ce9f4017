// @ts-check
/**
 * A page with an attach panel, and actions that wait, fail and count. The element is given what it
 * needs before it is defined, as an app may that loads it late.
 */

import { ActionSpec } from "../dispatcher/action_spec.js";
import { AppError } from "../dispatcher/app_error.js";
import { Dispatcher } from "../dispatcher/dispatcher.js";
import { browserRuntime } from "../link/browser_runtime.js";

/** @import { AttachPanel } from "../link/panel/attach_panel.js" */

const query = new URLSearchParams(location.search);
const counter = { revision: 1, runs: 0 };
/** @type {(() => void)[]} */
const waiting = [];
/** @type {string[]} */
const violations = [];
document.addEventListener("securitypolicyviolation", (event) => {
  violations.push(`${event.violatedDirective} ${event.blockedURI}`);
});

const actions = [
  ActionSpec.write("test.count", "Counts"),
  ActionSpec.read("test.look", "Looks"),
  ActionSpec.read("test.wait", "Waits until the page is told to go on"),
  ActionSpec.read("test.fail", "Fails"),
  ActionSpec.read(`test.${"long-name-".repeat(12)}x`, "Has a name of 126 characters"),
];

const dispatcher = new Dispatcher(
  {
    actions: () => actions,
    revision: () => counter.revision,
    capabilities: () => 0,
    concurrent: true,
    inspect: () => ({ runs: counter.runs }),
    execute(action) {
      if (action === "test.wait") return new Promise((done) => void waiting.push(() => done({})));
      if (action === "test.fail") {
        const reason = "There is nothing to do.";
        throw new AppError("UNAVAILABLE", reason, { availability: { code: "NOTHING", reason } });
      }
      if (action === "test.count") {
        counter.runs += 1;
        counter.revision += 1;
      }
      return { runs: counter.runs };
    },
  },
  { app: { name: "Panel page", version: "1" }, runtime: browserRuntime },
);

const panel = /** @type {AttachPanel} */ (document.querySelector("bascule-panel"));
if (query.has("remember")) panel.remember = true;
if (query.has("app")) panel.app = query.get("app") ?? "";
if (!query.has("bare")) panel.dispatcher = dispatcher;
if (query.has("second")) {
  const second = /** @type {AttachPanel} */ (document.createElement("bascule-panel"));
  second.dispatcher = dispatcher;
  second.app = "Second";
  document.querySelector("main")?.append(second);
}

/** The listeners that the page's window has now. */
let listeners = 0;
for (const [name, step] of /** @type {const} */ ([
  ["addEventListener", 1],
  ["removeEventListener", -1],
])) {
  const original = /** @type {(...args: unknown[]) => void} */ (window[name]);
  /** @param {unknown[]} args */
  const counted = (...args) => {
    listeners += step;
    original.apply(window, args);
  };
  Object.assign(window, { [name]: counted });
}

await import("../link/panel/attach_panel.js");

Object.assign(window, {
  test: {
    panel,
    dispatcher,
    counter,
    violations,
    listeners: () => listeners,
    goOn: () => waiting.splice(0).forEach((done) => done()),
  },
});
document.documentElement.dataset["ready"] = "yes";
