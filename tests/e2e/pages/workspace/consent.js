// @ts-check
/** The workspace's own dialog over a queue that a test asks by script, or a frame by a message. */

import { consentElements } from "../../demo/workspace/shell/owner_elements.js";
import { ConsentView } from "../../demo/workspace/view/consent_view.js";
import { ConsentQueue } from "../../kernel/consent/consent_queue.js";
import { pagePowers } from "../../kernel/kernel_powers.js";

const workspace = await (await fetch("/demo/workspace/index.html")).text();
const dialog = new DOMParser().parseFromString(workspace, "text/html").getElementById("consent");
document.body.append(/** @type {HTMLElement} */ (dialog));

const powers = pagePowers();
const queue = new ConsentQueue(powers);
const thief = /** @type {HTMLIFrameElement} */ (document.getElementById("thief"));
/** @type {string[]} */
const answers = [];
/** @type {string[]} */
const typed = [];
/** Whose turns were stopped; their questions go on, as a test ends no turn. @type {string[]} */
const stopped = [];
const thefts = { count: 0 };
/** The frames that took the keyboard from the dialog, as often as that was counted. @type {string[]} */
const caught = [];

/** @param {Partial<import("../../kernel/consent/consent_queue.js").Prompt>} [prompt] */
function ask(prompt = {}) {
  const asked = {
    subject: `app:app${answers.length}`,
    title: "Let Other call notes_search of Notes?",
    facts: [{ label: "From", value: "Other (tile)" }],
    choices: [
      { id: "once", label: "Only this call" },
      { id: "session", label: "This tool, until the workspace is locked or reloaded" },
    ],
    ...prompt,
  };
  void queue.ask(asked).then((answer) => {
    answers.push(answer.allowed ? `${answer.choice}:${answer.value ?? ""}` : answer.reason);
  });
}

addEventListener("message", ({ source, data }) => {
  if (source !== thief.contentWindow) return;
  if (data.ask) ask();
  if (data.typed) typed.push(data.typed);
  if (data.stole) thefts.count += 1;
});

new ConsentView(consentElements(), queue, powers, {
  frames: {
    appOf: (frame) => {
      caught.push(frame.id);
      return /** @type {HTMLElement} */ (frame).dataset["app"] ?? null;
    },
    stop: (frame) => frame.remove(),
  },
  turnOf: (subject) =>
    subject.startsWith("agent:") ? { name: subject, stop: () => void stopped.push(subject) } : null,
});
Object.assign(globalThis, { queue, ask, answers, typed, thefts, caught, stopped });
