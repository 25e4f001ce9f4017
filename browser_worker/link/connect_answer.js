// @ts-check
/** What the bridge answers to `/connect`, read into a value or told to be something else. */

import { isWellFormed } from "../contract/utf8.js";
import { readChannelOffer } from "./channel_offer.js";

/** @import { ChannelOffer } from "./channel_offer.js" */

/** Bridges use far fewer; it goes into every poll's address. */
const MAX_CLIENT_CHARS = 256;

/**
 * @typedef {object} ConnectAnswer
 * @property {string} client
 * @property {number} maxMessageBytes
 * @property {ChannelOffer | null} channel
 */

/**
 * @param {string} text the body of a successful answer
 * @returns {ConnectAnswer | null} null where it is no bridge's answer, or one of another protocol
 */
export function readConnectAnswer(text) {
  let value;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (value?.protocolVersion !== "1") return null;
  const { client, maxMessageBytes } = value;
  if (typeof client !== "string" || client === "" || client.length > MAX_CLIENT_CHARS) return null;
  // No address can hold half a character.
  if (!isWellFormed(client)) return null;
  if (!Number.isSafeInteger(maxMessageBytes) || maxMessageBytes < 1) return null;
  return { client, maxMessageBytes, channel: readChannelOffer(value.channel) };
}
