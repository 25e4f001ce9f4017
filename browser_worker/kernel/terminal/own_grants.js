// @ts-check
/**
 * What a terminal is told of what the owner has allowed: what it was given itself, and nothing of others.
 * Contract: bus, the terminal.
 */

/** @import { Grant } from "../grants/grants.js" */

/**
 * @param {readonly Grant[]} grants
 * @param {string} subject Whose.
 */
export function ownGrants(grants, subject) {
  return grants
    .filter((grant) => grant.subject === subject && grant.scope === "session")
    .map(({ target, tool, since }) => ({ app: target, tool, since, ends: "session" }));
}
