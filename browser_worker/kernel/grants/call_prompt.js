// @ts-check
/**
 * The words in which the owner is asked whether somebody may use an app, and how far each yes goes.
 * Asks nobody, and remembers nothing. What apps say of themselves is shown as what it is.
 * Contract: bus, consent.
 */

import { isBrowserAgent } from "../../contract/browser_session.js";
import { EVERY_TOOL, LISTING } from "./grants.js";
import { seen, seenJson } from "../well_formed.js";

/** @import { Choice, Fact, Prompt } from "../consent/consent_queue.js" */
/** @import { Root } from "../calls/invocations.js" */
/** @import { AppSummary } from "../kernel.js" */
/** @import { Question } from "./routing_policy.js" */

/** @typedef {{ target: string | null, tool: string | null }} Reach What a yes allows beyond this once. */
/** @typedef {{ prompt: Prompt, reaches: ReadonlyMap<string, Reach | null> }} Asked By the choices' ids. */
/** @typedef {Question & { root: Root }} Rooted */

/**
 * @typedef {object} GrantQuestion About tools that somebody will want to use.
 * @property {Root} root
 * @property {string} caller
 * @property {string | null} by As `between` has it.
 * @property {readonly string[]} via
 * @property {string} target An app.
 * @property {readonly string[]} tools None for a listing.
 * @property {string | null} reason In the words of who asks.
 */

/** What a person can be shown, and be thought to have seen. */
export const MAX_SHOWN_CHARS = 65_536;

/** Of what an app says why it asks. */
export const MAX_REASON_CHARS = 500;

const MAX_WORD_CHARS = 80;
const INDENT = 2;

/**
 * Composes the question about one call, or one list.
 *
 * @param {Rooted} question
 * @param {string | null} by As `between` has it.
 * @param {readonly AppSummary[]} apps
 * @returns {Asked | null} Null where the arguments are longer than the owner can be shown.
 */
export function callPrompt(question, by, apps) {
  const { root, target, targetApp, tool } = question;
  const reaches = reachesOf(root, by, targetApp, tool);
  const facts = [...callerFacts(question, apps), appFact("App", targetApp, apps)];
  if (tool === LISTING) facts.push({ label: "To do", value: "List its tools" });
  else {
    const given = argumentsText(question.arguments);
    if (given === null) return null;
    facts.push({ label: "Endpoint", value: target });
    facts.push({ label: "Tool", value: seen(tool, MAX_WORD_CHARS) });
    facts.push({ label: "Arguments", value: given, code: true });
    const { attachmentBytes } = question;
    if (attachmentBytes !== null) {
      facts.push({ label: "Attachment", value: `${attachmentBytes.toLocaleString("en")} bytes` });
    }
  }
  const verb = tool === LISTING ? "see the tools of" : "use";
  return {
    prompt: {
      subject: root.subject,
      title: `Let ${whoIs(root, by)} ${verb} the app ${targetApp}?`,
      facts,
      choices: reaches.map(({ id, label }) => ({ id, label })),
    },
    reaches: new Map(reaches.map(({ id, reach }) => [id, reach])),
  };
}

/**
 * Composes the question about tools that somebody will want to use.
 *
 * @param {GrantQuestion} question
 * @param {readonly AppSummary[]} apps
 * @returns {Prompt}
 */
export function grantPrompt({ tools, reason, target, ...asker }, apps) {
  const { root, by } = asker;
  const facts = [...callerFacts(asker, apps), appFact("App", target, apps)];
  if (tools.length === 0)
    facts.push({ label: "To do", value: "List its tools, whenever it likes" });
  else facts.push({ label: "Tools", value: tools.join("\n"), code: true });
  return {
    subject: root.subject,
    title: `Let ${whoIs(root, by)} ${tools.length === 0 ? "see the tools of" : "use"} the app ${target} from now on?`,
    facts,
    ...(reason === null ? {} : { quote: seen(reason, MAX_REASON_CHARS) }),
    choices: [{ id: "session", label: sentence(untilOf(root)) }],
  };
}

/**
 * The app that calls on a root's behalf; null for the root itself. It is named to the owner, and a grant is
 * for who was named: what an app may do itself, those that it calls may not.
 *
 * @param {Root} root
 * @param {string | null} callerApp
 */
export function between(root, callerApp) {
  return callerApp === root.app ? null : callerApp;
}

/**
 * What was asked for, as a refusal says it.
 *
 * @param {Pick<Question, "targetApp" | "tool">} question
 */
export function whatOf({ targetApp, tool }) {
  if (tool === LISTING) return `list the tools of ${targetApp}`;
  return `call ${seen(tool, MAX_WORD_CHARS)} of ${targetApp}`;
}

/**
 * Arguments as a person can read them: every character of them is seen, and none moves another about.
 *
 * @param {Record<string, unknown>} given
 * @returns {string | null} Null where that is longer than the owner can be shown.
 */
export function argumentsText(given) {
  const short = seenJson(JSON.stringify(given));
  if (short.length > MAX_SHOWN_CHARS) return null;
  const long = seenJson(JSON.stringify(given, null, INDENT));
  return long.length > MAX_SHOWN_CHARS ? short : long;
}

/**
 * @param {Root} root
 * @param {string | null} by
 */
export function whoIs({ kind, app, subject }, by) {
  const who =
    kind === "app"
      ? `the app ${app}`
      : kind === "external"
        ? externalName(subject)
        : `the agent of ${app}`;
  return by === null ? who : `${who}, by way of ${by},`;
}

/** @param {string} subject */
function externalName(subject) {
  if (isBrowserAgent(subject)) return "an agent of this browser";
  return `the terminal ${seen(subject.replace(/^external:bridge:/, ""), MAX_WORD_CHARS)}`;
}

/**
 * @param {{ root: Root, caller: string, via: readonly string[] }} question
 * @param {readonly AppSummary[]} apps
 * @returns {Fact[]}
 */
export function callerFacts({ root, caller, via }, apps) {
  const facts = [whoFact(root, apps)];
  // The root's own endpoint is where it asks from; a terminal has none, and is named already.
  if (via.length === 0) return caller === root.subject ? facts : [...facts, from(caller)];
  return [...facts, { label: "By way of", value: via.join(", then ") }];
}

/**
 * @param {string} caller
 * @returns {Fact}
 */
function from(caller) {
  return { label: "From", value: caller };
}

/**
 * @param {Root} root
 * @param {readonly AppSummary[]} apps
 * @returns {Fact}
 */
function whoFact({ kind, subject, app, version, entrypoint }, apps) {
  if (app === null) {
    const who = isBrowserAgent(subject) ? "An agent of this browser" : "A terminal";
    return { label: "Asks", value: `${who}, ${seen(subject, 200)}` };
  }
  const who = appWords(app, version, apps);
  if (kind === "app") return { label: "Asks", value: `The app ${who}` };
  return { label: "Asks", value: `The agent ${seen(entrypoint ?? "", MAX_WORD_CHARS)} of ${who}` };
}

/**
 * @param {string} label
 * @param {string} app
 * @param {readonly AppSummary[]} apps
 * @returns {Fact}
 */
export function appFact(label, app, apps) {
  const version = apps.find(({ id }) => id === app)?.version ?? null;
  return { label, value: appWords(app, version, apps) };
}

/**
 * The id first, which is the kernel's: what an app calls itself may look like anything.
 *
 * @param {string} app
 * @param {string | null} version
 * @param {readonly AppSummary[]} apps
 */
function appWords(app, version, apps) {
  const name = apps.find(({ id }) => id === app)?.name ?? null;
  return [
    app,
    ...(version === null ? [] : [`version ${seen(version, MAX_WORD_CHARS)}`]),
    ...(name === null ? [] : [`which calls itself “${seen(name, MAX_WORD_CHARS)}”`]),
  ].join(", ");
}

/**
 * How far a yes can go, the narrowest first.
 *
 * @param {Root} root
 * @param {string | null} by
 * @param {string} target
 * @param {string | null} tool
 * @returns {(Choice & { reach: Reach | null })[]}
 */
function reachesOf(root, by, target, tool) {
  const until = untilOf(root);
  const call = tool === LISTING ? "Only this time" : "Only this call";
  const these = tool === LISTING ? "Every list of its tools" : "This tool";
  const once = { id: "once", label: call, reach: null };
  const same = { id: "tool", label: `${these}, ${until}`, reach: { target, tool } };
  const whole = { target, tool: EVERY_TOOL };
  switch (root.kind) {
    case "app":
      return [once, same];
    case "agent":
      return [once, same, { id: "app", label: `Every tool of this app, ${until}`, reach: whole }];
    case "external": {
      const app = { id: "app", label: `This app, ${until}`, reach: whole };
      const all = { target: null, tool: EVERY_TOOL };
      const every = { id: "every", label: `Every app, ${until}`, reach: all };
      // Whoever trusts a terminal with every app does not mean the apps that it calls.
      return by === null ? [once, app, every] : [once, app];
    }
  }
}

/** @param {Root} root */
function untilOf({ kind, subject }) {
  switch (kind) {
    case "app":
      return "until the workspace is locked or reloaded";
    case "agent":
      return "for this turn";
    case "external":
      return isBrowserAgent(subject)
        ? "until the page takes its tools back"
        : "until the terminal is detached";
  }
}

/** @param {string} words */
function sentence(words) {
  return words.charAt(0).toUpperCase() + words.slice(1);
}
