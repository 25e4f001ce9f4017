// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";

import fc from "fast-check";

import { readPollAnswer } from "../../../browser_worker/link/poll_answer.js";
import { rawElements, rawMembers } from "../../../browser_worker/link/raw_members.js";
import { pollAnswer } from "./support/scripted_bridge.js";

test("members keep their exact text", () => {
  const text = ' { "a" : 1e3 , "b\\u0062":[ 1.0, "]}" ,{"x":"\\\\"}],"c": "q\\"", "d":-0 } ';
  assert.deepEqual(
    [...rawMembers(text)],
    [
      ["a", "1e3"],
      ["bb", '[ 1.0, "]}" ,{"x":"\\\\"}]'],
      ["c", '"q\\""'],
      ["d", "-0"],
    ],
  );
  assert.deepEqual([...rawMembers("{ }")], []);
  assert.deepEqual(rawElements("[ ]"), []);
});

test("slices are what was put together, whatever the values", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (object) => {
      const texts = Object.entries(object).map(([k, v]) => [k, JSON.stringify(v)]);
      const body = texts.map(([k, v]) => `${JSON.stringify(k)}: ${v}`).join(" ,\n");
      assert.deepEqual([...rawMembers(`{${body}}`)], texts);
    }),
  );
  fc.assert(
    fc.property(fc.array(fc.jsonValue()), (values) => {
      const texts = values.map((value) => JSON.stringify(value));
      assert.deepEqual(rawElements(`[${texts.join(", ")}]`), texts);
    }),
  );
});

test("a damaged frame is an error and never a hang", () => {
  const bad = ["", "{", "[", '{"a"', '{"a":', '{"a":1', '{"a":1,', '{"a":1,}', "{a:1}", '{"a":}'];
  for (const text of [
    ...bad,
    '{"a":1}x',
    '{"a":1 2}',
    '{"a":[1}',
    '{"a":"x',
    '{"a":1,"a":2}',
    "1",
  ]) {
    assert.throws(() => rawMembers(text), SyntaxError, text);
  }
  for (const text of ["[1", "[1,", "[1,]", "[1 2]", "[]]", "{}"]) {
    assert.throws(() => rawElements(text), SyntaxError, text);
  }
  fc.assert(
    fc.property(fc.string(), (text) => {
      try {
        rawMembers(text);
      } catch (error) {
        assert.ok(error instanceof SyntaxError);
      }
    }),
  );
});

test("a poll's answer keeps the number tokens of a request", () => {
  const request =
    '{"jsonrpc":"2.0","id":1.0,"params":{"n":123456789012345678901234567890,"e":1e3}}';
  const answer = readPollAnswer(pollAnswer(5_000, { seq: 3, request }, { seq: 4 }));
  assert.equal(answer.now, 5_000);
  assert.deepEqual(answer.items, [
    { id: "item-3", seq: 3, session: "cli-json", deadline: 35_000, request },
    { id: "item-4", seq: 4, session: "cli-json", deadline: 35_000, request: null },
  ]);
});

test("something else than a poll's answer is an error", () => {
  const item = '{"id":"a","seq":1,"session":"s","deadline":1,"request":{}}';
  assert.equal(readPollAnswer(`{"now":1,"requests":[${item}]}`).items.length, 1);
  const bad = [
    "{}",
    "[]",
    '{"now":1}',
    '{"now":"1","requests":[]}',
    '{"now":1e999,"requests":[]}',
    '{"now":1,"requests":{}}',
    ...["id", "seq", "session", "deadline", "request"].map(
      (name) => `{"now":1,"requests":[${item.replace(`"${name}"`, '"other"')}]}`,
    ),
    `{"now":1,"requests":[${item.replace('"seq":1', '"seq":0')}]}`,
    `{"now":1,"requests":[${item.replace('"seq":1', '"seq":1.5')}]}`,
    `{"now":1,"requests":[${item.replace('"id":"a"', '"id":7')}]}`,
  ];
  for (const text of bad) assert.throws(() => readPollAnswer(text), SyntaxError, text);
});
