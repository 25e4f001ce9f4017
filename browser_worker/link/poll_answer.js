// @ts-check
/** What the bridge answers to a poll: its clock, and items with their messages left as raw text. */

import { rawElements, rawMembers } from "./raw_members.js";

/**
 * @typedef {object} Item One thing that the page is asked to do.
 * @property {string} id The bridge's name for it.
 * @property {number} seq Counts from 1 for each client.
 * @property {string} session
 * @property {number} deadline Unix ms by the bridge's clock.
 * @property {string | null} request JSON text exactly as the caller wrote it, or null: close the session.
 */

/**
 * @typedef {object} PollAnswer
 * @property {number} now Unix ms by the bridge's clock, when it answered.
 * @property {Item[]} items
 */

/**
 * @param {string} text
 * @returns {PollAnswer}
 * @throws {SyntaxError} where it is no bridge's answer
 */
export function readPollAnswer(text) {
  const members = rawMembers(text);
  return {
    now: milliseconds(members.get("now")),
    items: rawElements(members.get("requests") ?? "").map(readItem),
  };
}

/**
 * @param {string} text
 * @returns {Item}
 */
function readItem(text) {
  const members = rawMembers(text);
  const closes = members.get("closeSession") === "true";
  const request = closes ? null : members.get("request");
  if (request === undefined) throw new SyntaxError("an item asks for nothing");
  const seq = number(members.get("seq"));
  if (!Number.isSafeInteger(seq) || seq < 1) throw new SyntaxError("an item has no place");
  return {
    id: string(members.get("id")),
    seq,
    session: string(members.get("session")),
    deadline: milliseconds(members.get("deadline")),
    request,
  };
}

/** @param {string | undefined} raw */
function string(raw) {
  const value = JSON.parse(raw ?? "");
  if (typeof value !== "string") throw new SyntaxError("expected a string");
  return value;
}

/** @param {string | undefined} raw */
function number(raw) {
  const value = JSON.parse(raw ?? "");
  if (typeof value !== "number") throw new SyntaxError("expected a number");
  return value;
}

/** @param {string | undefined} raw */
function milliseconds(raw) {
  const value = number(raw);
  if (!Number.isFinite(value)) throw new SyntaxError("expected a time");
  return value;
}
