// @ts-check
/**
 * What an app says in its manifest that it may ask for, beyond its frames: agent entrypoints,
 * connections, wallets, keys and a backend. What is not declared is never asked of the owner, and what
 * is declared is not yet granted. Contract: bus, private actions.
 */

import { isToolName } from "../../../contract/bus_names.js";

/**
 * @typedef {object} AppDeclarations
 * @property {boolean} tray
 * @property {string[]} agent The tools of its background that may be started as an agent.
 * @property {string[]} connections Ids of providers that it may be connected to.
 * @property {boolean} wallets Whether its tiles may ask for a wallet of this browser.
 * @property {("background" | "tile")[]} vetkeys Which of its endpoints may derive keys.
 * @property {{ preapproved: string[] } | null} backend The methods of its backend that it calls
 *   without asking; null for an app without one.
 */

/**
 * @param {Record<string, unknown>} items
 * @param {number} maxItems
 */
const listOf = (items, maxItems) => ({ type: "array", items, maxItems, uniqueItems: true });
const ID = { type: "string", pattern: "^[a-z0-9][a-z0-9_-]{0,39}$" };
const NAME = { type: "string", minLength: 1, maxLength: 100 };

/** The members of a manifest that declare it; each may be left out. */
export const DECLARATION_SCHEMAS = Object.freeze({
  agent: listOf(NAME, 4),
  connections: listOf(ID, 8),
  wallets: { type: "boolean" },
  vetkeys: listOf({ enum: ["background", "tile"] }, 2),
  backend: {
    type: "object",
    properties: { preapproved: listOf(NAME, 64) },
    additionalProperties: false,
  },
});

/**
 * @param {any} manifest One that its schema allows.
 * @returns {AppDeclarations}
 */
export function readDeclarations({ tray, agent, connections, wallets, vetkeys, backend }) {
  return {
    tray: tray !== undefined,
    agent: agent ?? [],
    connections: connections ?? [],
    wallets: wallets ?? false,
    vetkeys: vetkeys ?? [],
    backend: backend === undefined ? null : { preapproved: backend.preapproved ?? [] },
  };
}

/**
 * What no schema says: some of it is for a background only.
 *
 * @param {AppDeclarations} declares
 * @param {boolean} hasBackground
 * @returns {string | null} What is wrong, in words without a full stop.
 */
export function declarationProblem({ agent, connections, vetkeys }, hasBackground) {
  const wrong = agent.find((name) => !isToolName(name));
  if (wrong !== undefined) return "its member agent must name tools, such as agent_run";
  if (hasBackground) return null;
  if (agent.length > 0) return "it declares an agent, and has no background to run it";
  if (connections.length > 0) return "it declares connections, and has no background to use them";
  if (vetkeys.includes("background")) return "it declares keys of a background, and has none";
  return null;
}
