// @ts-check
import assert from "node:assert/strict";
import { describe, test } from "node:test";

import fc from "fast-check";

import {
  readPrincipal,
  writePrincipal,
} from "../../../../browser_worker/kernel/canister/principal_text.js";

describe("A principal", () => {
  test("is written and read as it is known", () => {
    assert.equal(writePrincipal(new Uint8Array()), "aaaaa-aa");
    assert.equal(writePrincipal(Uint8Array.of(4)), "2vxsx-fae");
    const bytes = Uint8Array.of(0xef, 0xcd, 0xab, 0, 0, 0, 0, 0, 1);
    assert.equal(writePrincipal(bytes), "2chl6-4hpzw-vqaaa-aaaaa-c");
    assert.deepEqual(readPrincipal("2chl6-4hpzw-vqaaa-aaaaa-c"), bytes);
  });

  test("of any bytes comes back", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 29 }), (bytes) => {
        assert.deepEqual(readPrincipal(writePrincipal(bytes)), bytes);
      }),
    );
  });

  test("with one letter mistyped is none", () => {
    const letter = fc.constantFrom(..."abcdefghijklmnopqrstuvwxyz234567");
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 29 }), fc.nat(), letter, (bytes, nat, other) => {
        const text = writePrincipal(bytes);
        const at = nat % text.length;
        fc.pre(text[at] !== "-" && text[at] !== other);
        assert.equal(readPrincipal(text.slice(0, at) + other + text.slice(at + 1)), null);
      }),
    );
  });

  for (const text of ["", "aaaaa", "aaaaaaa", "aaaaa-a", "AAAAA-AA", "aaaaa-aa-", "aaaa-aaa"]) {
    test(`is not ${JSON.stringify(text)}`, () => {
      assert.equal(readPrincipal(text), null);
    });
  }

  test("of more than 29 bytes is none", () => {
    assert.notEqual(readPrincipal(writePrincipal(new Uint8Array(29))), null);
    assert.equal(readPrincipal(writePrincipal(new Uint8Array(30))), null);
  });
});
