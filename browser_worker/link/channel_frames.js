// @ts-check
/**
 * The text of the channel's frames. Messages of callers and of the app pass through as they are:
 * nothing of them is decoded or written anew. Contract: channel.
 */

import { utf8Length } from "../contract/utf8.js";
import { readItems, readMilliseconds, readString } from "./poll_answer.js";
import { rawMembers } from "./raw_members.js";

/** @import { Item } from "./poll_answer.js" */

/** @typedef {{ kind: "items", now: number, items: Item[] }} ItemsFrame */
/** @typedef {{ kind: "refused", id: string, code: string }} RefusedFrame */

/**
 * @typedef {object} FrameResult
 * @property {string} id
 * @property {string | null} response JSON text, or null: it is too large.
 */

export const ALIVE = '{"alive":true}';

/** What a frame says besides its results. */
const ENVELOPE_BYTES = 256;

/**
 * @param {string} text one frame of the bridge
 * @returns {ItemsFrame | RefusedFrame}
 * @throws {SyntaxError} where it is neither
 */
export function readFrame(text) {
  const members = rawMembers(text);
  const refused = members.get("refused");
  if (refused === undefined) {
    return {
      kind: "items",
      now: readMilliseconds(members.get("now")),
      items: readItems(members.get("requests")),
    };
  }
  const refusal = rawMembers(refused);
  return {
    kind: "refused",
    id: readString(refusal.get("id")),
    code: readString(refusal.get("code")),
  };
}

/**
 * @param {number} ack the highest `seq` that came
 * @param {number} [taken] the highest `seq` that the page has begun
 * @returns {string}
 */
export function ackFrame(ack, taken) {
  return taken === undefined ? `{"ack":${ack}}` : `{"ack":${ack},"taken":${taken}}`;
}

/**
 * @param {FrameResult} result
 * @param {number} ack
 * @returns {string}
 */
export function resultFrame(result, ack) {
  return `{"results":[${element(result)}],"ack":${ack}}`;
}

/**
 * Many results in as few frames as the limit allows, in their order.
 *
 * @param {FrameResult[]} results none of them larger than a frame
 * @param {number} ack
 * @param {number} maxBytes of one frame
 * @returns {string[]}
 */
export function resultFrames(results, ack, maxBytes) {
  /** @type {string[]} */
  const frames = [];
  let elements = "";
  let bytes = ENVELOPE_BYTES;
  const finish = () => {
    if (elements !== "") frames.push(`{"results":[${elements}],"ack":${ack}}`);
  };
  for (const result of results) {
    const text = element(result);
    const more = utf8Length(text) + 1;
    if (bytes + more > maxBytes) {
      finish();
      elements = "";
      bytes = ENVELOPE_BYTES;
    }
    elements += elements === "" ? text : `,${text}`;
    bytes += more;
  }
  finish();
  return frames;
}

/** @param {FrameResult} result */
function element({ id, response }) {
  const rest = response === null ? '"tooLarge":true' : `"response":${response}`;
  return `{"id":${JSON.stringify(id)},${rest}}`;
}
