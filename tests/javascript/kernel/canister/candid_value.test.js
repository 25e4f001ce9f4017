// @ts-check
import assert from "node:assert/strict";
import { describe, test } from "node:test";

import fc from "fast-check";

import { compile } from "../../../../browser_worker/contract/schema.js";
import { parseCandid } from "../../../../browser_worker/kernel/canister/candid_parser.js";
import { resultsSchema } from "../../../../browser_worker/kernel/canister/candid_schema.js";
import {
  CandidValueError,
  fromJson,
  toJson,
} from "../../../../browser_worker/kernel/canister/candid_value.js";
import { writePrincipal } from "../../../../browser_worker/kernel/canister/principal_text.js";

const BEFORE = "type List = opt record { head : nat8; tail : List };";

/** @param {string} source */
function typeOf(source) {
  const { methods, types } = parseCandid(`${BEFORE} service : { m : () -> (${source}) }`);
  const method = methods.get("m");
  const type = method?.results[0]?.type;
  assert.ok(method && type);
  return { type, types, schema: resultsSchema(method, types) };
}

describe("A value in JSON is given to a connector", () => {
  for (const [type, json, value] of /** @type {[string, unknown, unknown][]} */ ([
    ["nat64", "18446744073709551615", 18446744073709551615n],
    ["int64", "-9223372036854775808", -9223372036854775808n],
    ["int", `-${"9".repeat(1024)}`, -(10n ** 1024n - 1n)],
    ["nat32", 4294967295, 4294967295],
    ["blob", "AAH/", Uint8Array.of(0, 1, 255)],
    ["opt text", null, []],
    ["opt text", "a", ["a"]],
    ["opt opt text", [null], [[]]],
    ["opt opt text", ["a"], [["a"]]],
    ["record { a : opt text; b : null; c : opt opt nat8 }", {}, { a: [], b: null, c: [] }],
    ["record { nat8; text }", [1, "a"], [1, "a"]],
    ["variant { ok : nat64 }", { ok: "1" }, { ok: 1n }],
    [
      "List",
      { head: 1, tail: { head: 2, tail: null } },
      [{ head: 1, tail: [{ head: 2, tail: [] }] }],
    ],
    ["reserved", { any: "thing" }, null],
    ["float64", "NaN", NaN],
    ["float32", 0.1, Math.fround(0.1)],
  ])) {
    test(`as it is for ${type} ${JSON.stringify(json)?.slice(0, 40)}`, () => {
      const { type: each, types } = typeOf(type);
      assert.deepEqual(fromJson(each, types, json), value);
    });
  }

  for (const [type, json, path, message] of /** @type {[string, unknown, string, RegExp][]} */ ([
    ["nat64", "18446744073709551616", "", /from 0 to 18446744073709551615/],
    ["int64", "9223372036854775808", "", /to 9223372036854775807/],
    ["int64", "-9223372036854775809", "", /from -9223372036854775808/],
    ["nat", "9".repeat(1025), "", /at most 1024 digits/],
    ["nat", "-1", "", /decimal nat/],
    ["nat8", 256, "", /from 0 to 255/],
    [
      "vec record { text; nat8 }",
      [
        ["a", 1],
        ["b", -1],
      ],
      "/1/1",
      /from 0 to 255/,
    ],
    ['record { "a/b" : blob }', { "a/b": "A" }, "/a~1b", /base64/],
    ["blob", "AB==", "", /base64/],
    ["record { p : principal }", { p: "aaaaa-ab" }, "/p", /right sum/],
    ["record { a : nat8 }", { a: 1, b: 2 }, "/b", /no member/],
    ["record { a : nat8 }", {}, "", /must have the member "a"/],
    ["variant { ok; no }", { ok: null, no: null }, "", /one member/],
    ["variant { ok }", JSON.parse('{"__proto__": null}'), "", /one member/],
    ["float32", 1e39, "", /float32/],
    ["text", "\ud800", "", /half characters/],
    ["empty", null, "", /no value/],
    ["func () -> ()", { principal: "aaaaa-aa", method: 1 }, "", /method/],
  ])) {
    test(`not for ${type} ${JSON.stringify(json)?.slice(0, 40)}`, () => {
      const { type: each, types } = typeOf(type);
      assert.throws(
        () => fromJson(each, types, json),
        (error) =>
          error instanceof CandidValueError && error.path === path && message.test(error.message),
      );
    });
  }
});

describe("What a connector gives is refused", () => {
  for (const [type, value] of /** @type {[string, unknown][]} */ ([
    ["nat64", 1],
    ["nat64", 2n ** 64n],
    ["nat", -1n],
    ["nat8", 256],
    ["blob", [1]],
    ["opt nat8", null],
    ["opt nat8", [1, 2]],
    ["record { a : opt nat8 }", {}],
    ["text", undefined],
    ["principal", "aaaaa-ab"],
  ])) {
    test(`where it is none of ${type}: ${String(value).slice(0, 30)}`, () => {
      const { type: each, types } = typeOf(type);
      assert.throws(() => toJson(each, types, value), CandidValueError);
    });
  }

  test("where it holds itself", () => {
    const { type, types } = typeOf("List");
    /** @type {unknown[]} */
    const list = [{ head: 1 }];
    /** @type {any} */ (list[0]).tail = list;
    assert.throws(() => toJson(type, types, list), CandidValueError);
  });
});

const NO_TYPE = { source: "empty", json: fc.constant(null) };

/**
 * Types, and JSON values of them.
 *
 * @type {fc.Arbitrary<{ source: string, json: fc.Arbitrary<unknown> }>}
 */
const TYPES =
  fc.letrec((tie) => {
    const big = (
      /** @type {string} */ name,
      /** @type {bigint} */ min,
      /** @type {bigint} */ max,
    ) => ({
      source: name,
      json: fc.bigInt({ min, max }).map(String),
    });
    const leaf = fc.constantFrom(
      { source: "null", json: fc.constant(null) },
      { source: "bool", json: fc.boolean() },
      { source: "text", json: fc.string({ unit: "binary" }) },
      { source: "nat8", json: fc.integer({ min: 0, max: 255 }) },
      { source: "int32", json: fc.integer() },
      big("nat64", 0n, 2n ** 64n - 1n),
      big("int64", -(2n ** 63n), 2n ** 63n - 1n),
      big("nat", 0n, 2n ** 200n),
      big("int", -(2n ** 200n), 2n ** 200n),
      { source: "float64", json: fc.double({ noNaN: true, noDefaultInfinity: true }) },
      { source: "float32", json: fc.float({ noNaN: true, noDefaultInfinity: true }) },
      {
        source: "blob",
        json: fc.uint8Array().map((bytes) => Buffer.from(bytes).toString("base64")),
      },
      { source: "principal", json: fc.uint8Array({ maxLength: 29 }).map(writePrincipal) },
    );
    const inner = /** @type {fc.Arbitrary<{ source: string, json: fc.Arbitrary<any> }>} */ (
      tie("type")
    );
    return {
      type: fc.oneof(
        { maxDepth: 4, depthSize: "small" },
        leaf,
        inner.map(({ source, json }) => ({
          source: `opt ${source}`,
          json: /^(opt|null)/.test(source) ? fc.array(json, { maxLength: 1 }) : fc.option(json),
        })),
        inner
          .filter(({ source }) => source !== "nat8")
          .map(({ source, json }) => ({
            source: `vec ${source}`,
            json: fc.array(json, { maxLength: 3 }),
          })),
        fc.array(inner, { minLength: 1, maxLength: 3 }).map((parts) => ({
          source: `record { ${parts.map(({ source }) => source).join("; ")} }`,
          json: fc.tuple(...parts.map(({ json }) => json)),
        })),
        fc.array(inner, { minLength: 1, maxLength: 3 }).map((parts) => ({
          source: `record { ${parts.map(({ source }, at) => `m${at} : ${source}`).join("; ")} }`,
          json: fc.record(Object.fromEntries(parts.map(({ json }, at) => [`m${at}`, json])), {
            noNullPrototype: true,
          }),
        })),
        fc.array(inner, { minLength: 1, maxLength: 3 }).map((parts) => ({
          source: `variant { ${parts.map(({ source }, at) => `m${at} : ${source}`).join("; ")} }`,
          json: fc.oneof(
            ...parts.map(({ json }, at) => json.map((value) => ({ [`m${at}`]: value }))),
          ),
        })),
      ),
    };
  }).type ?? fc.constant(NO_TYPE);

describe("A value of any type", () => {
  test("matches the schema of its type, and comes back from a connector as it was", () => {
    const made = TYPES.chain(({ source, json }) => fc.tuple(fc.constant(source), json));
    fc.assert(
      fc.property(made, ([source, json]) => {
        const { type, types, schema } = typeOf(source);
        assert.deepEqual(compile(schema).errors(json), []);
        assert.deepEqual(toJson(type, types, fromJson(type, types, json)), json);
      }),
      { numRuns: 300 },
    );
  });

  test("that is any JSON is read or refused by name, and never breaks", () => {
    const made = fc.tuple(TYPES, fc.jsonValue());
    let refused = 0;
    fc.assert(
      fc.property(made, ([{ source }, json]) => {
        const { type, types, schema } = typeOf(source);
        try {
          toJson(type, types, fromJson(type, types, json));
          assert.deepEqual(compile(schema).errors(json), []);
        } catch (error) {
          if (!(error instanceof CandidValueError)) throw error;
          refused += 1;
        }
      }),
      { numRuns: 300 },
    );
    assert.ok(refused > 0);
  });
});
