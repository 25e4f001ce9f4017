// @ts-check
/**
 * All that the owner has allowed, from wherever it is kept, and the one place where it is taken back.
 * Allows nothing, and draws nothing.
 */

import { agentWords, backendWords, grantWords } from "../view/permission_words.js";

/** @import { AgentMode } from "../../../kernel/agent/agent_mode.js" */
/** @import { BackendCallGrants } from "../../../kernel/canister/backend_call_grants.js" */
/** @import { Grants } from "../../../kernel/grants/grants.js" */
/** @import { Apps, Permission } from "../view/permission_words.js" */

/** @typedef {Permission & { revoke: () => void }} Revocable */

/**
 * @typedef {object} PermissionSources
 * @property {Pick<Grants, "all" | "revoke" | "revokeAll" | "onChange">} grants
 * @property {Pick<AgentMode, "all" | "disable" | "onChange">} agents
 * @property {Pick<BackendCallGrants, "all" | "revoke" | "revokeAll" | "onChange">} backendCalls
 * @property {() => Apps} apps
 */

export class Permissions {
  /** @param {PermissionSources} sources */
  constructor(sources) {
    this._sources = sources;
  }

  /**
   * @param {() => void} observer
   * @returns {() => void} Ends the watching.
   */
  onChange(observer) {
    const { grants, agents, backendCalls } = this._sources;
    const stops = [grants, agents, backendCalls].map((source) => source.onChange(observer));
    return () => {
      for (const stop of stops) stop();
    };
  }

  /** What lasts longest comes first. @returns {Revocable[]} */
  all() {
    const { grants, agents, backendCalls } = this._sources;
    const apps = this._sources.apps();
    return [
      ...backendCalls.all().map((call) => ({
        ...backendWords(call, apps),
        revoke: () => void backendCalls.revoke(call.id),
      })),
      ...agents.all().map((agent) => ({
        ...agentWords(agent, apps),
        revoke: () => agents.disable(agent.app),
      })),
      ...grants.all().map((grant) => ({
        ...grantWords(grant, apps),
        revoke: () => void grants.revoke(grant.id),
      })),
    ];
  }

  revokeAll() {
    const { grants, agents, backendCalls } = this._sources;
    for (const { app } of agents.all()) agents.disable(app);
    grants.revokeAll();
    backendCalls.revokeAll();
  }
}
