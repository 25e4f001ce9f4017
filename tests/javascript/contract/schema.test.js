// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";

import fc from "fast-check";

import { SchemaError, compile } from "../../../browser_worker/contract/schema.js";
import { compilePattern } from "../../../browser_worker/contract/schema_pattern.js";
import { parse } from "../../../browser_worker/contract/strict_json.js";

/**
 * @param {unknown} schema
 * @param {unknown} value
 */
const valid = (schema, value) => compile(schema).errors(value).length === 0;

test("problems carry a JSON Pointer and a sentence", () => {
  const schema = {
    type: "object",
    properties: { "a/b~c": { type: "array", items: { type: "integer" } } },
    required: ["x"],
    additionalProperties: false,
  };
  assert.deepEqual(compile(schema).errors({ "a/b~c": [1, "2"], y: 1 }), [
    { path: "", message: 'must have the member "x"' },
    { path: "/a~1b~0c/1", message: "must be integer" },
    { path: "/y", message: "is not a known member" },
  ]);
});

test("numbers are compared by their decimal value", () => {
  assert.ok(valid({ type: "integer" }, parse("1.0")));
  assert.ok(valid({ type: "integer" }, parse("1e3")));
  assert.ok(!valid({ type: "integer" }, parse("1.5")));
  assert.ok(!valid({ maximum: 9007199254740992 }, parse("9007199254740993")));
  assert.ok(valid({ multipleOf: 0.01 }, parse("0.07")));
  assert.ok(!valid({ multipleOf: 0.01 }, parse("0.075")));
  assert.ok(valid({ const: 1 }, parse("1.0")));
  assert.ok(valid({ enum: [parse("9007199254740993")] }, 9007199254740993n));
  assert.ok(!valid({ maximum: 10 }, parse("1e400")));
  assert.ok(valid({ minimum: 10 }, parse("1e999999999")));
  assert.ok(!valid({ multipleOf: 7 }, parse("1e999999999")));
});

test("characters are counted as code points", () => {
  assert.ok(valid({ maxLength: 1 }, "😀"));
  assert.ok(!valid({ maxLength: 1 }, "e\u0301"));
});

test("names of prototypes are names like any other", () => {
  assert.ok(!valid({ required: ["toString"] }, {}));
  assert.ok(!valid({ properties: {}, additionalProperties: false }, parse('{"__proto__":1}')));
  const schema = parse('{"properties":{"__proto__":{"type":"string"}}}');
  assert.ok(!valid(schema, parse('{"__proto__":1}')));
});

test("a pattern takes linear time and agrees with the native engine", () => {
  const hostile = compilePattern("^(a+)+$");
  assert.equal(hostile("a".repeat(2_000)), true);
  assert.equal(hostile(`${"a".repeat(2_000)}!`), false);
  for (const source of [
    "^[a-z][a-z0-9_]{0,3}$",
    "a|bc|",
    "(a|b)*c",
    "^(?:x{2,3}|y+?)$",
    "\\bfoo\\b",
    "^\\d{3}-\\w+$",
    "[^\\s,]+,",
    "^.$",
    "^(ab?){2}$",
    "\\u0061|\\x62",
    "^\\p{L}+$",
    "a{0}b",
    "(?<year>\\d+)",
  ]) {
    for (const text of [
      "",
      "a",
      "bc",
      "abc",
      "ababc",
      "xx",
      "xxx",
      "xxxx",
      "yy",
      "a foo b",
      "foot",
    ]) {
      assert.equal(
        compilePattern(source)(text),
        new RegExp(source, "u").test(text),
        `${source} ${text}`,
      );
    }
    for (const text of ["123-a", "x y,", "😀", "é", "aba", "\n", "b", "a_9", "abcd5", "2020"]) {
      assert.equal(
        compilePattern(source)(text),
        new RegExp(source, "u").test(text),
        `${source} ${text}`,
      );
    }
  }
});

test("what needs backtracking, is malformed or too large is refused when the schema is read", () => {
  for (const pattern of [
    "(?=a)",
    "(?!a)",
    "(?<=a)b",
    "(?<!a)b",
    "(a)\\1",
    "(",
    "a{2",
    "x{5000}",
    "((a{99}){99}){99}",
  ]) {
    assert.throws(() => compile({ pattern }), SchemaError, pattern);
  }
  assert.throws(() => compile({ pattern: "a".repeat(1_025) }), SchemaError);
  assert.ok(compile({ pattern: "a".repeat(1_024) }));
});

test("a schema that is malformed is refused when it is read", () => {
  for (const schema of [
    null,
    5,
    "x",
    [],
    { type: "text" },
    { type: [] },
    { required: [1] },
    { minLength: -1 },
    { maxItems: 1.5 },
    { multipleOf: 0 },
    { allOf: [] },
    { properties: [] },
    { properties: { a: 5 } },
    { $ref: "#/$defs/none" },
    { $ref: "https://example.com/other.json" },
    { $schema: "http://json-schema.org/draft-04/schema#" },
  ]) {
    assert.throws(() => compile(schema), SchemaError, JSON.stringify(schema));
  }
});

test("a recursive schema works and a bomb ends with a refusal", () => {
  const tree = { type: "object", properties: { children: { items: { $ref: "#" } } } };
  assert.ok(valid(tree, { children: [{ children: [{}] }] }));
  assert.ok(!valid(tree, { children: [{ children: [5] }] }));
  assert.ok(!valid({ $ref: "#" }, 1));
  /** @type {Record<string, any>} */
  const $defs = { d0: { type: "string" } };
  for (let n = 1; n < 30; n++) {
    $defs[`d${n}`] = { anyOf: [{ $ref: `#/$defs/d${n - 1}` }, { $ref: `#/$defs/d${n - 1}` }] };
  }
  const problems = compile({ $defs, $ref: "#/$defs/d29" }).errors(1);
  assert.deepEqual(problems, [
    { path: "", message: "the schema takes too much work for this value" },
  ]);
});

test("a schema nested too deeply is refused", () => {
  /** @type {any} */
  let schema = {};
  for (let depth = 0; depth < 70; depth++) schema = { items: schema };
  assert.throws(() => compile(schema), SchemaError);
});

test("problems are bounded in number", () => {
  const problems = compile({ items: { type: "string" } }).errors(Array(1000).fill(1));
  assert.equal(problems.length, 64);
});

test("numbers of any magnitude are compared and divided exactly", () => {
  const far = "9".repeat(1_000);
  assert.ok(!valid({ const: parse(`1e${far}`) }, parse(`1e${far}1`)));
  assert.ok(valid({ const: parse(`10e${far}`) }, parse(`100.0e${"9".repeat(999)}8`)));
  assert.ok(valid({ multipleOf: 2 }, parse("1e9000")));
  assert.ok(!valid({ multipleOf: 3 }, parse("1e9000")));
  assert.ok(valid({ multipleOf: parse("1e-9000") }, 5));
  assert.ok(!valid({ multipleOf: parse("1e9000") }, 5));
  assert.ok(valid({ multipleOf: 4 }, parse("1.2e1")));
  assert.ok(valid({ maximum: parse("1e-400") }, 0));
  assert.ok(!valid({ maximum: 0 }, parse("1e-400")));
  assert.ok(valid({ minimum: -1 }, parse("-1e-400")));
  assert.ok(!valid({ minimum: -1 }, parse("-1e400")));
});

test("what JSON has no number for is no number", () => {
  for (const value of [NaN, Infinity, -Infinity]) {
    assert.ok(!valid({ type: "number" }, value));
    assert.ok(!valid({ type: ["integer", "object", "string"] }, value));
  }
});

test("uniqueItems compares by value, and a long list costs little", () => {
  assert.ok(!valid({ uniqueItems: true }, parse("[1, 1.0]")));
  assert.ok(!valid({ uniqueItems: true }, parse('[{"a":1,"b":[2]},{"b":[2e0],"a":1.0}]')));
  assert.ok(valid({ uniqueItems: true }, parse('[1,"1",true,"true",null,"null",[],{},[1],["1"]]')));
  const many = Array.from({ length: 4_096 }, (_, n) => n);
  assert.ok(valid({ uniqueItems: true }, many));
  assert.ok(!valid({ uniqueItems: true }, [...many.slice(1), 4_095]));
});

test("the largest message meets two dozen schemas at each value within the budget", () => {
  const allOf = Array.from({ length: 20 }, () => ({ type: "integer" }));
  const items = { type: "array", items: { allOf } };
  const value = Array.from({ length: 4 }, () => Array(4_000).fill(1));
  assert.ok(valid({ items }, value));
});

test("work within a pattern is counted", () => {
  const text = "a".repeat(262_144);
  assert.ok(valid({ pattern: "^a+$" }, text));
  assert.deepEqual(compile({ pattern: "(a{200}){5}b" }).errors(text), [
    { path: "", message: "the schema takes too much work for this value" },
  ]);
});

test("an empty group repeated a billion times is nothing", () => {
  assert.ok(valid({ pattern: "^(?:){999999999}(?:){0,999999999}a$" }, "a"));
});

test("a schema where no schema may stand is refused when it is read", () => {
  for (const schema of [
    { items: [{}] },
    { not: [] },
    { properties: { a: [] } },
    { $defs: { a: 1 } },
    { prefixItems: {} },
    { uniqueItems: "yes" },
    { $dynamicRef: "#nowhere" },
    { $schema: "http://json-schema.org/draft-07/schema#", dependencies: { a: [1] } },
    { $schema: "http://json-schema.org/draft-07/schema#", definitions: { a: 1 } },
  ]) {
    assert.throws(() => compile(schema), SchemaError, JSON.stringify(schema));
  }
  const draft07 = "http://json-schema.org/draft-07/schema#";
  assert.ok(!valid({ $schema: draft07, items: [{ type: "string" }] }, [1]));
  assert.ok(!valid({ $schema: draft07, dependencies: { a: ["b"] } }, { a: 1 }));
});

test("a path that is too long points at an ancestor, so that all problems fit into an answer", () => {
  const name = "n".repeat(200_000);
  const [problem] = compile({ properties: { a: { additionalProperties: false } } }).errors({
    a: { [name]: 1 },
  });
  assert.deepEqual(problem, { path: "/a", message: "is not a known member" });
});

test("a value is accepted exactly when no problem is named", () => {
  const { node: schema } = fc.letrec((/** @type {(key: string) => any} */ tie) => ({
    node: fc.oneof(
      { maxDepth: 3 },
      fc.boolean(),
      fc.record(
        {
          type: fc.constantFrom("string", "integer", "array", "object"),
          anyOf: fc.array(tie("node"), { minLength: 1, maxLength: 2 }),
          oneOf: fc.array(tie("node"), { minLength: 1, maxLength: 2 }),
          allOf: fc.array(tie("node"), { minLength: 1, maxLength: 2 }),
          not: tie("node"),
          if: tie("node"),
          then: tie("node"),
          items: tie("node"),
          contains: tie("node"),
          additionalProperties: tie("node"),
          unevaluatedItems: tie("node"),
          unevaluatedProperties: tie("node"),
          propertyNames: tie("node"),
        },
        { requiredKeys: [] },
      ),
    ),
  }));
  assert.ok(schema !== undefined);
  fc.assert(
    fc.property(schema, fc.jsonValue({ maxDepth: 2 }), (node, value) => {
      const accepted = valid(node, value);
      assert.equal(valid({ not: node }, value), !accepted);
      assert.equal(valid({ anyOf: [node, node] }, value), accepted);
    }),
  );
});

test("a bomb that meets something large at each of its schemas ends with a refusal, too", () => {
  const TOO_MUCH = [{ path: "", message: "the schema takes too much work for this value" }];
  const names = Array.from({ length: 20_000 }, (_, n) => `name${n}`);
  const members = Object.fromEntries(names.map((name) => [name, 1]));
  const long = "x".repeat(500_000);
  /** @type {[string, Record<string, unknown>, unknown][]} */
  const bombs = [
    ["members", { additionalProperties: true }, members],
    ["few rules for many members", { properties: { none: true } }, members],
    ["counted members", { minProperties: 1 }, members],
    ["required", { required: names }, members],
    ["dependencies", { dependentRequired: { name1: names } }, members],
    ["evaluated members", { unevaluatedProperties: true }, members],
    ["an equal value", { const: members }, structuredClone(members)],
    ["an equal list", { enum: [names] }, [...names]],
    ["a long text", { minLength: 1 }, long],
    ["a long name", { properties: { none: true } }, { [long]: 1 }],
    ["many types", { type: names.map(() => "null") }, 1],
  ];
  for (const [what, schema, value] of bombs) {
    const problems = compile({ allOf: [schema] }).errors(value);
    // Once it is no bomb: nothing is refused that is only large.
    assert.equal(problems.length, what === "many types" ? 1 : 0, what);
    assert.notDeepEqual(problems, TOO_MUCH, what);
    assert.deepEqual(compile(bombOf(schema)).errors(value), TOO_MUCH, what);
  }
});

test("a bomb that asks nothing of members does not look at them", () => {
  const members = Object.fromEntries(Array.from({ length: 90_000 }, (_, n) => [`name${n}`, 1]));
  assert.equal(compile(bombOf({ type: "object" }, 12)).errors(members).length, 0);
});

/**
 * @param {Record<string, unknown>} schema Met twice as often at each of so many levels.
 * @param {number} [levels]
 */
function bombOf(schema, levels = 40) {
  /** @type {Record<string, unknown>} */
  const $defs = { d0: schema };
  for (let n = 1; n < levels; n++) {
    $defs[`d${n}`] = { allOf: [{ $ref: `#/$defs/d${n - 1}` }, { $ref: `#/$defs/d${n - 1}` }] };
  }
  return { $defs, $ref: `#/$defs/d${levels - 1}` };
}
