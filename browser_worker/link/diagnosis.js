// @ts-check
/**
 * Finds out why a request to the bridge got no answer. The browser tells a page nothing but that it
 * failed; the reason follows from what else works. Where two reasons look alike, the cause names both.
 */

/** @import { Cause } from "./attachment_cause.js" */
/** @import { Fetch, SetTimer } from "./powers.js" */

/** The permission's present name and the one before it; browsers throw at a name they do not know. */
const PERMISSION_NAMES = Object.freeze(["loopback-network", "local-network-access"]);
/** Reports of the page's policy come as events of their own, a moment after the request failed. */
const REPORT_DELAY_MS = 50;
const LOOPBACK_HOST = /^(localhost|.+\.localhost|127(\.[0-9]+){3}|\[::1\])$/;

/** @typedef {{ query(descriptor: { name: string }): Promise<{ readonly state: string }> }} PermissionsLike */

/**
 * @typedef {object} DiagnosisPowers
 * @property {string} url The bridge's address.
 * @property {Fetch} fetch
 * @property {SetTimer} setTimer
 * @property {() => boolean} blockedByCsp
 * @property {PermissionsLike | undefined} permissions
 * @property {{ readonly protocol: string, readonly hostname: string }} location The page's own.
 * @property {boolean} isSecureContext
 */

/**
 * @param {DiagnosisPowers} powers
 * @returns {Promise<Cause>} never rejects
 */
export async function diagnose(powers) {
  await new Promise((resolve) => powers.setTimer(REPORT_DELAY_MS, () => resolve(undefined)));
  if (powers.blockedByCsp()) return "blocked-by-csp";
  if (!powers.isSecureContext) return "insecure-page";
  const fromLoopback = LOOPBACK_HOST.test(powers.location.hostname);
  const permission = fromLoopback ? "granted" : await permissionState(powers.permissions);
  if (permission === "denied") return "permission-denied";
  if (await answersAnybody(powers)) return "wrong-origin";
  if (permission === "prompt") return "permission-unanswered";
  const unknown = permission === "unknown" && powers.location.protocol === "https:";
  return unknown ? "mixed-content" : "bridge-not-running";
}

/**
 * @param {PermissionsLike | undefined} permissions
 * @returns {Promise<string>} "unknown" where the browser has no such permission
 */
async function permissionState(permissions) {
  for (const name of PERMISSION_NAMES) {
    try {
      if (permissions !== undefined) return (await permissions.query({ name })).state;
    } catch {
      // Not a name of this browser.
    }
  }
  return "unknown";
}

/**
 * A request that asks for no right to read its answer succeeds wherever anything listens at all. It
 * carries no token.
 *
 * @param {DiagnosisPowers} powers
 */
async function answersAnybody({ fetch: send, url }) {
  try {
    await send(`${url}/`, {
      mode: "no-cors",
      cache: "no-store",
      credentials: "omit",
      referrerPolicy: "no-referrer",
    });
    return true;
  } catch {
    return false;
  }
}
