// @ts-check
/**
 * Wallets as a tile asks for them. Nothing of a wallet reaches an app but bounded data, and nothing is
 * signed, sent or changed without a click of the owner's in the page itself. Contract: bus, private
 * actions.
 */

import { BusError } from "../../contract/bus_error.js";
import { endsWith } from "./ends_with.js";
import { askerFact, payloadReader, requireThere, requireYes } from "./private_parts.js";
import { askWallet, isAccount, readAccounts, readChainId } from "./wallet_answers.js";
import { WalletDirectory } from "./wallet_directory.js";
import { WALLET_METHODS } from "./wallet_methods.js";
import { connectPrompt, discoverPrompt, requestPrompt } from "./wallet_prompts.js";
import { WalletSessions } from "./wallet_sessions.js";

/** @import { Consent } from "../consent/consent_queue.js" */
/** @import { KernelPowers } from "../kernel_powers.js" */
/** @import { PrivateKernel } from "./private_parts.js" */
/** @import { PrivateContext } from "./private_requests.js" */
/** @import { WalletEvents } from "./wallet_directory.js" */
/** @import { WalletMethod } from "./wallet_methods.js" */
/** @import { WalletSession } from "./wallet_sessions.js" */

const ID = { type: "string", minLength: 1, maxLength: 60 };

const readDiscover = payloadReader("ethereum_provider.discover");
const readConnect = payloadReader("ethereum_provider.connect", { wallet: ID });
const readDisconnect = payloadReader("ethereum_provider.disconnect", { session: ID });
const readRequest = payloadReader(
  "ethereum_provider.request",
  {
    session: ID,
    method: { type: "string", maxLength: 60 },
    params: { type: "array", maxItems: 16 },
  },
  ["session", "method"],
);

/**
 * @param {PrivateKernel} kernel
 * @param {{ consent: Consent, events: WalletEvents, powers: Pick<KernelPowers, "newId" | "wallNow"> }} more
 * @returns {{ directory: WalletDirectory, sessions: WalletSessions }}
 */
export function addWalletActions(kernel, { consent, events, powers }) {
  const directory = new WalletDirectory(events, powers);
  const sessions = new WalletSessions(powers);
  kernel.addKeeper(sessions);

  kernel.private.on("ethereum_provider.discover", async (payload, source) => {
    readDiscover(payload);
    await requireYes(
      consent,
      source,
      discoverPrompt(askerOf(kernel, source)),
      "see which wallets there are",
    );
    const wallets = directory.discover();
    return {
      wallets: wallets.map(({ id, name, rdns, icon }) => ({ wallet: id, name, rdns, icon })),
    };
  });

  kernel.private.on("ethereum_provider.connect", async (payload, source) => {
    const wallet = directory.get(readConnect(payload).wallet);
    if (wallet === undefined) {
      throw new BusError(
        "INVALID_INPUT",
        "There is no such wallet; nobody was asked. Look for wallets again.",
      );
    }
    const { endpoint, signal } = source;
    const prompt = connectPrompt(askerOf(kernel, source), wallet);
    await requireYes(consent, source, prompt, `connect to ${wallet.name}`);
    const { provider, name, rdns } = wallet;
    const accounts = readAccounts(await askWallet(provider, "eth_requestAccounts", [], signal));
    const chainId = readChainId(await askWallet(provider, "eth_chainId", [], signal));
    requireThere(source, "the wallet was not asked");
    const session = sessions.open(endpoint, wallet, accounts);
    return { session: session.id, wallet: { name, rdns }, chainId, accounts };
  });

  kernel.private.on("ethereum_provider.request", async (payload, source) => {
    const { session: id, method, params = [] } = readRequest(payload);
    const session = sessions.get(source.endpoint, id);
    const rule = WALLET_METHODS.get(method);
    if (rule === undefined) {
      throw new BusError(
        "INVALID_INPUT",
        "Apps cannot use that method of a wallet; the wallet was not asked.",
      );
    }
    if (rule.kind === "asks") {
      const request = { method, rule, params };
      requireOwnAccount(session, request);
      const prompt = requestPrompt(askerOf(kernel, source), session.wallet, request);
      const what = rule.does ?? "use the wallet";
      // A question about a session that has ended is taken away.
      await endsWith([session.signal, source.signal], (signal) =>
        requireYes(consent, { ...source, signal }, prompt, what),
      );
    }
    requireThere(source, "the wallet was not asked");
    const { wallet, accounts } = sessions.get(source.endpoint, id);
    const result = await endsWith([session.signal, source.signal], (signal) =>
      askWallet(wallet.provider, method, params, signal),
    ).catch((error) => {
      throw error === session.signal.reason ? endedMeanwhile(error) : error;
    });
    if (method !== "eth_accounts") return { result };
    return { result: readAccounts(result).filter((account) => accounts.includes(account)) };
  });

  kernel.private.on("ethereum_provider.disconnect", (payload, { endpoint }) => {
    sessions.end(sessions.get(endpoint, readDisconnect(payload).session));
    return {};
  });

  return { directory, sessions };
}

/**
 * @param {WalletSession} session
 * @param {{ rule: WalletMethod, params: readonly unknown[] }} request
 */
function requireOwnAccount({ accounts }, { rule, params }) {
  if (rule.account === undefined) return;
  const account = rule.account(params);
  if (isAccount(account) && accounts.includes(account.toLowerCase())) return;
  throw new BusError(
    "INVALID_INPUT",
    "That is not in the name of an account of this session; the wallet was not asked.",
  );
}

/** @param {BusError} error Why the session ended. */
function endedMeanwhile({ code, data }) {
  const text =
    "The session ended while the wallet was asked; the wallet may do what it was asked for. Connect again.";
  return new BusError(code, text, { data: { ...data, outcome: "unknown" } });
}

/**
 * @param {PrivateKernel} kernel
 * @param {PrivateContext} source
 */
function askerOf(kernel, { app }) {
  return { app, fact: askerFact(kernel, app) };
}
