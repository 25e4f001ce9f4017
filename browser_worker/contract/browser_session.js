// @ts-check
/**
 * Names for the browser's own agents, as callers outside. No terminal can have one: a bridge takes no
 * session with a `/`.
 */

const PREFIX = "browser/";
const ON_THE_BUS = `external:bridge:${PREFIX}`;

/** @param {number} count Which it is in this page. */
export function browserSession(count) {
  return `${PREFIX}${count}`;
}

/** @param {string} caller As the bus knows it, `external:bridge:SESSION` say. */
export function isBrowserAgent(caller) {
  return caller.startsWith(ON_THE_BUS);
}
