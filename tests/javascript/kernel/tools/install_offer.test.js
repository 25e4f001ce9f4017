// @ts-check
/** An offer of another app: its address, shown whole, and nothing that is fetched. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { addInstallOffer } from "../../../../browser_worker/kernel/tools/install_offer.js";
import { makeOwnedKernel, shown } from "../../support/owned_kernel.js";

async function workspace() {
  const made = makeOwnedKernel();
  const { kernel, consent, summaries, ports, connect } = made;
  /** @type {string[]} */
  const offers = [];
  addInstallOffer(kernel.tools, {
    consent,
    apps: () => summaries,
    invocations: kernel.invocations,
    origin: "http://127.0.0.1:8000",
    onOffer: (url) => offers.push(url),
  });
  const board = connect("board");
  /** @param {any} given */
  const offer = async (given) => {
    const id = board.app.call("kernel", "apps.install_offer", given);
    await ports.settle();
    return () => board.app.response(id);
  };
  return { ...made, offers, offer };
}

describe("An offer of an app", () => {
  test("shows who makes it and the whole address, and hands it on after a yes alone", async () => {
    const { offer, offers, consent, allow, ports } = await workspace();
    const url = `https://apps.test/chess?${"a".repeat(500)}`;
    const response = await offer({ url });
    const { prompt } = shown(consent);
    assert.equal(prompt.title, "Take an offer of the app board?");
    assert.deepEqual(prompt.facts.slice(-2), [
      { label: "Origin", value: "https://apps.test" },
      { label: "Address", value: url, code: true },
    ]);
    assert.deepEqual(offers, []);
    assert.equal(response(), undefined);
    allow("take");
    await ports.settle();
    assert.deepEqual(response().ok, { offered: true });
    assert.deepEqual(offers, [url]);
  });

  test("goes nowhere after a no", async () => {
    const { offer, offers, deny, ports } = await workspace();
    const response = await offer({ url: "https://apps.test/" });
    deny();
    await ports.settle();
    assert.equal(response().error.code, "OWNER_REQUIRED");
    assert.deepEqual(offers, []);
  });

  test("may be of the page's own origin, without https", async () => {
    const { offer, consent } = await workspace();
    await offer({ url: "http://127.0.0.1:8000/apps/chess/" });
    assert.notEqual(consent.current, null);
  });

  test("shows a host of look-alike letters as what it is", async () => {
    const { offer, consent } = await workspace();
    await offer({ url: "https://аpps.test/\u202efdp.exe" });
    const [origin, address] = shown(consent).prompt.facts.slice(-2);
    assert.equal(origin?.value, "https://xn--pps-5cd.test");
    assert.match(address?.value ?? "", /^[!-~]+$/);
  });

  for (const [what, given] of /** @type {[string, any][]} */ ([
    ["without https", { url: "http://apps.test/" }],
    ["of another port of this machine", { url: "http://127.0.0.1:8001/" }],
    ["that is a script", { url: "javascript:alert(1)" }],
    ["that is data", { url: "data:text/html,x" }],
    ["that is a blob", { url: "blob:https://apps.test/1" }],
    ["that is a blob of this origin", { url: "blob:http://127.0.0.1:8000/1" }],
    ["with a name before the host", { url: "https://bank.test@apps.test/" }],
    ["that is no whole address", { url: "/apps/chess" }],
    ["that is too long", { url: `https://apps.test/${"a".repeat(2_031)}` }],
    ["with a host of any length", { url: `https://bank.${"test-".repeat(60)}.apps.test/` }],
    ["that is too long when it is written out", { url: `https://apps.test/${"é".repeat(700)}` }],
    ["with more than an address", { url: "https://apps.test/", manifest: {} }],
  ])) {
    test(`${what} is refused, and nobody is asked`, async () => {
      const { offer, offers, consent } = await workspace();
      assert.equal((await offer(given))().error.code, "INVALID_INPUT");
      assert.equal(consent.current, null);
      assert.deepEqual(offers, []);
    });
  }

  test("of 2,048 characters is shown", async () => {
    const { offer, consent } = await workspace();
    await offer({ url: `https://apps.test/${"a".repeat(2_030)}` });
    assert.notEqual(consent.current, null);
  });
});
