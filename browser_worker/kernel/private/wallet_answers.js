// @ts-check
/**
 * What wallets answer, made safe to pass on: plain bounded JSON, and errors of which only a number and a
 * few words are told. Contract: bus, private actions.
 */

import { BusError } from "../../contract/bus_error.js";
import { copyJson } from "../../contract/bus_json.js";
import { seen } from "../well_formed.js";

/** @import { WalletProvider } from "./wallet_directory.js" */

const MAX_RESULT_BYTES = 524_288;
const MAX_ACCOUNTS = 64;
const MAX_MESSAGE_CHARS = 300;
const ACCOUNT = /^0x[0-9a-fA-F]{40}$/;
const CHAIN = /^0x[0-9a-fA-F]{1,16}$/;

/**
 * Asks a wallet. A wallet can take for ever: then the signal ends the waiting, and what the wallet does
 * in the end nobody knows.
 *
 * @param {WalletProvider} provider
 * @param {string} method
 * @param {unknown} params
 * @param {AbortSignal} signal
 * @returns {Promise<unknown>} Rejects with a `BusError`.
 */
export async function askWallet(provider, method, params, signal) {
  const given = await Promise.race([answerOf(provider, { method, params }), aborted(signal)]);
  return given === undefined
    ? null
    : copyJson(given, { what: "wallet's answer", not: "passed on", maxBytes: MAX_RESULT_BYTES });
}

/**
 * @param {WalletProvider} provider
 * @param {{ method: string, params: unknown }} request
 */
async function answerOf(provider, request) {
  try {
    return await provider.request(request);
  } catch (error) {
    // Only to ask what kind of error it is can throw another one.
    throw walletError(error);
  }
}

/**
 * @param {unknown} value
 * @returns {string[]} In lower case.
 */
export function readAccounts(value) {
  if (Array.isArray(value) && value.length <= MAX_ACCOUNTS && value.every(isAccount)) {
    return value.map((account) => account.toLowerCase());
  }
  throw new BusError(
    "INVALID_OUTPUT",
    "The wallet answered, and gave what are no accounts; nothing of it was passed on.",
  );
}

/** @param {unknown} value @returns {string} */
export function readChainId(value) {
  if (typeof value === "string" && CHAIN.test(value)) return value.toLowerCase();
  throw new BusError(
    "INVALID_OUTPUT",
    "The wallet answered, and gave what is no number of a network; nothing of it was passed on.",
  );
}

/** @param {unknown} value @returns {value is string} */
export function isAccount(value) {
  return typeof value === "string" && ACCOUNT.test(value);
}

/**
 * @param {AbortSignal} signal
 * @returns {Promise<never>}
 */
function aborted(signal) {
  return new Promise((_resolve, reject) => {
    const end = () =>
      reject(
        new BusError(
          "CANCELLED",
          "Nobody waits for the wallet any more; it may do what it was asked.",
        ),
      );
    if (signal.aborted) end();
    else signal.addEventListener("abort", end, { once: true });
  });
}

/** @param {any} error */
function walletError(error) {
  let walletCode = null;
  let said = "";
  try {
    const { code, message } = error;
    if (Number.isSafeInteger(code)) walletCode = code;
    if (typeof message === "string") said = `: ${seen(message, MAX_MESSAGE_CHARS)}`;
  } catch {
    // It is no error that tells anything.
  }
  return new BusError("TOOL_FAILED", `The wallet did not do it${said}`, { data: { walletCode } });
}
