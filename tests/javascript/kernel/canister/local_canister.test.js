// @ts-check
import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { LocalCanister } from "../../../../browser_worker/kernel/canister/local_canister.js";

const candid = "service : { add : (nat64) -> (nat64); read : () -> (nat64) query }";

/** A counter over a storage. @param {Map<string, string>} storage */
function counter(storage) {
  const value = () => BigInt(storage.get("value") ?? "0");
  return new LocalCanister({
    candid,
    methods: {
      add: ([more]) => {
        storage.set("value", `${value() + more}`);
        return value();
      },
      read: value,
    },
  });
}

const call = () => ({ attachment: undefined, signal: new AbortController().signal });

describe("A backend in the page", () => {
  test("keeps what it is given, for the next one over the same storage", async () => {
    const storage = new Map();
    assert.deepEqual(await counter(storage).call("add", [2n ** 60n], call()), {
      result: 2n ** 60n,
    });
    assert.deepEqual(await counter(storage).call("read", [], call()), { result: 2n ** 60n });
    assert.deepEqual(await counter(new Map()).call("read", [], call()), { result: 0n });
  });

  test("has a function for each method of its interface, and no other", () => {
    const read = () => 0n;
    assert.throws(() => new LocalCanister({ candid, methods: { read } }), TypeError);
    const methods = { read, add: read, more: read };
    assert.throws(() => new LocalCanister({ candid, methods }), TypeError);
  });
});
