// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";

import { watchCsp } from "../../../browser_worker/link/csp_watch.js";
import { diagnose } from "../../../browser_worker/link/diagnosis.js";
import { FakeTime } from "./support/fake_time.js";
import { ScriptedBridge, URL_OF_BRIDGE } from "./support/scripted_bridge.js";

/** @import { DiagnosisPowers } from "../../../browser_worker/link/diagnosis.js" */

/**
 * @param {Partial<DiagnosisPowers> & { listening?: boolean }} [powers]
 */
async function causeOf({ listening = false, ...powers } = {}) {
  const time = new FakeTime();
  const bridge = new ScriptedBridge();
  bridge.dead = !listening;
  const finding = diagnose({
    url: URL_OF_BRIDGE,
    fetch: bridge.fetch,
    setTimer: time.setTimer,
    blockedByCsp: () => false,
    permissions: permissions("loopback-network", "granted"),
    location: { protocol: "https:", hostname: "app.example" },
    isSecureContext: true,
    ...powers,
  });
  await time.advance(50);
  if (listening && bridge.requests.length > 0) await bridge.requests[0]?.answer(200, "");
  return { cause: await finding, bridge };
}

/**
 * A browser that knows one name of the permission and throws at every other.
 *
 * @param {string} known
 * @param {string} state
 */
const permissions = (known, state) => ({
  /** @param {{ name: string }} descriptor */
  query: async ({ name }) => {
    if (name !== known) throw new TypeError(`${name} is not a valid enum value`);
    return { state };
  },
});

test("the page's policy, its insecurity and a denied permission are named without another request", async () => {
  const csp = await causeOf({ blockedByCsp: () => true });
  const insecure = await causeOf({ isSecureContext: false });
  const denied = await causeOf({ permissions: permissions("loopback-network", "denied") });
  assert.deepEqual(
    [csp.cause, insecure.cause, denied.cause],
    ["blocked-by-csp", "insecure-page", "permission-denied"],
  );
  for (const { bridge } of [csp, insecure, denied]) assert.equal(bridge.requests.length, 0);
});

test("the older name of the permission is asked where the newer one is unknown", async () => {
  const { cause } = await causeOf({ permissions: permissions("local-network-access", "denied") });
  assert.equal(cause, "permission-denied");
});

test("something that answers without a right to read it was started for another page", async () => {
  const { cause, bridge } = await causeOf({ listening: true });
  assert.equal(cause, "wrong-origin");
  const probe = bridge.requests[0];
  assert.equal(probe?.init.mode, "no-cors");
  // With any other, browsers refuse a request of this mode before it is sent.
  assert.equal(probe?.init.redirect ?? "follow", "follow");
  assert.equal(probe?.headers.has("Authorization"), false, "the probe carries no token");
});

test("a question that nobody answered is told from a bridge that does not run", async () => {
  const prompt = permissions("loopback-network", "prompt");
  assert.equal((await causeOf({ permissions: prompt })).cause, "permission-unanswered");
  assert.equal((await causeOf()).cause, "bridge-not-running");
});

test("a page that itself comes from this machine needs no permission", async () => {
  for (const hostname of ["localhost", "127.0.0.1", "127.8.0.1", "[::1]", "app.localhost"]) {
    const location = { protocol: "http:", hostname };
    const prompt = permissions("loopback-network", "prompt");
    assert.equal((await causeOf({ location, permissions: prompt })).cause, "bridge-not-running");
    const none = { location, permissions: undefined };
    assert.equal((await causeOf(none)).cause, "bridge-not-running");
  }
});

test("a browser without the permission may block http from an https page", async () => {
  assert.equal((await causeOf({ permissions: undefined })).cause, "mixed-content");
  const unknown = permissions("something-else", "granted");
  assert.equal((await causeOf({ permissions: unknown })).cause, "mixed-content");
});

test("only violations that concern the bridge count", () => {
  const document = new EventTarget();
  const watch = watchCsp(document, URL_OF_BRIDGE);
  const violate = (/** @type {string} */ blockedURI) =>
    document.dispatchEvent(Object.assign(new Event("securitypolicyviolation"), { blockedURI }));
  violate("https://elsewhere.example/");
  assert.equal(watch.blocked(), false);
  violate(`${URL_OF_BRIDGE}/connect`);
  assert.equal(watch.blocked(), true);
});

test("a policy watch that was stopped sees nothing", () => {
  const document = new EventTarget();
  const watch = watchCsp(document, URL_OF_BRIDGE);
  watch.stop();
  const blockedURI = `${URL_OF_BRIDGE}/connect`;
  document.dispatchEvent(Object.assign(new Event("securitypolicyviolation"), { blockedURI }));
  assert.equal(watch.blocked(), false);
});
