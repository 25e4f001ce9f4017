// @ts-check
/** Puts backends on a kernel: the tools, an app's calls of its own, and what ends with apps and endpoints. */

import { BackendCallGrants } from "./backend_call_grants.js";
import { addBackendCallTools } from "./backend_call_tools.js";
import { addCanisterTools } from "./canister_tools.js";
import { InstalledCanisters } from "./installed_canisters.js";
import { SelfCalls } from "./self_calls.js";

/** @import { Consent } from "../consent/consent_queue.js" */
/** @import { Kernel } from "../kernel.js" */
/** @import { KernelPowers } from "../kernel_powers.js" */
/** @import { TextStore } from "./backend_call_grants.js" */

/**
 * @param {Kernel} kernel
 * @param {{ consent: Consent, store: TextStore, powers: KernelPowers }} parts `store`: of
 *   the grants that outlive a reload.
 * @returns {{ installed: InstalledCanisters, grants: BackendCallGrants }}
 */
export function addCanisters(kernel, { consent, store, powers }) {
  const installed = new InstalledCanisters((app) => kernel.app(app)?.version ?? null);
  const grants = new BackendCallGrants(store, powers);
  const parts = {
    installed,
    grants,
    consent,
    apps: () => kernel.apps(),
    invocations: kernel.invocations,
  };
  addCanisterTools(kernel.tools, parts);
  addBackendCallTools(kernel.tools, parts);
  const selfCalls = new SelfCalls({
    installed,
    ledger: kernel.ledger,
    audit: kernel.audit,
    powers,
  });
  kernel.selfCalls = selfCalls;
  kernel.addKeeper(installed);
  kernel.addKeeper(grants);
  kernel.addKeeper(selfCalls);
  return { installed, grants };
}
