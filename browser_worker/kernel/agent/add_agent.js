// @ts-check
/**
 * Puts agent mode on a kernel: what the owner has enabled, the turns, and delegations. Draws nothing.
 * Contract: bus, agent mode, delegations.
 */

import { addAgentActions } from "./agent_actions.js";
import { AgentMode } from "./agent_mode.js";
import { AgentTurns } from "./agent_turns.js";
import { addDelegateTool } from "./delegate_tool.js";
import { Delegations } from "./delegations.js";

/** @import { Consent } from "../consent/consent_queue.js" */
/** @import { Kernel } from "../kernel.js" */
/** @import { KernelPowers } from "../kernel_powers.js" */
/** @import { Attention } from "../private/private_gate.js" */

/**
 * @typedef {object} AgentParts
 * @property {KernelPowers} powers
 * @property {Consent} consent Where the owner is asked.
 * @property {Attention} attention Where the person is; the kernel's own.
 */

/**
 * @param {Kernel} kernel
 * @param {AgentParts} parts
 * @returns {{ mode: AgentMode, turns: AgentTurns, delegations: Delegations }} For the owner's views.
 */
export function addAgent(kernel, { powers, consent, attention }) {
  const appOf = (/** @type {string} */ id) => kernel.app(id);
  const mode = new AgentMode({ appOf, consent });
  const turns = new AgentTurns({
    mode,
    appOf,
    consent,
    attention,
    powers,
    foreignTo: (app) => kernel.invocations.foreignTo(app),
  });
  const delegations = new Delegations(powers);
  kernel.turns = turns;
  kernel.delegations = delegations;
  addAgentActions(kernel.private, { mode, turns });
  addDelegateTool(kernel.tools, delegations);
  // The turns first: each is told why it ends.
  kernel.addKeeper(turns);
  kernel.addKeeper(mode);
  return { mode, turns, delegations };
}
