// @ts-check
import assert from "node:assert/strict";
import { describe, test } from "node:test";

import {
  candidInterface,
  jsonInterface,
} from "../../../../browser_worker/kernel/canister/canister_interface.js";

describe("An interface in Candid", () => {
  test("has queries and updates: what is composite is a query, what answers nobody an update", () => {
    const { methods } = candidInterface(
      "service : { a : () -> () query; b : () -> () composite_query; c : () -> (); d : () -> () oneway }",
    );
    assert.deepEqual(
      [...methods.values()].map(({ name, kind }) => [name, kind]),
      [
        ["a", "query"],
        ["b", "query"],
        ["c", "update"],
        ["d", "update"],
      ],
    );
  });

  test("gives a connector the arguments in order, and takes one result, or a list of them", () => {
    const { methods } = candidInterface(
      "service : { m : (nat64, by : opt text) -> (nat64, text); one : () -> (nat64); none : () -> () }",
    );
    assert.deepEqual(methods.get("m")?.read({ arg0: "1" }), [1n, []]);
    assert.deepEqual(methods.get("m")?.write([1n, "a"]), ["1", "a"]);
    assert.equal(methods.get("one")?.write(2n), "2");
    assert.equal(methods.get("none")?.write(undefined), null);
  });

  test("tells where arguments are wrong, and that nothing was run", () => {
    const { methods } = candidInterface("service : { m : (record { at : nat64 }) -> () }");
    for (const [at, message] of [
      ["x", /pattern/],
      ["18446744073709551616", /from 0 to/],
    ]) {
      assert.throws(
        () => methods.get("m")?.read({ arg0: { at } }),
        (/** @type {any} */ error) => {
          assert.equal(error.code, "INVALID_INPUT");
          assert.match(error.message, /nothing was run/);
          assert.equal(error.data.errors[0].path, "/arg0/at");
          assert.match(error.data.errors[0].message, /** @type {RegExp} */ (message));
          return true;
        },
      );
    }
  });

  test("says which methods take and give bytes", () => {
    const source = "service : { a : () -> (); b : () -> () }";
    const { methods } = candidInterface(source, { a: { input: true } });
    assert.deepEqual(methods.get("a")?.attachments, {
      input: true,
      inputRequired: false,
      output: false,
    });
    assert.equal(methods.get("b")?.attachments, null);
    assert.throws(() => candidInterface(source, { c: { input: true } }), TypeError);
  });

  test("has 256 methods at most", () => {
    /** @param {number} count */
    const source = (count) =>
      `service : { ${Array.from({ length: count }, (_, at) => `m${at} : () -> ()`).join("; ")} }`;
    assert.equal(candidInterface(source(256)).methods.size, 256);
    assert.throws(() => candidInterface(source(257)), /more than 256 methods/);
  });
});

describe("An interface in JSON", () => {
  const METHOD = /** @type {const} */ ({
    name: "find",
    kind: "query",
    input: {
      type: "object",
      properties: { text: { type: "string" } },
      additionalProperties: false,
    },
    output: { type: "array" },
  });

  test("gives a connector the JSON, and takes it, checked by its schemas", () => {
    const find = jsonInterface({ methods: [METHOD] }).methods.get("find");
    assert.deepEqual(find?.read({ text: "a" }), { text: "a" });
    assert.deepEqual(find?.write([1]), [1]);
    assert.throws(() => find?.read({ text: 1 }), { code: "INVALID_INPUT" });
    assert.throws(() => find?.write({}), { code: "INVALID_OUTPUT" });
  });

  for (const [what, methods] of /** @type {[string, any[]][]} */ ([
    ["a schema that is none", [{ ...METHOD, input: { type: "nothing" } }]],
    ["a kind that is none", [{ ...METHOD, kind: "oneway" }]],
    ["two methods of a name", [METHOD, METHOD]],
    ["a method without a name", [{ ...METHOD, name: "" }]],
  ])) {
    test(`with ${what} is refused when it is installed`, () => {
      assert.throws(() => jsonInterface({ methods }));
    });
  }
});
