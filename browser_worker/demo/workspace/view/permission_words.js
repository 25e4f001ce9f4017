// @ts-check
/**
 * What the owner has allowed, in words: who, what, until when, and how it is taken back. Pure: knows no
 * elements. Ids come first, names are only what apps call themselves.
 */

import { isBrowserAgent } from "../../../contract/browser_session.js";
import { EVERY_TOOL, LISTING } from "../../../kernel/grants/grants.js";
import { seen, wellFormed } from "../../../kernel/well_formed.js";
import { appWords } from "./app_names.js";

/** @import { EnabledAgent } from "../../../kernel/agent/agent_mode.js" */
/** @import { BackendCallGrant } from "../../../kernel/canister/backend_call_grants.js" */
/** @import { Grant } from "../../../kernel/grants/grants.js" */
/** @import { ConnectionSummary } from "../../../kernel/private/connections.js" */
/** @import { WalletSessionSummary } from "../../../kernel/private/wallet_sessions.js" */
/** @import { AppManifest } from "../manifests/app_manifest.js" */

/**
 * @typedef {object} Permission A line of the owner's. No secret and no account is in its words.
 * @property {string} key The same as long as it is the same.
 * @property {string} who
 * @property {string} what
 * @property {number | null} since Unix milliseconds; null where nobody keeps it.
 * @property {string} until
 * @property {string} used Empty where that is not counted.
 */

/** @typedef {readonly Pick<AppManifest, "id" | "name">[]} Apps */

const MAX_SESSION_CHARS = 40;
const MAX_NAME_CHARS = 60;

const UNTIL_LOCK = "until the workspace is locked or reloaded";

/**
 * @param {Grant} grant
 * @param {Apps} apps
 * @returns {Permission}
 */
export function grantWords({ id, subject, by, target, tool, scope, since, uses }, apps) {
  const who = subjectWords(subject, apps);
  const of = target === null ? "every app" : appWords(target, apps);
  return {
    key: id,
    who: by === null ? who : `${who}, by way of ${appWords(by, apps)}`,
    what: toolWords(tool, of),
    since,
    until: untilWords(scope, subject),
    used: usedWords("used", uses),
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
    since: null,
    until: UNTIL_LOCK,
    used: "",
  };
}

/**
 * @param {BackendCallGrant} call
 * @param {Apps} apps
 * @returns {Permission}
 */
export function backendWords({ id, caller, app, method, since }, apps) {
  return {
    key: `backend:${id}`,
    who: appWords(caller, apps),
    what: `Call ${method} of the backend of ${appWords(app, apps)}`,
    since,
    until: "over reloads, until either app changes",
    used: "",
  };
}

/**
 * Of what was entered nothing is known here.
 *
 * @param {ConnectionSummary} connection
 * @param {Apps} apps
 * @returns {Permission}
 */
export function connectionWords({ connection, app, provider, since, uses }, apps) {
  return {
    key: `connection:${connection}`,
    who: appWords(app, apps),
    what: `Read the credential that you entered for ${seen(provider, MAX_NAME_CHARS)}`,
    since,
    until: UNTIL_LOCK,
    used: `${usedWords("given to it", uses)}${uses === 0 ? "" : ", which cannot be undone"}`,
  };
}

/**
 * @param {WalletSessionSummary} session
 * @param {Apps} apps
 * @returns {Permission}
 */
export function walletWords({ id, app, tile, wallet, rdns, accounts, since }, apps) {
  const of = `${accounts} account${accounts === 1 ? "" : "s"}`;
  return {
    key: `wallet:${id}`,
    who: `${appWords(app, apps)}, in its tile ${tile}`,
    what: `Use ${of} of the wallet ${wallet} (${rdns}); you are asked before it signs or sends`,
    since,
    until: "until its tile is closed, or the workspace is locked or reloaded",
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
  if (isBrowserAgent(subject)) return "Agent of the browser";
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
  if (isBrowserAgent(subject)) return "until the page takes its tools back";
  return subject.startsWith("external:") ? "until the terminal is detached" : UNTIL_LOCK;
}

/**
 * @param {string} verb
 * @param {number} uses
 */
function usedWords(verb, uses) {
  return `${verb} ${uses === 1 ? "once" : `${uses} times`}`;
}
