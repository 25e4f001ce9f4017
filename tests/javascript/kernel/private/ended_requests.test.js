// @ts-check
/**
 * What an app asks of the page, and is ended from outside: whoever asked is told whether anything may have
 * been done. Each is ended while its owner is asked, and after their yes.
 */

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { addClipboardAction } from "../../../../browser_worker/kernel/private/clipboard_action.js";
import { addConnectionActions } from "../../../../browser_worker/kernel/private/connection_actions.js";
import { addWalletActions } from "../../../../browser_worker/kernel/private/wallet_actions.js";
import { makePrivateKernel } from "./private_kernel.js";

const ACCOUNT = `0x${"ab".repeat(20)}`;
const never = () => new Promise(() => {});

/** A tile and a background of an app, a wallet and a provider that do not answer once they are asked. */
function make() {
  const made = makePrivateKernel({ wallets: true, connections: ["mail"] });
  const { kernel, consent, powers } = made;
  const wallet = {
    request: ({ method = "" } = {}) =>
      method === "eth_requestAccounts"
        ? Promise.resolve([ACCOUNT])
        : method === "eth_chainId"
          ? Promise.resolve("0x1")
          : never(),
  };
  /** @type {(detail: unknown) => void} */
  let announce = () => {};
  addWalletActions(kernel, {
    consent,
    powers,
    events: {
      onAnnounce: (listener) => {
        announce = listener;
        return () => {};
      },
      request: () =>
        announce({ info: { uuid: "u", name: "Fox", rdns: "io.fox", icon: "" }, provider: wallet }),
    },
  });
  addConnectionActions(kernel, {
    consent,
    powers,
    providers: (id) => ({
      id,
      title: "Mail",
      connect: async (ask) => {
        await ask({ label: "User", maxChars: 20 });
        await ask({ label: "Password", maxChars: 20 });
        return {};
      },
      credential: () => "",
      disconnect: () => {},
    }),
  });
  addClipboardAction(kernel, {
    consent,
    attention: { staysWith: async () => true },
    writeText: async () => void (await never()),
  });
  const tile = made.connect("notes", "tile");
  const background = made.connect("notes");
  made.clicked(tile.endpoint.id, true);
  /** @param {number} id */
  const told = async (id, { app } = tile) => {
    await made.ports.settle();
    const { code, data, message } = app.response(id).error;
    return { code, outcome: data?.outcome, message };
  };
  return { ...made, tile, background, told };
}

/** @typedef {ReturnType<typeof make>} Made */

/**
 * Each asks something that the owner is asked about.
 *
 * @type {[string, (made: Made) => Promise<{ id: number, from: Made["tile"] }>][]}
 */
const ASKS = [
  [
    "ethereum_provider.request",
    async ({ asked, tile }) => {
      const found = await asked(tile.app, "ethereum_provider.discover");
      const { wallet } = found.response.ok.wallets[0];
      const { response } = await asked(tile.app, "ethereum_provider.connect", { wallet });
      const { session } = response.ok;
      const request = { session, method: "personal_sign", params: ["0x00", ACCOUNT] };
      return { id: tile.app.ask("ethereum_provider.request", request), from: tile };
    },
  ],
  [
    "connections.request, whose provider asks twice",
    async ({ background }) => {
      const id = background.app.ask("connections.request", { provider: "mail" });
      return { id, from: background };
    },
  ],
  [
    "clipboard.write_text",
    async ({ tile }) => ({
      id: tile.app.ask("clipboard.write_text", { text: "a" }),
      from: tile,
    }),
  ],
];

/** @type {[string, string, (made: Made, asked: { id: number, from: Made["tile"] }) => unknown][]} */
const ENDS = [
  ["a lock", "LOCKED", ({ kernel }) => kernel.lock()],
  [
    "its own cancelling",
    "CANCELLED",
    (_, { id, from }) => from.app.send({ type: "cancel", id, payload: { reason: "enough" } }),
  ],
];

for (const [action, begin] of ASKS) {
  describe(action, () => {
    for (const [what, code, end] of ENDS) {
      for (const begun of [false, true]) {
        const when = begun ? "after a yes may have been done" : "before a yes did nothing";
        test(`ended by ${what}, ${when}`, async () => {
          const made = make();
          const asked = await begin(made);
          await made.ports.settle();
          assert.ok(made.consent.current !== null);
          if (begun) made.allow(action.startsWith("connections") ? "somebody" : undefined);
          await made.ports.settle();
          await end(made, asked);
          const told = await made.told(asked.id, asked.from);
          assert.deepEqual(
            [told.code, told.outcome],
            [code, begun ? "unknown" : "not_delivered"],
            told.message,
          );
          assert.match(told.message, begun ? /may have been done/ : /nothing was run/);
          assert.equal(made.consent.current, null);
        });
      }
    }
  });
}
