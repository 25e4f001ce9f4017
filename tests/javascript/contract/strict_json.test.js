// @ts-check
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";

import fc from "fast-check";

import {
  JsonNumber,
  StrictJsonError,
  parse,
  stringify,
  toPlain,
} from "../../../browser_worker/contract/strict_json.js";
import { sharedSuite } from "../support/shared.js";
import { documentOf, loadVectors } from "../support/vectors.js";

describe("the vectors of strict JSON", () => {
  for (const vector of loadVectors("strict_json.json")) {
    test(vector.name, () => {
      const bytes = documentOf(vector);
      /** @type {(string | Uint8Array)[]} */
      const sources = [bytes];
      if (vector.base64 === undefined) sources.push(Buffer.from(bytes).toString());
      for (const source of sources) {
        if (vector.valid) {
          const expected = vector.rewritten ?? Buffer.from(bytes).toString();
          assert.ok([expected].flat().includes(stringify(parse(source))));
        } else {
          assert.throws(
            () => parse(source),
            (error) =>
              error instanceof StrictJsonError &&
              error.kind === vector.kind &&
              error.limit === vector.limit,
          );
        }
      }
    });
  }
});

const suite = sharedSuite("JSONTestSuite");

test("the public suite gets its verdicts", { skip: suite.skip }, () => {
  const folder = join(suite.path, "test_parsing");
  const wrong = [];
  for (const name of readdirSync(folder)) {
    let accepted = true;
    try {
      parse(new Uint8Array(readFileSync(join(folder, name))));
    } catch (error) {
      assert.ok(error instanceof StrictJsonError, `${name}: ${error}`);
      accepted = false;
    }
    // Duplicate keys are refused, and where the suite leaves it open, numbers of any size are taken.
    const expected = name.startsWith("y_object_duplicated_key")
      ? false
      : name.startsWith("i_")
        ? name.startsWith("i_number_")
        : name.startsWith("y_");
    if (accepted !== expected) wrong.push(name);
  }
  assert.deepEqual(wrong, []);
});

test("what is not JSON is refused by name", () => {
  class Point {
    x = 1;
  }
  for (const value of [
    undefined,
    () => {},
    Symbol("s"),
    NaN,
    Infinity,
    "\ud800",
    { "\udc00": 1 },
    new Point(),
    new Map(),
    new Date(0),
    new Uint8Array(1),
    [undefined],
    // eslint-disable-next-line no-sparse-arrays -- a hole is what is tested
    [, 1],
  ]) {
    assert.throws(() => stringify(value), StrictJsonError);
  }
});

test("a cycle ends at the depth limit", () => {
  /** @type {unknown[]} */
  const cycle = [];
  cycle.push(cycle);
  assert.throws(() => stringify(cycle), { limit: "depth" });
});

test("a proxy is written as what it shows", () => {
  const state = new Proxy({ a: [1, { b: 2 }] }, {});
  assert.equal(stringify(state), '{"a":[1,{"b":2}]}');
});

test("toPlain gives native numbers and leaves a token only where none can hold it", () => {
  assert.deepEqual(toPlain(parse("[1e3,1.50,9007199254740993,1e22,1e400,-0]")), [
    1000,
    1.5,
    9007199254740993n,
    10n ** 22n,
    new JsonNumber("1e400"),
    -0,
  ]);
});

test("a member __proto__ is an own one and changes no prototype", () => {
  const value = toPlain(parse('{"__proto__":{"polluted":true}}'));
  assert.ok(Object.hasOwn(value, "__proto__"));
  assert.equal(Object.getPrototypeOf(value), Object.prototype);
  assert.equal(/** @type {any} */ ({}).polluted, undefined);
});

test("any text gives a value or the typed error", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      try {
        stringify(parse(text));
      } catch (error) {
        assert.ok(error instanceof StrictJsonError);
      }
    }),
  );
});

test("reading what was written gives the same", () => {
  const exact = (/** @type {unknown} */ value) =>
    typeof value !== "number" || !Number.isInteger(value) || Number.isSafeInteger(value);
  const json = fc.jsonValue().filter((value) => {
    let all = true;
    JSON.stringify(value, (_key, each) => ((all &&= exact(each)), each));
    return all;
  });
  fc.assert(
    fc.property(json, (value) => {
      assert.deepEqual(toPlain(parse(stringify(value))), JSON.parse(JSON.stringify(value)));
    }),
  );
});

test("an integer past 2^53 is a BigInt, though a number would be written alike", () => {
  for (const token of ["9007199254740992", "-9007199254740994", "123456789012345680000"]) {
    assert.equal(parse(token), BigInt(token));
  }
  assert.equal(parse("9007199254740991"), 9007199254740991);
});
