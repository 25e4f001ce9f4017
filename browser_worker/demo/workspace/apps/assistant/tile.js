// @ts-check
/** The assistant on the screen: a task, what was done of it, and whether the owner lets it act. */

import { agentMode, callTool } from "../../../../app/index.js";
import { button, element, input } from "../../../page/elements.js";
import { TaskLog } from "./task_log.js";

/** @import { TaskProgress } from "./run_task.js" */

const ENTRYPOINT = "agent_run";
const TARGET = "app:assistant:background";
/** As long as a call may take: the owner's answers to what it asks meanwhile are in it. */
const TURN_SECONDS = 600;
const EXAMPLES = [
  "find roadmap in my notes and draw it on the board",
  "add a note called Ideas for the picnic",
  "draw Hello on the board",
  "which tools are there",
];

const task = input("task");
const run = button("run");
const stop = button("stop");
const enable = button("enable");
const disable = button("disable");
const mode = element("mode", HTMLElement);
const examples = element("examples", HTMLElement);
const list = element("log", HTMLElement);
const log = new TaskLog(list);

/** Of the turn that runs. @type {AbortController | null} */
let turn = null;

/** What the person can do about it, where the workspace's own words are for programs. @type {Readonly<Record<string, string>>} */
const ADVICE = {
  OWNER_REQUIRED:
    "The assistant may not act yet: choose Enable above, then run the task from here.",
  AGENT_MODE_REVOKED: "The assistant may not act any more. What it had begun may have been done.",
};

/** @param {unknown} error */
function messageOf(error) {
  const { code, message, retryAfterMs } =
    /** @type {{ code?: string, message?: string, retryAfterMs?: number }} */ (error ?? {});
  const seconds = retryAfterMs === undefined ? null : Math.ceil(retryAfterMs / 1000);
  const again = seconds === null ? "" : ` Try again in ${seconds} s.`;
  return `${ADVICE[code ?? ""] ?? message ?? "Something failed."}${again}`;
}

/** @param {{ enabled: boolean }} status */
function showMode({ enabled }) {
  mode.textContent = enabled
    ? "The assistant may act as an agent: it asks you before it uses another app."
    : "The assistant may not act as an agent yet.";
  enable.hidden = enabled;
  disable.hidden = !enabled;
}

/** @param {Promise<{ enabled: boolean }>} asked */
function follow(asked) {
  asked.then(showMode, (error) => {
    mode.textContent = error instanceof Error ? error.message : "The workspace did not answer.";
    enable.hidden = false;
  });
}

function drawTurn() {
  run.hidden = turn !== null;
  stop.hidden = turn === null;
}

function begin() {
  const words = task.value.trim();
  if (words === "" || turn !== null) return;
  const controller = new AbortController();
  turn = controller;
  // Before anything else is waited for: it has to come from the click itself.
  const ended = callTool(
    { target: TARGET, name: ENTRYPOINT, arguments: { task: words } },
    { timeout: TURN_SECONDS, signal: controller.signal, onProgress: showProgress },
  );
  const onRun = document.activeElement === run;
  examples.hidden = true;
  list.hidden = false;
  task.value = "";
  log.asked(words);
  drawTurn();
  if (onRun) stop.focus();
  // What was done has been told already, step by step.
  const shown = ended.catch((error) => {
    log.failed(controller.signal.aborted ? "Stopped." : messageOf(error));
  });
  void shown.then(() => {
    turn = null;
    const onStop = document.activeElement === stop;
    drawTurn();
    if (onStop) task.focus();
    follow(agentMode.status());
  });
}

/** @param {TaskProgress} progress */
function showProgress({ text, done }) {
  if (done) log.done(text);
  else log.working(text);
}

for (const example of EXAMPLES) {
  const item = document.createElement("li");
  const choose = document.createElement("button");
  choose.type = "button";
  choose.textContent = example;
  choose.addEventListener("click", () => {
    task.value = example;
    task.focus();
  });
  item.append(choose);
  element("example-list", HTMLElement).append(item);
}

run.addEventListener("click", begin);
// No form: a frame without an origin may not submit one.
task.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && !event.isComposing) begin();
});
stop.addEventListener("click", () => turn?.abort());
enable.addEventListener("click", () => follow(agentMode.request({ entrypoint: ENTRYPOINT })));
disable.addEventListener("click", () => follow(agentMode.disable()));
// The owner can take it back in the workspace itself.
window.addEventListener("focus", () => follow(agentMode.status()));
follow(agentMode.status());
