// @ts-check
/**
 * All that the owner has allowed, from wherever it is kept, and the one place where it is taken back.
 * Allows nothing, and draws nothing.
 */

import {
  agentWords,
  backendWords,
  connectionWords,
  grantWords,
  walletWords,
} from "../view/permission_words.js";

/** @import { AgentMode } from "../../../kernel/agent/agent_mode.js" */
/** @import { BackendCallGrants } from "../../../kernel/canister/backend_call_grants.js" */
/** @import { Grants } from "../../../kernel/grants/grants.js" */
/** @import { Connections } from "../../../kernel/private/connections.js" */
/** @import { WalletSessions } from "../../../kernel/private/wallet_sessions.js" */
/** @import { Apps, Permission } from "../view/permission_words.js" */

/** @typedef {Permission & { revoke: () => void }} Revocable */

/**
 * @typedef {object} PermissionSources
 * @property {Pick<Grants, "all" | "revoke" | "revokeAll" | "onChange">} grants
 * @property {Pick<AgentMode, "all" | "disable" | "onChange">} agents
 * @property {Pick<BackendCallGrants, "all" | "revoke" | "revokeAll" | "onChange">} backendCalls
 * @property {Pick<Connections, "all" | "revoke" | "revokeAll" | "onChange">} connections
 * @property {Pick<WalletSessions, "all" | "revoke" | "revokeAll" | "onChange">} wallets
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
    const { grants, agents, backendCalls, connections, wallets } = this._sources;
    const sources = [grants, agents, backendCalls, connections, wallets];
    const stops = sources.map((source) => source.onChange(observer));
    return () => {
      for (const stop of stops) stop();
    };
  }

  /** What lasts longest comes first. @returns {Revocable[]} */
  all() {
    const { grants, agents, backendCalls, connections, wallets } = this._sources;
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
      ...connections.all().map((each) => ({
        ...connectionWords(each, apps),
        revoke: () => void connections.revoke(each.connection),
      })),
      ...wallets.all().map((session) => ({
        ...walletWords(session, apps),
        revoke: () => void wallets.revoke(session.id),
      })),
      ...grants.all().map((grant) => ({
        ...grantWords(grant, apps),
        revoke: () => void grants.revoke(grant.id),
      })),
    ];
  }

  /** @throws {Error} Where a store cannot keep that it was taken back; for now all of it is. */
  revokeAll() {
    const { grants, agents, backendCalls, connections, wallets } = this._sources;
    for (const { app } of agents.all()) agents.disable(app);
    grants.revokeAll();
    connections.revokeAll();
    wallets.revokeAll();
    // The last, as its store can fail.
    backendCalls.revokeAll();
  }
}
