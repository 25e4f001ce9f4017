// @ts-check
/**
 * What a terminal is told of what the owner has allowed: what it was given itself, by ids, and the lines
 * that the owner sees, in words. Contract: bus, the terminal.
 */

/** @import { Grant } from "../grants/grants.js" */

/**
 * @typedef {object} AllowedRow A line of the owner's. No secret and no handle is in it.
 * @property {"backend" | "agent" | "connection" | "wallet" | "grant"} kind
 * @property {string | null} app The app that may; null for a terminal.
 * @property {string} who
 * @property {string} what
 * @property {number | null} since Unix milliseconds; null where nobody keeps it.
 * @property {string} until
 * @property {string} used Empty where that is not counted.
 */

/**
 * @param {readonly Grant[]} grants
 * @param {string} subject Whose.
 */
export function ownGrants(grants, subject) {
  return grants
    .filter((grant) => grant.subject === subject && grant.scope === "session")
    .map(({ target, tool, since }) => ({ app: target, tool, since, ends: "session" }));
}

/**
 * Member by member: who shows rows may keep more in them.
 *
 * @param {readonly AllowedRow[]} rows
 * @returns {AllowedRow[]}
 */
export function toldRows(rows) {
  return rows.map(({ kind, app, who, what, since, until, used }) => ({
    kind,
    app,
    who,
    what,
    since,
    until,
    used,
  }));
}
