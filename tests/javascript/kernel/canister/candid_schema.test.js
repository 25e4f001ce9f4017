// @ts-check
import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { checkJson } from "../../../../browser_worker/contract/bus_json.js";
import { compile } from "../../../../browser_worker/contract/schema.js";
import { parseCandid } from "../../../../browser_worker/kernel/canister/candid_parser.js";
import {
  argumentsSchema,
  resultsSchema,
} from "../../../../browser_worker/kernel/canister/candid_schema.js";

const LIST = "type List = opt record { head : nat8; tail : List };";
const TREE = "type Tree = variant { leaf : nat8; node : vec Tree };";
const MAX = "18446744073709551615";

/**
 * The schema of a method's one result.
 *
 * @param {string} type
 * @param {string} [before]
 */
function schemaOf(type, before = "") {
  const { methods, types } = parseCandid(`${before} service : { m : () -> (${type}) }`);
  const method = methods.get("m");
  assert.ok(method);
  return resultsSchema(method, types);
}

describe("The schema of a type takes and refuses:", () => {
  for (const [
    type,
    good,
    bad,
    before,
  ] of /** @type {[string, unknown[], unknown[], string?][]} */ ([
    ["null", [null], [0, false]],
    ["bool", [true, false], [0, null]],
    ["text", ["", "😀"], [1, null]],
    ["nat8", [0, 255], [-1, 256, 1.5, "1"]],
    ["nat32", [4294967295], [4294967296]],
    ["int8", [-128, 127], [-129, 128]],
    ["int32", [-2147483648], [-2147483649]],
    ["nat64", ["0", MAX], [0, "-1", "01", "1e3", "", `${MAX}0`]],
    ["int64", ["-9223372036854775808", "0"], ["-0", "+1", 5]],
    ["nat", ["0", "9".repeat(1024)], ["-1", "9".repeat(1025)]],
    ["int", ["-5", `-${"9".repeat(1024)}`], ["--5", "5.0"]],
    ["float64", [0.5, -1, "NaN", "-Infinity"], ["0.5", null, "inf"]],
    ["float32", [0.5, "Infinity"], [true]],
    ["blob", ["", "AAE="], [[0, 1], null]],
    ["principal", ["aaaaa-aa", "2vxsx-fae"], ["", "AAAAA-AA", 1]],
    ["reserved", [null, 1, "x", {}], []],
    ["empty", [], [null, 1, {}]],
    ["opt nat8", [null, 5], ["", [], [5]]],
    ["opt opt nat8", [[], [null], [5]], [null, 5, [1, 2]]],
    ["opt null", [[], [null]], [null]],
    ["vec nat8", ["AA=="], [[1, 2]]],
    ["vec bool", [[], [true]], [true, [1]]],
    ["record { nat8; text }", [[1, "a"]], [[1], [1, "a", 2], ["a", 1], {}]],
    ["record { a : nat8; b : opt text }", [{ a: 1, b: null }, { a: 1 }], [{}, { a: 1, c: 2 }, []]],
    [
      "variant { ok : nat8; no }",
      [{ ok: 1 }, { no: null }],
      [{ ok: 1, no: null }, {}, "no", { x: 1 }],
    ],
    ["variant {}", [], [{}, null]],
    ["func () -> ()", [{ principal: "aaaaa-aa", method: "m" }], ["aaaaa-aa", { method: "m" }]],
    ["service {}", ["aaaaa-aa"], [{}]],
    ["List", [null, { head: 1, tail: { head: 2, tail: null } }], [{ head: 1, tail: 5 }], LIST],
    ["Tree", [{ leaf: 1 }, { node: [{ leaf: 2 }, { node: [] }] }], [{ node: [{}] }], TREE],
  ])) {
    test(`${type}`, () => {
      const validator = compile(schemaOf(type, before));
      for (const value of good)
        assert.deepEqual(validator.errors(value), [], JSON.stringify(value));
      for (const value of bad) {
        assert.notDeepEqual(validator.errors(value), [], JSON.stringify(value));
      }
    });
  }
});

describe("A method", () => {
  test("takes an object with a member for each argument, by its name or its place", () => {
    const source = "service : { m : (text, limit : nat8, opt text) -> () }";
    const { methods, types } = parseCandid(source);
    const schema = argumentsSchema(/** @type {any} */ (methods.get("m")), types);
    assert.deepEqual(Object.keys(/** @type {any} */ (schema).properties), [
      "arg0",
      "limit",
      "arg2",
    ]);
    assert.deepEqual(schema["required"], ["arg0", "limit"]);
    const validator = compile(schema);
    assert.deepEqual(validator.errors({ arg0: "a", limit: 1 }), []);
    assert.equal(validator.errors({ arg0: "a", limit: 1, more: 1 }).length, 1);
  });

  test("gives null for no result, one as it is, and more of them as a list", () => {
    assert.deepEqual(schemaOf(""), { type: "null" });
    assert.deepEqual(schemaOf("bool"), { type: "boolean" });
    const validator = compile(schemaOf("bool, text"));
    assert.deepEqual(validator.errors([true, "a"]), []);
    assert.notDeepEqual(validator.errors([true]), []);
  });

  test("with a type that is used a thousand times over has a schema that says it once", () => {
    const doubled = Array.from(
      { length: 30 },
      (_, at) => `type T${at + 1} = record { a : T${at}; b : T${at} };`,
    ).join("");
    const schema = schemaOf("T30", `type T0 = record { text }; ${doubled}`);
    assert.ok(JSON.stringify(schema).length < 10_000);
    assert.doesNotThrow(() => compile(schema));
  });

  test("with types as deep as may be has a schema that a message can hold, and takes its values", () => {
    let type = "nat8";
    /** @type {unknown} */
    let value = 1;
    for (let depth = 0; depth < 31; depth += 1) {
      type = depth % 2 === 0 ? `variant { a : ${type} }` : `record { a : ${type} }`;
      value = { a: value };
    }
    const schema = schemaOf(type);
    assert.doesNotThrow(() => checkJson(schema));
    assert.deepEqual(compile(schema).errors(value), []);
    assert.notDeepEqual(compile(schema).errors({ a: value }), []);
  });
});
