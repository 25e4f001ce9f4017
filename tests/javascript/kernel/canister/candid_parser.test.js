// @ts-check
import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { CANDID_LIMITS } from "../../../../browser_worker/kernel/canister/candid_lexer.js";
import {
  CandidError,
  parseCandid,
} from "../../../../browser_worker/kernel/canister/candid_parser.js";

const NAT = { kind: "primitive", name: "nat" };
const TEXT = { kind: "primitive", name: "text" };
const NULL = { kind: "primitive", name: "null" };

/** @param {string} type */
function read(type) {
  return parseCandid(`service : { m : (${type}) -> () }`).methods.get("m")?.args[0]?.type;
}

describe("A type", () => {
  const primitives =
    "null bool text nat nat8 nat16 nat32 nat64 int int8 int16 int32 int64 float32 float64 " +
    "reserved empty principal";
  for (const name of primitives.split(" ")) {
    test(`${name} is a primitive one`, () => {
      assert.deepEqual(read(name), { kind: "primitive", name });
    });
  }

  for (const [source, type] of /** @type {[string, object][]} */ ([
    ["opt opt nat", { kind: "opt", of: { kind: "opt", of: NAT } }],
    ["vec text", { kind: "vec", of: TEXT }],
    ["blob", { kind: "blob" }],
    ["vec nat8", { kind: "blob" }],
    ["record {}", { kind: "record", fields: [], tuple: false }],
    [
      "record { nat; text }",
      {
        kind: "record",
        fields: [
          { name: "_0_", type: NAT },
          { name: "_1_", type: TEXT },
        ],
        tuple: true,
      },
    ],
    [
      'record { "a b" : nat; 7 : text; nat : nat }',
      {
        kind: "record",
        fields: [
          { name: "_7_", type: TEXT },
          { name: "a b", type: NAT },
          { name: "nat", type: NAT },
        ],
        tuple: false,
      },
    ],
    [
      "record { 3 : nat; text }",
      {
        kind: "record",
        fields: [
          { name: "_3_", type: NAT },
          { name: "_4_", type: TEXT },
        ],
        tuple: false,
      },
    ],
    [
      "variant { a; b : text; 0 }",
      {
        kind: "variant",
        fields: [
          { name: "_0_", type: NULL },
          { name: "a", type: NULL },
          { name: "b", type: TEXT },
        ],
      },
    ],
    [
      "func (nat, x : text) -> (nat) query",
      {
        kind: "func",
        args: [
          { name: "arg0", type: NAT },
          { name: "x", type: TEXT },
        ],
        results: [{ name: "arg0", type: NAT }],
        mode: "query",
      },
    ],
    ["service {}", { kind: "service", methods: new Map() }],
  ])) {
    test(`${source} is read as what it is`, () => {
      assert.deepEqual(read(source), type);
    });
  }

  test("may refer to itself, and to one that is defined later", () => {
    const { types } = parseCandid(`
      type Tree = variant { leaf; node : record { left : Tree; other : Later } };
      type Later = opt Tree;
      service : {}`);
    assert.deepEqual([...types.keys()], ["Tree", "Later"]);
  });

  test("of bytes under another name is a blob, too", () => {
    const { types } = parseCandid("type Byte = nat8; type Bytes = vec Byte; service : {}");
    assert.deepEqual(types.get("Bytes"), { kind: "blob" });
  });
});

describe("A service", () => {
  test("has methods by their names, written out or by the name of a function's type", () => {
    const { methods } = parseCandid(`
      type Get = func (nat) -> (text) query;
      type S = service { get : Get; "do it" : () -> (); far : () -> () composite_query; tell : (text) -> () oneway };
      service named : (opt nat) -> S;`);
    const modes = [...methods].map(([name, { mode }]) => [name, mode]);
    assert.deepEqual(modes, [
      ["get", "query"],
      ["do it", "update"],
      ["far", "composite_query"],
      ["tell", "oneway"],
    ]);
  });

  test("may have comments anywhere, which may hold comments", () => {
    const source = "/* a /* b */ c */ service /**/ : { // m : () -> ()\n n : () -> () // end\n}";
    assert.deepEqual([...parseCandid(source).methods.keys()], ["n"]);
  });

  test("may be called whatever a text can say", () => {
    const source = String.raw`service : { "\"\\\n\u{1f600}\c3\a9" : () -> () }`;
    assert.deepEqual([...parseCandid(source).methods.keys()], ['"\\\n😀é']);
  });

  test("may have a method and a type of a name that objects have already", () => {
    const { types, methods } = parseCandid(
      "type constructor = record { __proto__ : nat }; service : { __proto__ : (constructor) -> () }",
    );
    assert.equal(types.size, 1);
    assert.deepEqual([...methods.keys()], ["__proto__"]);
  });
});

describe("A description is refused, with the line and the column,", () => {
  for (const [what, source, message] of /** @type {[string, string, RegExp][]} */ ([
    ["without a service", "type A = nat;", /^1:14: type or service is expected, not the end/],
    ["with an unknown type", "service : {\n  m : (Nope) -> ()\n}", /^2:8: there is no type Nope/],
    ["with a type that is only itself", "type A = B; type B = A; service : {}", /only itself/],
    ["with two types of a name", "type A = nat; type A = nat; service : {}", /^1:20: a second/],
    ["with a primitive's name for a type", "type nat = text; service : {}", /^1:6: nat is a word/],
    ["with two methods of a name", "service : { m : () -> (); m : () -> () }", /^1:27: a second/],
    [
      "with two fields of a name",
      "type A = record { a : nat; a : nat }; service : {}",
      /two fields/,
    ],
    ["with two fields of a number", "type A = record { 97 : nat; a : nat }; service : {}", /two f/],
    [
      "with two fields JSON calls the same",
      'type A = record { 1 : nat; "_1_" : nat }; service : {}',
      /two f/,
    ],
    [
      "with a field's number past 32 bits",
      "type A = record { 4294967296 : nat }; service : {}",
      /large/,
    ],
    [
      "with two arguments of a name",
      "service : { m : (a : nat, a : nat) -> () }",
      /^1:27: a second/,
    ],
    ["with a method that is no function", "type A = nat; service : { m : A }", /no function/],
    ["with a service that is none", "type A = nat; service : A", /no service/],
    ["with an import", 'import "other.did"; service : {}', /^1:1: another description cannot/],
    ["with a oneway method that answers", "service : { m : () -> (nat) oneway }", /oneway/],
    ["with two words after a method", "service : { m : () -> () query oneway }", /one such word/],
    ["with a text that does not end", 'service : { "m', /^1:13: a text does not end/],
    ["with a comment that does not end", "/* service : {}", /^1:1: a comment does not end/],
    ["with an escape that there is not", String.raw`service : { "\q" : () -> () }`, /escape/],
    ["with bytes that are no text", String.raw`service : { "\ff" : () -> () }`, /UTF-8/],
    ["with half a character", String.raw`service : { "\u{d800}" : () -> () }`, /half a character/],
    ["with a character past the last", String.raw`service : { "\u{110000}" : () -> () }`, /number/],
    ["with a sign of no language", "service : { m : (nat) -> (nat) ? }", /^1:32: a character/],
    ["with more after its end", "service : {} service : {}", /^1:14: nothing more/],
  ])) {
    test(what, () => {
      assert.throws(
        () => parseCandid(source),
        (error) => error instanceof CandidError && message.test(error.message),
      );
    });
  }
});

describe("The bounds of a description", () => {
  /** @param {number} depth */
  const nested = (depth) => `service : { m : (${"opt ".repeat(depth - 1)}nat) -> () }`;
  /** @param {number} count */
  const defined = (count) =>
    `${Array.from({ length: count }, (_, at) => `type T${at} = nat;`).join("")} service : {}`;
  /** @param {number} count */
  const fields = (count) =>
    `type A = record { ${Array.from({ length: count }, (_, at) => `${at} : nat`).join(";")} }; service : {}`;
  /** @param {number} count */
  const long = (count) => "service : {}".padEnd(count);
  for (const [what, make, most] of /** @type {[string, (count: number) => string, number][]} */ ([
    ["its depth", nested, CANDID_LIMITS.maxDepth],
    ["its types", defined, CANDID_LIMITS.maxTypes],
    ["its members", fields, CANDID_LIMITS.maxMembers],
    ["its length", long, CANDID_LIMITS.maxSourceChars],
  ])) {
    test(`are of ${what}: the most passes, one more does not`, () => {
      assert.doesNotThrow(() => parseCandid(make(most)));
      assert.throws(() => parseCandid(make(most + 1)), CandidError);
    });
  }
});
