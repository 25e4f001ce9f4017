// @ts-check
/** Keys of apps: made in a tile, derived where the manifest says, and the same for nobody else. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import fc from "fast-check";

import { WebCryptoKeys } from "../../../../browser_worker/kernel/private/key_provider.js";
import { memoryKeys } from "../../../../browser_worker/kernel/private/key_stores.js";
import { addVetkeyActions } from "../../../../browser_worker/kernel/private/vetkey_actions.js";
import { makePrivateKernel } from "./private_kernel.js";

/** @import { KeyStore } from "../../../../browser_worker/kernel/private/key_provider.js" */
/** @import { RawApp } from "../../support/raw_app.js" */

/** @param {KeyStore} [store] */
function makeKeys(store = memoryKeys()) {
  return new WebCryptoKeys({
    subtle: crypto.subtle,
    fillRandom: (bytes) => crypto.getRandomValues(bytes),
    store,
    wallNow: () => 5,
  });
}

function make(declared = ["background", "tile"]) {
  const made = makePrivateKernel({ vetkeys: declared });
  const keys = makeKeys();
  addVetkeyActions(made.kernel, { keys });
  const tile = made.connect("notes", "tile");
  made.attention.focused = tile.endpoint.id;
  /** @param {RawApp} app @param {string} action @param {any} [payload] */
  const ask = async (app, action, payload = {}) => {
    const id = app.ask(action, payload);
    // WebCrypto works elsewhere, and is ready when it is.
    while (app.response(id) === undefined) await made.ports.settle();
    return app.response(id);
  };
  return { ...made, keys, ask, tile: tile.app };
}

const WISH = { name: "notes", context: "backup", bytes: 32 };

describe("the actions", { timeout: 20_000 }, () => {
  test("a focused tile makes, lists and removes keys; what is there already stays", async () => {
    const { ask, tile } = make();
    assert.deepEqual((await ask(tile, "vetkeys.create", { name: "notes" })).ok, { name: "notes" });
    const first = (await ask(tile, "vetkeys.derive", WISH)).ok.key;
    const again = await ask(tile, "vetkeys.create", { name: "notes" });
    assert.equal(again.error.code, "INVALID_INPUT");
    assert.equal((await ask(tile, "vetkeys.derive", WISH)).ok.key, first);
    assert.deepEqual((await ask(tile, "vetkeys.list")).ok, {
      keys: [{ name: "notes", createdAt: 5 }],
    });
    assert.deepEqual((await ask(tile, "vetkeys.remove", { name: "notes" })).ok, {});
    assert.equal((await ask(tile, "vetkeys.derive", WISH)).error.code, "INVALID_INPUT");
    await ask(tile, "vetkeys.create", { name: "notes" });
    assert.notEqual((await ask(tile, "vetkeys.derive", WISH)).ok.key, first);
  });

  test("without the focus a tile makes, lists and removes none; nor does another endpoint", async () => {
    const { ask, tile, connect, attention, keys } = make();
    const background = connect("notes").app;
    await ask(tile, "vetkeys.create", { name: "notes" });
    attention.focused = "";
    for (const action of ["list", "create", "remove"]) {
      const payload = action === "list" ? {} : { name: "notes" };
      const refused = await ask(tile, `vetkeys.${action}`, payload);
      assert.equal(refused.error.code, "OWNER_REQUIRED", action);
      assert.equal("error" in (await ask(background, `vetkeys.${action}`, payload)), true);
    }
    assert.equal((await keys.list("notes")).length, 1);
  });

  test("what is derived is base64url of as many bytes, from 16 to 64", async () => {
    const { ask, tile } = make();
    await ask(tile, "vetkeys.create", { name: "notes" });
    for (const bytes of [16, 33, 64]) {
      const { key } = (await ask(tile, "vetkeys.derive", { ...WISH, bytes })).ok;
      assert.match(key, /^[A-Za-z0-9_-]+$/);
      assert.equal(Buffer.from(key, "base64url").length, bytes);
    }
    for (const wrong of [{ bytes: 15 }, { bytes: 65 }, { name: "No" }, { context: 3 }]) {
      const { error } = await ask(tile, "vetkeys.derive", { ...WISH, ...wrong });
      assert.equal(error.code, "INVALID_INPUT");
    }
  });

  for (const declared of ["background", "tile"]) {
    test(`an app that declares its ${declared} derives there and nowhere else`, async () => {
      const { ask, connect, tile, keys } = make([declared]);
      await keys.create("notes", "notes");
      const apps = { background: connect("notes").app, tile, tray: connect("notes", "tray").app };
      for (const [kind, app] of Object.entries(apps)) {
        const answer = await ask(app, "vetkeys.derive", WISH);
        assert.equal("ok" in answer, kind === declared, kind);
      }
    });
  }

  test("an app that is removed leaves no keys, and another version of it keeps them", async () => {
    const { kernel, apps, keys, ports } = make();
    await keys.create("notes", "notes");
    await keys.create("board", "notes");
    kernel.forgetApp("notes");
    await ports.settle();
    assert.equal((await keys.list("notes")).length, 1);
    apps.shift();
    kernel.forgetApp("notes");
    await ports.settle();
    assert.deepEqual(await keys.list("notes"), []);
    assert.equal((await keys.list("board")).length, 1);
  });
});

describe("keys by WebCrypto", () => {
  test("the same question has the same answer, also of a provider that is made anew", async () => {
    const store = memoryKeys();
    await makeKeys(store).create("notes", "k");
    const one = await makeKeys(store).derive("notes", "k", "c", 32);
    assert.deepEqual(await makeKeys(store).derive("notes", "k", "c", 32), one);
  });

  test("another app, name or context has other bytes, even from one base key", async () => {
    const store = memoryKeys();
    const keys = makeKeys(store);
    await keys.create("a", "k");
    const [{ key }] = /** @type {[any]} */ (await store.all("a"));
    /** @type {Map<string, string>} */
    const seen = new Map();
    const part = fc.stringMatching(/^[a-z",\\]{1,4}$/);
    await fc.assert(
      fc.asyncProperty(part, part, part, async (app, name, context) => {
        await store.add({ app, name, key, createdAt: 0 });
        const bytes = Buffer.from(await keys.derive(app, name, context, 32)).toString("hex");
        const asked = JSON.stringify([app, name, context]);
        assert.equal(seen.get(bytes) ?? asked, asked);
        seen.set(bytes, asked);
      }),
      { numRuns: 200 },
    );
    assert.ok(seen.size > 100);
  });

  test("the base key cannot be taken out of the browser's keeping", async () => {
    const store = memoryKeys();
    await makeKeys(store).create("notes", "k");
    const kept = await store.get("notes", "k");
    assert.equal(kept?.key.extractable, false);
    await assert.rejects(crypto.subtle.exportKey("raw", /** @type {CryptoKey} */ (kept?.key)));
  });

  test("an app has at most 32 keys", async () => {
    const keys = makeKeys();
    for (let n = 0; n < 32; n++) await keys.create("notes", `k${n}`);
    await assert.rejects(keys.create("notes", "k32"), { code: "TOO_MANY_CALLS" });
    await keys.remove("notes", "k0");
    await keys.create("notes", "k32");
  });
});
