// @ts-check
/** A kernel whose owner is a test: it is asked, and answers, and clock and ports are in its hand too. */

import { ConsentQueue } from "../../../browser_worker/kernel/consent/consent_queue.js";
import { addAuditTools } from "../../../browser_worker/kernel/audit/audit_tools.js";
import { Grants } from "../../../browser_worker/kernel/grants/grants.js";
import { OwnerPolicy } from "../../../browser_worker/kernel/grants/owner_policy.js";
import { addPermissionTools } from "../../../browser_worker/kernel/grants/permission_tools.js";
import { makeKernel } from "./test_kernel.js";

/** @import { RoutingPolicy } from "../../../browser_worker/kernel/grants/routing_policy.js" */

export function makeOwnedKernel() {
  const summaries = ["notes", "board", "writer"].map((id) => ({
    id,
    name: id.toUpperCase(),
    version: "1",
  }));
  const apps = () => summaries;
  /** @type {RoutingPolicy} */
  const asked = { decide: (...about) => policy.decide(...about) };
  const made = makeKernel({ apps, policy: asked });
  const { kernel, powers } = made;
  const consent = new ConsentQueue(powers);
  const grants = new Grants(powers, apps);
  const policy = new OwnerPolicy({ grants, consent, apps });
  addPermissionTools(kernel.tools, { policy, apps, invocations: kernel.invocations });
  addAuditTools(kernel.tools, kernel.audit);
  kernel.addKeeper(grants);
  kernel.addKeeper({
    endSession: (caller) => consent.forget(caller),
    lock: () => consent.clear(),
  });
  return {
    ...made,
    summaries,
    consent,
    grants,
    policy,
    /** Says yes to the question that is shown. @param {string} choice */
    allow: (choice) => consent.answer(shown(consent).id, { allow: true, choice }),
    /** Says no to it. */
    deny: () => consent.answer(shown(consent).id, { allow: false }),
  };
}

/**
 * @param {ConsentQueue} consent
 * @returns {import("../../../browser_worker/kernel/consent/consent_queue.js").Shown}
 */
export function shown({ current }) {
  if (current === null) throw new Error("the owner is not asked");
  return current;
}
