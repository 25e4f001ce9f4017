// @ts-check
/**
 * What the owner has allowed, in words: who, what, until when, and how it is taken back. Pure: knows no
 * elements. Ids come first, names are only what apps call themselves.
 */

import { EVERY_TOOL, LISTING } from "../../../kernel/grants/grants.js";
import { wellFormed } from "../../../kernel/well_formed.js";
import { appWords } from "./app_names.js";

/** @import { EnabledAgent } from "../../../kernel/agent/agent_mode.js" */
/** @import { BackendCallGrant } from "../../../kernel/canister/backend_call_grants.js" */
/** @import { Grant } from "../../../kernel/grants/grants.js" */
/** @import { AppManifest } from "../manifests/app_manifest.js" */

/**
 * @typedef {object} Permission
 * @property {string} key The same as long as it is the same.
 * @property {string} who
 * @property {string} what
 * @property {string} until
 * @property {string} used Empty where that is not counted.
 */

/** @typedef {readonly Pick<AppManifest, "id" | "name">[]} Apps */

const MAX_SESSION_CHARS = 40;

/**
 * @param {Grant} grant
 * @param {Apps} apps
 * @returns {Permission}
 */
export function grantWords({ id, subject, by, target, tool, scope, uses }, apps) {
  const who = subjectWords(subject, apps);
  const of = target === null ? "every app" : appWords(target, apps);
  return {
    key: id,
    who: by === null ? who : `${who}, by way of ${appWords(by, apps)}`,
    what: toolWords(tool, of),
    until: untilWords(scope, subject),
    used: `used ${uses === 1 ? "once" : `${uses} times`}`,
  };
}

/**
 * @param {EnabledAgent} agent
 * @param {Apps} apps
 * @returns {Permission}
 */
export function agentWords({ app, version, entrypoint }, apps) {
  return {
    key: `agent:${app}:${entrypoint}`,
    who: appWords(app, apps),
    what: `Act as the agent ${entrypoint}, in version ${version}`,
    until: "until the workspace is locked or reloaded",
    used: "",
  };
}

/**
 * @param {BackendCallGrant} call
 * @param {Apps} apps
 * @returns {Permission}
 */
export function backendWords({ id, caller, app, method }, apps) {
  return {
    key: `backend:${id}`,
    who: appWords(caller, apps),
    what: `Call ${method} of the backend of ${appWords(app, apps)}`,
    until: "over reloads, until either app changes",
    used: "",
  };
}

/**
 * An agent at work, in a line.
 *
 * @param {{ app: string, entrypoint: string }} turn
 * @param {Apps} apps
 */
export function turnWords({ app, entrypoint }, apps) {
  return `${appWords(app, apps)} is working (${entrypoint})`;
}

/**
 * @param {string} subject
 * @param {Apps} apps
 */
function subjectWords(subject, apps) {
  const [kind, first = "", ...rest] = subject.split(":");
  if (kind === "app") return appWords(first, apps);
  if (kind === "agent") return `Agent ${rest.join(":")} of ${appWords(first, apps)}`;
  return `Terminal ${wellFormed(rest.join(":"), MAX_SESSION_CHARS)}`;
}

/**
 * @param {string | null} tool
 * @param {string} of
 */
function toolWords(tool, of) {
  if (tool === LISTING) return `See the tools of ${of}`;
  return tool === EVERY_TOOL ? `Use every tool of ${of}` : `Use ${tool} of ${of}`;
}

/**
 * @param {Grant["scope"]} scope
 * @param {string} subject
 */
function untilWords(scope, subject) {
  if (scope === "call") return "for one call that is under way";
  if (scope === "turn") return "until its turn has ended";
  return subject.startsWith("external:")
    ? "until the terminal is detached"
    : "until the workspace is locked or reloaded";
}
