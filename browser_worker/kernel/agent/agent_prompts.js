// @ts-check
/** The words of the questions that agent mode asks the owner. Contract: bus, agent mode, consent. */

import { appFact } from "../grants/call_prompt.js";

/** @import { Prompt } from "../consent/consent_queue.js" */
/** @import { AgentApp } from "./agent_mode.js" */

/**
 * What the grants and the questions of an agent are kept by.
 *
 * @param {string} app
 * @param {string} entrypoint
 */
export function agentSubject(app, entrypoint) {
  return `agent:${app}:${entrypoint}`;
}

/**
 * @param {AgentApp} app
 * @param {string} entrypoint
 * @returns {Prompt}
 */
export function enablePrompt(app, entrypoint) {
  return {
    subject: `app:${app.id}`,
    title: `Let the app ${app.id} act as an agent?`,
    facts: [
      ...factsOf(app, entrypoint),
      {
        label: "What it means",
        value:
          "A click in the app starts a turn. In a turn the app decides by itself what to do next, and " +
          "may ask you to let it use other apps. You can stop a turn at any time; what it has done " +
          "by then stays done.",
      },
    ],
    choices: [
      {
        id: "session",
        label: "This version only, until the workspace is locked or reloaded",
      },
    ],
    confirm: "Enable",
  };
}

/**
 * @param {AgentApp} app
 * @param {string} entrypoint
 * @returns {Prompt}
 */
export function startPrompt(app, entrypoint) {
  return {
    subject: agentSubject(app.id, entrypoint),
    title: `Start the app ${app.id} as an agent now?`,
    facts: [
      ...factsOf(app, entrypoint),
      {
        label: "Why you are asked",
        value: "The page cannot tell whether your last click was meant for this app.",
      },
    ],
    choices: [{ id: "once", label: "This turn" }],
    confirm: "Start",
  };
}

/**
 * @param {AgentApp} app
 * @param {string} entrypoint
 */
function factsOf(app, entrypoint) {
  return [
    // By its id first, which is the kernel's: what it calls itself may be another's name, or a question.
    appFact("App", app.id, [app]),
    { label: "Entrypoint", value: entrypoint },
  ];
}
