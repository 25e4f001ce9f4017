// @ts-check
/** What an app asks of the workspace that is no tool: each helper sends one action of the table, and no other. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { PRIVATE_ACTIONS } from "../../../browser_worker/kernel/private/private_actions.js";
import { appOnPort } from "../support/app_on_port.js";

/** @import { PrivateActions } from "../../../browser_worker/app/private_actions.js" */

function app() {
  const made = appOnPort();
  return { ...made, actions: made.runtime.actions };
}

/** @type {[string, any, (actions: PrivateActions) => Promise<unknown>][]} */
const HELPERS = [
  ["tray.set_state", { badge: 3 }, ({ tray }) => tray.setState({ badge: 3 })],
  ["tray.dismiss", {}, ({ tray }) => tray.dismiss()],
  ["clipboard.write_text", { text: "a" }, ({ clipboard }) => clipboard.writeText("a")],
  ["connections.list", {}, ({ connections }) => connections.list()],
  [
    "connections.request",
    { provider: "mail", reason: "To send" },
    ({ connections }) => connections.request({ provider: "mail", reason: "To send" }),
  ],
  [
    "connections.credential",
    { connection: "1" },
    ({ connections }) => connections.credential({ connection: "1" }),
  ],
  [
    "connections.disconnect",
    { connection: "1" },
    ({ connections }) => connections.disconnect({ connection: "1" }),
  ],
  ["ethereum_provider.discover", {}, ({ ethereumProvider }) => ethereumProvider.discover()],
  [
    "ethereum_provider.connect",
    { wallet: "1" },
    ({ ethereumProvider }) => ethereumProvider.connect({ wallet: "1" }),
  ],
  [
    "ethereum_provider.request",
    { session: "1", method: "eth_accounts", params: [] },
    ({ ethereumProvider }) =>
      ethereumProvider.request({ session: "1", method: "eth_accounts", params: [] }),
  ],
  [
    "ethereum_provider.disconnect",
    { session: "1" },
    ({ ethereumProvider }) => ethereumProvider.disconnect({ session: "1" }),
  ],
  ["vetkeys.list", {}, ({ vetkeys }) => vetkeys.list()],
  ["vetkeys.create", { name: "a" }, ({ vetkeys }) => vetkeys.create({ name: "a" })],
  ["vetkeys.remove", { name: "a" }, ({ vetkeys }) => vetkeys.remove({ name: "a" })],
  [
    "vetkeys.derive",
    { name: "a", context: "b", bytes: 32 },
    ({ vetkeys }) => vetkeys.derive({ name: "a", context: "b", bytes: 32 }),
  ],
  [
    "agent.mode.request",
    { entrypoint: "run" },
    ({ agentMode }) => agentMode.request({ entrypoint: "run" }),
  ],
  ["agent.mode.status", {}, ({ agentMode }) => agentMode.status()],
  ["agent.mode.disable", {}, ({ agentMode }) => agentMode.disable()],
];

describe("helpers of private actions", () => {
  for (const [action, payload, call] of HELPERS) {
    test(`${action} is sent at once, and gives what it is answered`, async () => {
      const { actions, kernel, ports, sent } = app();
      const done = call(actions);
      // In the handler of the click itself: what is sent later has lost it.
      assert.equal(ports.waiting.length, 1);
      await ports.settle();
      assert.deepEqual(sent, [{ type: "exec", id: 1, payload: { action, payload } }]);
      kernel.postMessage({ type: "response", id: 1, ok: { said: action } });
      await ports.settle();
      assert.deepEqual(await done, { said: action });
    });
  }

  test("are those of the table, all of them", () => {
    const named = HELPERS.map(([action]) => action);
    assert.deepEqual(named.sort(), Object.keys(PRIVATE_ACTIONS).sort());
  });

  test("fail with the code that the workspace gives", async () => {
    const { actions, kernel, ports } = app();
    const failed = actions.clipboard.writeText("a").catch(({ code }) => code);
    await ports.settle();
    const error = { code: "OWNER_REQUIRED", message: "No." };
    kernel.postMessage({ type: "response", id: 1, error });
    await ports.settle();
    assert.equal(await failed, "OWNER_REQUIRED");
  });

  test("send nothing that is no JSON", async () => {
    const { actions, ports } = app();
    const badge = /** @type {any} */ (NaN);
    const code = await actions.tray.setState({ badge }).catch((error) => error.code);
    assert.equal(code, "NOT_JSON");
    assert.equal(ports.waiting.length, 0);
  });

  test("wait for the owner's answer, and not for ever", async () => {
    const { actions, ports, time } = app();
    /** @type {any} */
    let ended;
    void actions.agentMode.request({ entrypoint: "run" }).catch((error) => (ended = error.code));
    time.pass(184_999);
    await ports.settle();
    assert.equal(ended, undefined);
    time.pass(1);
    await ports.settle();
    assert.equal(ended, "TIMEOUT");
  });
});

describe("calls of the app's own backend", () => {
  test("send a method and its arguments, with an attachment each way", async () => {
    const { actions, kernel, ports, sent } = app();
    const attachment = new ArrayBuffer(3);
    const query = actions.canister.querySelf({ method: "list" });
    const update = actions.canister.updateSelf({
      ...{ method: "save", arguments: { id: 1 } },
      attachment,
    });
    await ports.settle();
    assert.deepEqual(
      sent.map(({ payload }) => payload),
      [
        { action: "canister.query_self", payload: { method: "list", arguments: {} } },
        { action: "canister.update_self", payload: { method: "save", arguments: { id: 1 } } },
      ],
    );
    assert.equal(sent[1].attachment.byteLength, 3);
    assert.equal(attachment.byteLength, 0);
    const bytes = new ArrayBuffer(5);
    kernel.postMessage({ type: "response", id: 1, ok: [1], attachment: bytes }, [bytes]);
    kernel.postMessage({ type: "response", id: 2, ok: null });
    await ports.settle();
    const listed = await query;
    assert.deepEqual([listed.result, listed.attachment?.byteLength], [[1], 5]);
    assert.deepEqual(await update, { result: null, attachment: undefined });
  });

  test("are cancelled by a signal", async () => {
    const { actions, ports, sent } = app();
    const stop = new AbortController();
    const call = actions.canister.updateSelf({ method: "save" }, { signal: stop.signal });
    const code = call.catch((error) => error.code);
    await ports.settle();
    stop.abort();
    assert.equal(await code, "CANCELLED");
    await ports.settle();
    assert.equal(sent.at(-1).type, "cancel");
  });
});
