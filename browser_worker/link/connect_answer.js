// @ts-check
/** What the bridge answers to `/connect`, read into a value or told to be something else. */

/**
 * @typedef {object} ConnectAnswer
 * @property {string} client
 * @property {number} maxMessageBytes
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
  if (typeof client !== "string" || client === "") return null;
  if (!Number.isSafeInteger(maxMessageBytes) || maxMessageBytes < 1) return null;
  return { client, maxMessageBytes };
}
