// @ts-check
/** What the bridge answers to a poll: its clock, and items with their messages left as raw text. */

import { readChannelOffer } from "./channel_offer.js";
import { rawElements, rawMembers } from "./raw_members.js";

/** @import { ChannelOffer } from "./channel_offer.js" */

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
 * @property {ChannelOffer | null} channel
 */

/**
 * @param {string} text
 * @returns {PollAnswer}
 * @throws {SyntaxError} where it is no bridge's answer
 */
export function readPollAnswer(text) {
  const members = rawMembers(text);
  return {
    now: readMilliseconds(members.get("now")),
    items: readItems(members.get("requests")),
    channel: readChannelOffer(JSON.parse(members.get("channel") ?? "null")),
  };
}

/**
 * @param {string | undefined} raw an array of items
 * @returns {Item[]}
 * @throws {SyntaxError}
 */
export function readItems(raw) {
  return rawElements(raw ?? "").map(readItem);
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
    id: readString(members.get("id")),
    seq,
    session: readString(members.get("session")),
    deadline: readMilliseconds(members.get("deadline")),
    request,
  };
}

/**
 * @param {string | undefined} raw
 * @returns {string}
 * @throws {SyntaxError}
 */
export function readString(raw) {
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

/**
 * @param {string | undefined} raw Unix ms
 * @returns {number}
 * @throws {SyntaxError}
 */
export function readMilliseconds(raw) {
  const value = number(raw);
  if (!Number.isFinite(value)) throw new SyntaxError("expected a time");
  return value;
}
