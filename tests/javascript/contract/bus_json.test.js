// @ts-check
/** What may travel on the bus. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { runInNewContext } from "node:vm";

import fc from "fast-check";

import { BusError } from "../../../browser_worker/contract/bus_error.js";
import { checkJson, copyJson, readJson } from "../../../browser_worker/contract/bus_json.js";

class Note {
  title = "a";
}
class Notes extends Array {}

/** @type {Record<string, unknown>} */
const CYCLE = { name: "cycle" };
CYCLE["self"] = CYCLE;

/** @type {[string, unknown, string, RegExp][]} what, value, path, words */
const REFUSED = [
  ["undefined", undefined, "", /undefined/],
  ["a member that is undefined", { a: { b: undefined } }, "/a/b", /undefined/],
  ["a hole in a list", [1, , 3], "/1", /undefined/], // eslint-disable-line no-sparse-arrays
  ["NaN", [Number.NaN], "/0", /NaN/],
  ["infinity", { a: Infinity }, "/a", /Infinity/],
  ["a function", { a: () => 1 }, "/a", /function/],
  ["a symbol", [Symbol("a")], "/0", /symbol/],
  ["a BigInt", { a: 1n }, "/a", /BigInt/],
  ["a cycle", CYCLE, "/self", /holds itself/],
  ["an instance of a class", { note: new Note() }, "/note", /instance of Note/],
  ["a list of a class of its own", Notes.from([1]), "", /instance of Notes/],
  ["a date", { "a/b~c": new Date(0) }, "/a~1b~0c", /instance of Date/],
  ["a map", new Map(), "", /instance of Map/],
  ["a typed array", { a: [new Uint8Array(1)] }, "/a/0", /instance of Uint8Array/],
  ["a buffer", new ArrayBuffer(1), "", /instance of ArrayBuffer/],
  ["an object with a prototype of somebody's", Object.create({ inherited: 1 }), "", /instance/],
];

describe("what is refused, by name and path", () => {
  for (const [what, value, path, words] of REFUSED) {
    for (const check of [checkJson, copyJson]) {
      test(`${check.name} refuses ${what}`, () => {
        assert.throws(
          () => check(value, { what: "arguments" }),
          (/** @type {any} */ error) => {
            assert.ok(error instanceof BusError);
            assert.equal(error.code, "NOT_JSON");
            assert.match(error.message, /arguments/);
            assert.match(error.message, words);
            assert.deepEqual(error.data, { path });
            return true;
          },
        );
      });
    }
  }

  test("nesting is taken at its limit and refused one deeper", () => {
    /** @param {number} depth */
    const nested = (depth) => JSON.parse("[".repeat(depth) + "]".repeat(depth));
    assert.doesNotThrow(() => checkJson(nested(64)));
    assert.throws(() => checkJson(nested(65)), /nested deeper than 64/);
  });

  test("the same object twice is no cycle", () => {
    const once = { a: 1 };
    assert.deepEqual(copyJson([once, once]), [{ a: 1 }, { a: 1 }]);
  });

  test("a list of a hundred million holes is refused without being walked", () => {
    assert.throws(() => checkJson(new Array(100_000_000)), { code: "TOO_LARGE" });
  });
});

describe("size", () => {
  test("counts UTF-8 bytes of the JSON, at the limit and one over", () => {
    // Two quotation marks, and three bytes for each sign.
    const value = "€".repeat(100);
    assert.doesNotThrow(() => checkJson(value, { maxBytes: 302 }));
    assert.throws(() => checkJson(value, { maxBytes: 301 }), { code: "TOO_LARGE" });
    assert.throws(() => copyJson(value, { maxBytes: 301 }), { code: "TOO_LARGE" });
  });

  test("leaves out the member that travels apart, and no member of that name further in", () => {
    const value = { attachment: new ArrayBuffer(8), a: { attachment: "x".repeat(50) } };
    const { copy, bytes } = readJson(value, {}, "attachment");
    assert.deepEqual(copy, { a: value.a });
    const exact = JSON.stringify({ a: value.a }).length;
    assert.ok(bytes >= exact);
    assert.doesNotThrow(() => readJson(value, { maxBytes: exact }, "attachment"));
    assert.throws(() => readJson(value, { maxBytes: exact - 1 }, "attachment"), {
      code: "TOO_LARGE",
    });
  });

  test("is not looked at beyond its bound", () => {
    let looks = 0;
    const list = Array.from({ length: 100_000 }, () => ({
      get a() {
        looks += 1;
        return "x".repeat(100);
      },
    }));
    assert.throws(() => checkJson(list, { maxBytes: 110_000 }), { code: "TOO_LARGE" });
    assert.ok(looks < 200, String(looks));
  });

  test("of plain text is not overstated: what is sent in plain text counts for no more", () => {
    const text = "plain text of some length. ".repeat(100);
    assert.ok(checkJson({ text }) <= 1.01 * JSON.stringify({ text }).length + 20);
  });

  test("never says less than the JSON has", () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
        const bytes = Buffer.byteLength(JSON.stringify(value));
        assert.ok(checkJson(value) >= bytes);
        assert.doesNotThrow(() => checkJson(value, { maxBytes: bytes }));
        assert.throws(() => checkJson(value, { maxBytes: bytes - 1 }), { code: "TOO_LARGE" });
      }),
    );
    // Signs of every length, also in texts that are long enough to be measured by a look.
    const signs = fc.string({ unit: "binary", minLength: 0, maxLength: 60 });
    fc.assert(
      fc.property(fc.dictionary(signs, fc.array(signs)), (value) => {
        const bytes = Buffer.byteLength(JSON.stringify(value));
        assert.ok(checkJson(value) >= bytes);
        assert.throws(() => checkJson(value, { maxBytes: bytes - 1 }), { code: "TOO_LARGE" });
      }),
    );
  });
});

describe("copies", () => {
  test("a copy is the same JSON, and nothing of the original", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        assert.equal(JSON.stringify(copyJson(value)), JSON.stringify(value));
      }),
    );
    const inner = { a: [1] };
    const copy = copyJson({ inner });
    inner.a.push(2);
    assert.deepEqual(copy, { inner: { a: [1] } });
  });

  test("a reactive proxy becomes plain data", () => {
    const reactive = new Proxy({ list: new Proxy([1, 2], {}) }, {});
    assert.throws(() => structuredClone(reactive), { name: "DataCloneError" });
    assert.deepEqual(structuredClone(copyJson(reactive)), { list: [1, 2] });
  });

  test("plain data of another window is plain", () => {
    const other = runInNewContext("({ list: [1, { a: null }], name: 'x' })");
    assert.equal(JSON.stringify(copyJson(other)), '{"list":[1,{"a":null}],"name":"x"}');
    assert.throws(() => copyJson(runInNewContext("new Date(0)")), /instance of Date/);
  });

  test("a member named __proto__ stays a member", () => {
    const copy = copyJson(JSON.parse('{"__proto__":{"admin":true}}'));
    assert.equal(Object.getPrototypeOf(copy), Object.prototype);
    assert.equal(JSON.stringify(copy), '{"__proto__":{"admin":true}}');
  });
});
