// @ts-check
/** What the owner is asked before an app reaches a wallet: in full, or not at all. Contract: bus, private actions. */

import { BusError } from "../../contract/bus_error.js";
import { decodeUtf8 } from "../../contract/utf8.js";
import { seen, seenJson } from "../well_formed.js";

/** @import { Fact, Prompt } from "../consent/consent_queue.js" */
/** @import { Wallet } from "./wallet_directory.js" */
/** @import { WalletMethod } from "./wallet_methods.js" */

/** What nobody reads nobody has allowed. */
const MAX_SHOWN_CHARS = 32_768;
const HEX = /^0x(?:[0-9a-fA-F]{2})*$/;

/** @typedef {{ app: string, fact: Fact }} Asker */

/** @param {Asker} asker @returns {Prompt} */
export function discoverPrompt({ app, fact }) {
  return {
    subject: `app:${app}`,
    title: `Show the app ${app} which wallets you have?`,
    facts: [fact, { label: "What it learns", value: "Their names. It cannot use them by that." }],
    choices: [{ id: "once", label: "Only this time" }],
    confirm: "Show",
  };
}

/** @param {Asker} asker @param {Wallet} wallet @returns {Prompt} */
export function connectPrompt({ app, fact }, wallet) {
  return {
    subject: `app:${app}`,
    title: `Connect the app ${app} to ${wallet.name}?`,
    facts: [
      fact,
      walletFact(wallet),
      {
        label: "What it learns",
        value: "Your accounts, the network, and what anybody can read there.",
      },
      { label: "What is asked each time", value: "Whatever is signed, sent or changed." },
    ],
    choices: [{ id: "connect", label: "Until its tile is closed" }],
    confirm: "Connect",
  };
}

/**
 * @param {Asker} asker
 * @param {Wallet} wallet
 * @param {{ method: string, rule: WalletMethod, params: readonly unknown[] }} request
 * @returns {Prompt}
 * @throws {BusError} `TOO_LARGE` for what cannot be shown whole.
 */
export function requestPrompt({ app, fact }, wallet, { method, rule, params }) {
  const written = seenJson(JSON.stringify(params, null, 2));
  if (written.length > MAX_SHOWN_CHARS) {
    throw new BusError(
      "TOO_LARGE",
      `The parameters are too long to be shown to the owner; the wallet was not asked.`,
      { data: { limit: "characters", maximum: MAX_SHOWN_CHARS } },
    );
  }
  const message = method === "personal_sign" ? readableMessage(params[0]) : null;
  return {
    subject: `app:${app}`,
    title: `The app ${app} wants to ${rule.does ?? "use the wallet"}`,
    facts: [
      fact,
      walletFact(wallet),
      { label: "Method", value: method, code: true },
      ...(message === null ? [] : [{ label: "Message", value: lines(message), code: true }]),
      { label: "Parameters", value: written, code: true },
    ],
    choices: [{ id: "once", label: "Only this time" }],
    confirm: "Pass it on to the wallet",
  };
}

/** @param {Wallet} wallet @returns {Fact} */
function walletFact({ name, rdns }) {
  return { label: "Wallet", value: `${name} (${rdns})` };
}

/** @param {unknown} hex @returns {string | null} The text that is signed, where it is one. */
function readableMessage(hex) {
  if (typeof hex !== "string" || !HEX.test(hex)) return null;
  const bytes = new Uint8Array((hex.length - 2) / 2);
  for (let at = 0; at < bytes.length; at++) {
    bytes[at] = Number.parseInt(hex.slice(2 + at * 2, 4 + at * 2), 16);
  }
  return decodeUtf8(bytes) ?? null;
}

/** @param {string} text @returns {string} With its line breaks, and nothing else that is not seen. */
function lines(text) {
  return text
    .split("\n")
    .map((line) => seen(line, MAX_SHOWN_CHARS))
    .join("\n");
}
