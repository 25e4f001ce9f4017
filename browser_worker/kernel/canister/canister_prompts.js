// @ts-check
/** The words in which the owner is asked about calls of a backend. Asks nobody. Contract: bus, consent. */

import { BusError } from "../../contract/bus_error.js";
import { appFact, argumentsText, between, callerFacts, whoIs } from "../grants/call_prompt.js";
import { seen } from "../well_formed.js";
import { MAX_METHOD_CHARS } from "./canister_interface.js";

/** @import { CallSource } from "../calls/broker.js" */
/** @import { Fact, Prompt } from "../consent/consent_queue.js" */
/** @import { Root } from "../calls/invocations.js" */
/** @import { AppSummary } from "../kernel.js" */
/** @import { FoundMethod } from "./installed_canisters.js" */

/**
 * @typedef {object} BackendQuestion
 * @property {Root} root
 * @property {CallSource} source
 * @property {readonly string[]} via
 * @property {FoundMethod} found
 * @property {readonly AppSummary[]} apps
 */

/**
 * @param {BackendQuestion} question
 * @param {Record<string, unknown>} given
 * @returns {Prompt}
 * @throws {BusError} `TOO_LARGE` where the arguments are more than the owner can be shown.
 */
export function callPrompt(question, given) {
  const text = argumentsText(given);
  if (text === null) {
    throw new BusError(
      "TOO_LARGE",
      "The arguments are longer than the owner can be shown; nothing was run. Make several calls of it.",
    );
  }
  const { root, source, found } = question;
  return {
    subject: root.subject,
    title: `Let ${whoIs(root, between(root, source.app))} call the backend of ${found.app}?`,
    facts: [...facts(question), { label: "Arguments", value: text, code: true }],
    choices: [{ id: "once", label: "Only this call" }],
  };
}

/**
 * @param {BackendQuestion} question
 * @returns {Prompt}
 */
export function reservePrompt(question) {
  const { root, source, found } = question;
  return {
    subject: root.subject,
    title: `Let ${whoIs(root, between(root, source.app))} call the backend of ${found.app} from now on?`,
    facts: [...facts(question), { label: "Arguments", value: "Whichever it likes, each time" }],
    choices: [
      {
        id: "kept",
        label: "This method, after a reload too, until it is taken back or an app changes",
      },
    ],
  };
}

/**
 * @param {BackendQuestion} question
 * @returns {Fact[]}
 */
function facts({ root, source, via, found, apps }) {
  const { app, method } = found;
  return [
    ...callerFacts({ root, caller: source.id, via }, apps),
    appFact("Backend of", app, apps),
    { label: "Method", value: seen(method.name, MAX_METHOD_CHARS) },
    {
      label: "Effect",
      value:
        method.kind === "query" ? "A query: it changes nothing" : "An update: it may change data",
    },
  ];
}
