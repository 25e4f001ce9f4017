// @ts-check
/** The words of the questions that agent mode asks the owner. Contract: bus, agent mode, consent. */

import { seen } from "../well_formed.js";

/** @import { Prompt } from "../consent/consent_queue.js" */
/** @import { AgentApp } from "./agent_mode.js" */

const MAX_NAME_CHARS = 60;
const MAX_TEXT_CHARS = 200;

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
    title: `Let ${shownName(app)} act as an agent?`,
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
    title: `Start ${shownName(app)} as an agent now?`,
    facts: [
      ...factsOf(app, entrypoint),
      {
        label: "Why you are asked",
        value: "The app took the focus just before, so your click may have been meant for another.",
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
    { label: "App", value: `${shownName(app)} (${app.id})` },
    { label: "Version", value: seen(app.version, MAX_TEXT_CHARS) },
    { label: "Entrypoint", value: entrypoint },
  ];
}

/** @param {AgentApp} app */
function shownName({ name }) {
  return seen(name, MAX_NAME_CHARS);
}
