// @ts-check
/** What becomes of the sessions of a client that the bridge has forgotten: nobody else closes them. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { ActionSpec, AgentEndpoint, Dispatcher } from "../../../browser_worker/index.js";
import { Delivery } from "../../../browser_worker/link/delivery.js";
import { ManualRuntime } from "../support/manual_runtime.js";
import { FakeTime, settle } from "./support/fake_time.js";

const INITIALIZE = JSON.stringify({
  jsonrpc: "2.0",
  id: 0,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: {} },
});
const INFO = '{"jsonrpc":"2.0","id":1,"method":"agent/info"}';

function page() {
  const host = {
    actions: () => [ActionSpec.read("look", "Looks")],
    revision: () => null,
    capabilities: () => 0,
    execute: () => ({}),
  };
  const app = { name: "App", version: "1" };
  const dispatcher = new Dispatcher(host, { app, runtime: new ManualRuntime() });
  dispatcher.setEnabled(true);
  const endpoint = new AgentEndpoint(dispatcher);
  const time = new FakeTime();
  const delivery = new Delivery({ endpoint, clock: time.clock });
  /** @type {(string | null)[]} */
  const answers = [];
  const transport = {
    begun() {},
    /** @type {(id: string, response: string | null) => void} */
    postResult: (_id, response) => void answers.push(response),
  };
  let items = 0;
  /**
   * @param {string} session
   * @param {string | null} request null closes it
   */
  const ask = async (session, request) => {
    const seq = ++items;
    const item = { id: `i${seq}`, seq, session, remainingMs: 30_000, request };
    delivery.accept([item], time.clock(), transport);
    await settle();
    return answers.at(-1) ?? "";
  };
  return { delivery, endpoint, ask };
}

for (const ends of /** @type {const} */ (["restart", "abandon"])) {
  test(`initialised sessions end with the client of the bridge: ${ends}`, async () => {
    const { delivery, endpoint, ask } = page();
    for (let place = 0; place < 16; place++) await ask(`s${place}`, INITIALIZE);
    assert.match(await ask("new", INFO), /SESSION_LIMIT/, "there they are");
    delivery[ends](1_000_000);
    assert.deepEqual(endpoint.sessions, []);
    assert.match(await ask("new", INFO), /"result"/);
    // Whoever is still there is opened anew, in a session of the same name.
    assert.match(await ask("s3", INITIALIZE), /"protocolVersion":"2025-11-25"/);
    assert.deepEqual(endpoint.sessions, ["new", "s3"]);
  });
}

test("a session that a job has closed is closed once, and one of the page's own never", async () => {
  const { delivery, endpoint, ask } = page();
  await ask("s", INITIALIZE);
  await ask("s", null);
  await endpoint.request(INITIALIZE, { session: "s" });
  delivery.abandon();
  assert.deepEqual(endpoint.sessions, ["s"]);
});
