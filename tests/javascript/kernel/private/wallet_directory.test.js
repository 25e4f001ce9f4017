// @ts-check
/** Wallets that announce themselves: bounded, copied, and never two under one name. */

import assert from "node:assert/strict";
import { test } from "node:test";

import {
  MAX_WALLETS,
  WalletDirectory,
} from "../../../../browser_worker/kernel/private/wallet_directory.js";

const PIXEL = "data:image/png;base64,iVBORw0KGgo=";

function make() {
  /** @type {((detail: unknown) => void)[]} */
  const listeners = [];
  let asked = 0;
  let ids = 0;
  const directory = new WalletDirectory(
    {
      onAnnounce: (listener) => {
        listeners.push(listener);
        return () => void listeners.splice(listeners.indexOf(listener), 1);
      },
      request: () => void (asked += 1),
    },
    { newId: () => `w${++ids}` },
  );
  const announce = (/** @type {unknown} */ detail) => {
    for (const listener of listeners) listener(detail);
  };
  return { directory, announce, listeners, asked: () => asked };
}

/** @param {Record<string, unknown>} [info] */
function detail(info = {}) {
  return {
    info: { uuid: "u1", name: "Fox", rdns: "io.example.fox", icon: PIXEL, ...info },
    provider: { request: async () => null },
  };
}

test("a wallet is known by what it said, under a name of the page's own", () => {
  const { directory, announce, asked } = make();
  announce(detail());
  const [wallet] = directory.discover();
  assert.deepEqual(
    { ...wallet, provider: null },
    { id: "w1", name: "Fox", rdns: "io.example.fox", icon: PIXEL, provider: null },
  );
  assert.equal(asked(), 2);
  assert.equal(directory.get("w1"), wallet);
  assert.equal(directory.get("u1"), undefined);
});

test("a wallet that says the same again is the same, and one that says another is trusted no more", () => {
  const { directory, announce } = make();
  const first = detail();
  announce(first);
  announce({ ...first });
  assert.equal(directory.all().length, 1);
  for (const other of [
    { ...first, info: { ...first.info, name: "Fox 2" } },
    { ...first, info: { ...first.info, icon: `${PIXEL}AA` } },
    detail(),
  ]) {
    const again = make();
    again.announce(first);
    again.announce(other);
    assert.deepEqual(again.directory.all(), []);
    again.announce(first);
    assert.deepEqual(again.directory.all(), []);
  }
});

test(`no more than ${MAX_WALLETS} are kept, and a dropped one makes no room`, () => {
  const { directory, announce } = make();
  for (let n = 0; n < MAX_WALLETS + 4; n++) announce(detail({ uuid: `u${n}` }));
  assert.equal(directory.all().length, MAX_WALLETS);
  announce(detail({ uuid: "u0" }));
  announce(detail({ uuid: "new" }));
  assert.equal(directory.all().length, MAX_WALLETS - 1);
});

test("a name is bounded and seen, and an icon is an image of at most 32 KiB as data", () => {
  const icons = [
    ["https://tracker.example/x.png", null],
    ["data:text/html,<script>", null],
    [`${PIXEL}${"A".repeat(32_768)}`, null],
    [7, null],
    ["data:image/svg+xml,<svg/>", "data:image/svg+xml,<svg/>"],
  ];
  for (const [icon, kept] of icons) {
    const { directory, announce } = make();
    announce(detail({ icon, name: `A\u202e${"b".repeat(200)}` }));
    const [wallet] = directory.all();
    assert.equal(wallet?.icon, kept);
    assert.equal(wallet?.name.length, 60);
    assert.equal(wallet?.name.startsWith("A�b"), true);
  }
});

test("what is no announcement is no wallet, and breaks nothing", () => {
  const { directory, announce } = make();
  const throwing = {
    get info() {
      throw new Error("no");
    },
  };
  const bad = [
    null,
    7,
    {},
    throwing,
    { info: detail().info },
    { ...detail(), provider: {} },
    detail({ uuid: "" }),
    detail({ uuid: "u".repeat(101) }),
    detail({ name: " " }),
    detail({ rdns: "no dots" }),
    detail({ rdns: "fox" }),
  ];
  for (const each of bad) announce(each);
  assert.deepEqual(directory.all(), []);
  announce(detail());
  assert.equal(directory.all().length, 1);
});

test("after the end no wallet is heard or known", () => {
  const { directory, announce, listeners } = make();
  announce(detail());
  directory.stop();
  assert.equal(listeners.length, 0);
  assert.deepEqual(directory.all(), []);
});
