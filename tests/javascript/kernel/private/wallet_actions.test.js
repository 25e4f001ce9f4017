// @ts-check
/** Wallets, as a tile reaches them: by bounded data, and by clicks of the owner's. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { addWalletActions } from "../../../../browser_worker/kernel/private/wallet_actions.js";
import { WALLET_METHODS } from "../../../../browser_worker/kernel/private/wallet_methods.js";
import { makePrivateKernel } from "./private_kernel.js";

const ACCOUNT = `0x${"aB".repeat(20)}`;
const OWN = ACCOUNT.toLowerCase();
const OTHER = `0x${"cd".repeat(20)}`;

/** @param {any} [declares] */
function make(declares = { wallets: true }) {
  const made = makePrivateKernel(declares);
  /** What reached the wallet. @type {any[]} */
  const reached = [];
  /** What it answers, by method. @type {Record<string, any>} */
  const answers = {
    eth_requestAccounts: [ACCOUNT],
    eth_accounts: [ACCOUNT, OTHER],
    eth_chainId: "0x1",
    personal_sign: "0x5161",
  };
  const provider = {
    request: async (/** @type {any} */ { method, params }) => {
      reached.push([method, params]);
      const answer = answers[method];
      if (answer instanceof Error) throw answer;
      return typeof answer === "function" ? answer() : answer;
    },
  };
  /** @type {(detail: unknown) => void} */
  let announce = () => {};
  const { sessions } = addWalletActions(made.kernel, {
    consent: made.consent,
    powers: made.powers,
    events: {
      onAnnounce: (listener) => {
        announce = listener;
        return () => {};
      },
      request: () =>
        announce({ info: { uuid: "u", name: "Fox", rdns: "io.fox", icon: "" }, provider }),
    },
  });
  const { app, endpoint } = made.connect("notes", "tile");
  made.clicked(endpoint.id);
  const connectWallet = async () => {
    const found = await made.asked(app, "ethereum_provider.discover");
    const { wallet } = found.response.ok.wallets[0];
    return (await made.asked(app, "ethereum_provider.connect", { wallet })).response.ok;
  };
  /** @param {string} session @param {string} method @param {any[]} [params] */
  const request = (session, method, params = undefined) =>
    made.ask(app, "ethereum_provider.request", { session, method, ...(params && { params }) });
  return { ...made, reached, answers, sessions, app, endpoint, connectWallet, request };
}

describe("finding and connecting a wallet", () => {
  test("takes a click in the page for each, though the tile was clicked itself", async () => {
    const { ask, app, consent, reached, deny, ports } = make();
    const id = app.ask("ethereum_provider.discover", {});
    await ports.settle();
    assert.equal(app.response(id), undefined);
    assert.equal(consent.current?.prompt.title, "Show the app notes which wallets you have?");
    deny();
    await ports.settle();
    assert.equal(app.response(id).error.code, "OWNER_REQUIRED");
    // And the no is heard for a while, without another question.
    assert.equal((await ask(app, "ethereum_provider.discover")).error.code, "OWNER_REQUIRED");
    assert.equal(consent.current, null);
    assert.deepEqual(reached, []);
  });

  test("gives a session and bounded metadata, and nothing of the wallet's own", async () => {
    const { asked, app } = make();
    const found = await asked(app, "ethereum_provider.discover");
    const { wallet, ...shown } = found.response.ok.wallets[0];
    assert.deepEqual(shown, { name: "Fox", rdns: "io.fox", icon: null });
    const { response, prompt } = await asked(app, "ethereum_provider.connect", { wallet });
    assert.equal(prompt.title, "Connect the app notes to Fox?");
    const { session, ...rest } = response.ok;
    assert.equal(typeof session, "string");
    assert.deepEqual(rest, {
      wallet: { name: "Fox", rdns: "io.fox" },
      chainId: "0x1",
      accounts: [OWN],
    });
  });

  test("is for the focused tile with a fresh click of an app that declares it", async () => {
    const { ask, app, attention, consent } = make();
    attention.active = false;
    assert.equal((await ask(app, "ethereum_provider.discover")).error.code, "OWNER_REQUIRED");
    attention.active = true;
    attention.focused = "app:board:tile:main:instance:1";
    assert.equal((await ask(app, "ethereum_provider.discover")).error.code, "OWNER_REQUIRED");
    const undeclared = make({});
    const { error } = await undeclared.ask(undeclared.app, "ethereum_provider.discover");
    assert.equal(error.code, "OWNER_REQUIRED");
    assert.equal(consent.current, null);
  });

  test("believes no wallet what its accounts or its network are", async () => {
    for (const [method, answer] of /** @type {[string, any][]} */ ([
      ["eth_requestAccounts", "0x1"],
      ["eth_requestAccounts", ["<script>"]],
      ["eth_requestAccounts", Array.from({ length: 65 }, () => ACCOUNT)],
      ["eth_chainId", 1],
    ])) {
      const { asked, app, answers, sessions } = make();
      answers[method] = answer;
      const found = await asked(app, "ethereum_provider.discover");
      const { wallet } = found.response.ok.wallets[0];
      const { response } = await asked(app, "ethereum_provider.connect", { wallet });
      assert.equal(response.error.code, "INVALID_OUTPUT", method);
      assert.equal(sessions.size, 0);
    }
  });

  test("does not work with a wallet that is not there", async () => {
    const { ask, app } = make();
    const { error } = await ask(app, "ethereum_provider.connect", { wallet: "u" });
    assert.equal(error.code, "INVALID_INPUT");
  });
});

describe("asking a wallet", () => {
  test("what only reads goes through at once", async () => {
    const { connectWallet, request, consent, answers } = make();
    const { session } = await connectWallet();
    answers["eth_getBalance"] = "0x10";
    assert.deepEqual((await request(session, "eth_getBalance", [ACCOUNT, "latest"])).ok, {
      result: "0x10",
    });
    assert.equal(consent.current, null);
  });

  for (const [method, { kind }] of WALLET_METHODS) {
    if (kind === "reads") continue;
    test(`${method} is shown to the owner, and reaches the wallet by a yes only`, async () => {
      const { connectWallet, app, consent, reached, asked, deny, ports } = make();
      const { session } = await connectWallet();
      reached.length = 0;
      const params =
        method === "personal_sign"
          ? ["0x48690a21", ACCOUNT]
          : method === "eth_signTypedData_v4"
            ? [ACCOUNT, "{}"]
            : [{ from: ACCOUNT, chainId: "0x1" }];
      const payload = { session, method, params };
      const { response, prompt } = await asked(app, "ethereum_provider.request", payload);
      assert.equal("ok" in response, true);
      assert.deepEqual(reached, [[method, params]]);
      const facts = Object.fromEntries(prompt.facts.map(({ label, value }) => [label, value]));
      assert.equal(facts["Method"], method);
      assert.equal(facts["Parameters"], JSON.stringify(params, null, 2));
      assert.equal(facts["Wallet"], "Fox (io.fox)");
      if (method === "personal_sign") assert.equal(facts["Message"], "Hi\n!");

      const id = app.ask("ethereum_provider.request", payload);
      await ports.settle();
      assert.notEqual(consent.current, null);
      deny();
      await ports.settle();
      assert.equal(app.response(id).error.code, "OWNER_REQUIRED");
      assert.equal(reached.length, 1);
    });
  }

  test("no other method reaches the wallet", async () => {
    const { connectWallet, request, reached } = make();
    const { session } = await connectWallet();
    reached.length = 0;
    for (const method of ["eth_sign", "wallet_requestPermissions", "eth_requestAccounts", "x"]) {
      assert.equal((await request(session, method)).error.code, "INVALID_INPUT");
    }
    assert.deepEqual(reached, []);
  });

  test("what is in the name of another account is refused before anybody is asked", async () => {
    const { connectWallet, request, reached, consent } = make();
    const { session } = await connectWallet();
    reached.length = 0;
    for (const [method, params] of /** @type {[string, any[]][]} */ ([
      ["eth_sendTransaction", [{ from: OTHER }]],
      ["eth_sendTransaction", [null]],
      ["personal_sign", ["0x00", OTHER]],
      ["eth_signTypedData_v4", []],
    ])) {
      assert.equal((await request(session, method, params)).error.code, "INVALID_INPUT");
    }
    assert.equal(consent.current, null);
    assert.deepEqual(reached, []);
  });

  test("only accounts that the session began with are told", async () => {
    const { connectWallet, request } = make();
    const { session } = await connectWallet();
    assert.deepEqual((await request(session, "eth_accounts")).ok, { result: [OWN] });
  });

  test("what cannot be shown whole is not asked", async () => {
    const { connectWallet, request, consent } = make();
    const { session } = await connectWallet();
    const long = `0x${"00".repeat(20_000)}`;
    const { error } = await request(session, "personal_sign", [long, ACCOUNT]);
    assert.equal(error.code, "TOO_LARGE");
    assert.equal(consent.current, null);
  });

  test("a wallet's error is told by its number and few words, and its answer as plain JSON", async () => {
    const { connectWallet, request, answers } = make();
    const { session } = await connectWallet();
    const rejection = `no\u202e${"x".repeat(500)}`;
    answers["eth_call"] = Object.assign(new Error(rejection), { code: 4001 });
    const { error } = await request(session, "eth_call");
    assert.equal(error.code, "TOOL_FAILED");
    assert.deepEqual(error.data, { walletCode: 4001 });
    assert.ok(error.message.length < 400);
    assert.equal(error.message.includes("\u202e"), false);
    answers["eth_call"] = new Map([["a", 1]]);
    assert.equal((await request(session, "eth_call")).error.code, "NOT_JSON");
    answers["eth_call"] = "x".repeat(600_000);
    assert.equal((await request(session, "eth_call")).error.code, "TOO_LARGE");
    answers["eth_call"] = undefined;
    assert.deepEqual((await request(session, "eth_call")).ok, { result: null });
  });

  test("a wallet whose error fails whoever looks at it is one that did not do it", async () => {
    const { connectWallet, request, answers } = make();
    const { session } = await connectWallet();
    const fails = () => {
      throw trap;
    };
    const trap = new Proxy(new Error("no"), { get: fails, getPrototypeOf: fails, has: fails });
    answers["eth_call"] = fails;
    // More often than one tile may have such requests wait.
    for (let turn = 0; turn < 6; turn += 1) {
      const { error } = await request(session, "eth_call");
      assert.equal(error.code, "TOOL_FAILED");
      assert.deepEqual(error.data, { walletCode: null });
    }
  });

  test("a wallet that never answers holds nobody longer than who waits", async () => {
    const { connectWallet, app, answers, ports } = make();
    const { session } = await connectWallet();
    answers["eth_call"] = () => new Promise(() => {});
    const id = app.ask("ethereum_provider.request", { session, method: "eth_call" });
    await ports.settle();
    assert.equal(app.response(id), undefined);
    app.send({ type: "cancel", id, payload: { reason: "enough" } });
    await ports.settle();
    assert.equal(app.response(id).error.code, "CANCELLED");
  });
});

describe("a session with a wallet", () => {
  test("is of one connection of one tile, and of no other endpoint", async () => {
    const { connectWallet, connect, clicked, ask, request, kernel, endpoint } = make();
    const { session } = await connectWallet();
    const payload = { session, method: "eth_chainId" };
    const other = connect("notes", "tile", "2");
    clicked(other.endpoint.id);
    const { error } = await ask(other.app, "ethereum_provider.request", payload);
    assert.equal(error.code, "INVALID_INPUT");
    clicked(endpoint.id);
    assert.deepEqual((await request(session, "eth_chainId")).ok, { result: "0x1" });
    // The same place, connected anew, is another.
    kernel.disconnect(endpoint);
    const again = connect("notes", "tile", "1");
    assert.equal(again.endpoint.id, endpoint.id);
    const late = await ask(again.app, "ethereum_provider.request", payload);
    assert.equal(late.error.code, "INVALID_INPUT");
  });

  test("ends with its tile, its app's version, a lock, and when the tile says so", async () => {
    for (const end of /** @type {((made: ReturnType<typeof make>) => void)[]} */ ([
      ({ kernel, endpoint }) => kernel.disconnect(endpoint),
      ({ kernel }) => kernel.forgetApp("notes"),
      ({ kernel }) => kernel.lock(),
    ])) {
      const made = make();
      await made.connectWallet();
      made.kernel.forgetApp("board");
      assert.equal(made.sessions.size, 1);
      end(made);
      assert.equal(made.sessions.size, 0);
    }
    const { connectWallet, ask, app, sessions } = make();
    const { session } = await connectWallet();
    assert.deepEqual((await ask(app, "ethereum_provider.disconnect", { session })).ok, {});
    assert.equal(sessions.size, 0);
  });

  test("that ends while the owner is asked takes the question away, and nothing to the wallet", async () => {
    for (const [end, code] of /** @type {[(made: ReturnType<typeof make>) => void, string][]} */ ([
      [({ sessions }) => sessions.forgetApp("notes"), "INVALID_INPUT"],
      [({ sessions }) => sessions.revokeAll(), "OWNER_REQUIRED"],
    ])) {
      const made = make();
      const { connectWallet, app, consent, ports, reached } = made;
      const { session } = await connectWallet();
      const params = ["0x00", ACCOUNT];
      const id = app.ask("ethereum_provider.request", { session, method: "personal_sign", params });
      await ports.settle();
      assert.notEqual(consent.current, null);
      reached.length = 0;
      end(made);
      await ports.settle();
      assert.equal(consent.current, null);
      assert.equal(app.response(id).error.code, code);
      assert.match(app.response(id).error.message, /the wallet was not asked/);
      assert.deepEqual(reached, []);
    }
  });

  test("that the owner takes back ends what waits for the wallet, and its next use is refused as theirs", async () => {
    const { connectWallet, request, app, answers, sessions, ports, reached } = make();
    const { session } = await connectWallet();
    assert.ok((await request(session, "eth_accounts")).ok);
    /** @type {(value: string) => void} */
    let answer = () => {};
    answers["eth_call"] = () => new Promise((give) => (answer = give));
    const id = app.ask("ethereum_provider.request", { session, method: "eth_call" });
    await ports.settle();
    assert.equal(app.response(id), undefined);
    assert.equal(sessions.revoke(session), true);
    await ports.settle();
    assert.equal(app.response(id).error.code, "OWNER_REQUIRED");
    assert.deepEqual(app.response(id).error.data, { reason: "revoked", outcome: "unknown" });
    assert.match(app.response(id).error.message, /may do what it was asked for/);
    const told = app.received.length;
    answer("0x1");
    await ports.settle();
    assert.equal(app.received.length, told);

    reached.length = 0;
    const { error } = await request(session, "eth_accounts");
    assert.equal(error.code, "OWNER_REQUIRED");
    assert.deepEqual(error.data, { reason: "revoked", outcome: "not_delivered" });
    assert.deepEqual(reached, []);
    assert.equal(sessions.revoke(session), false);
    // And by another yes there is another.
    const again = await connectWallet();
    assert.ok((await request(again.session, "eth_accounts")).ok);
  });

  test("that the owner took back is no secret to its own tile only, and forgotten with it", async () => {
    const { connectWallet, connect, clicked, ask, sessions, kernel, endpoint } = make();
    const { session } = await connectWallet();
    sessions.revoke(session);
    const payload = { session, method: "eth_chainId" };
    const other = connect("notes", "tile", "2");
    clicked(other.endpoint.id);
    const others = await ask(other.app, "ethereum_provider.request", payload);
    assert.equal(others.error.code, "INVALID_INPUT");
    kernel.disconnect(endpoint);
    const again = connect("notes", "tile", "1");
    clicked(again.endpoint.id);
    const late = await ask(again.app, "ethereum_provider.request", payload);
    assert.equal(late.error.code, "INVALID_INPUT");
  });

  test("is seen by the owner with its tile and its wallet, and watched", async () => {
    const { connectWallet, ask, app, sessions, powers } = make();
    let told = 0;
    const stop = sessions.onChange(() => (told += 1));
    const { session } = await connectWallet();
    const since = powers.wallNow();
    assert.deepEqual(sessions.all(), [
      {
        id: session,
        app: "notes",
        tile: "main",
        wallet: "Fox",
        rdns: "io.fox",
        accounts: 1,
        since,
      },
    ]);
    await ask(app, "ethereum_provider.disconnect", { session });
    assert.deepEqual(sessions.all(), []);
    assert.equal(told, 2);
    stop();
  });

  test("is one of each wallet for a tile", async () => {
    const { connectWallet, sessions } = make();
    const first = await connectWallet();
    const second = await connectWallet();
    assert.notEqual(first.session, second.session);
    assert.equal(sessions.size, 1);
  });
});
