// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import { MessageBatch } from "../../../browser_worker/link/message_batch.js";

function start() {
  /** @type {string[][]} */
  const posted = [];
  /** @type {(() => void)[]} */
  const tasks = [];
  const batch = new MessageBatch(
    ({ messages }) => void posted.push(messages.map(({ type, id }) => `${type} ${id}`)),
    (callback) => void tasks.push(callback),
  );
  return { batch, posted, nextTask: () => tasks.shift()?.(), tasks };
}

test("one short action is told of by one message, at once", () => {
  const { batch, posted } = start();
  batch.begun("a", 1);
  assert.deepEqual(posted, []);
  batch.result("a", "null");
  assert.deepEqual(posted, [["begun a", "result a"]]);
});

test("actions that begin and end together are told of together, in order", () => {
  const { batch, posted } = start();
  batch.begun("a", 1);
  batch.begun("b", 2);
  batch.result("a", "null");
  batch.result("b", "null");
  assert.deepEqual(posted, [["begun a", "begun b", "result a", "result b"]]);
});

test("what takes longer than a task does not hold back what is known", () => {
  const { batch, posted, nextTask } = start();
  batch.begun("slow", 1);
  batch.begun("a", 2);
  batch.result("a", "null");
  assert.deepEqual(posted, []);
  nextTask();
  assert.deepEqual(posted, [["begun slow", "begun a", "result a"]]);
  batch.result("slow", "null");
  assert.deepEqual(posted[1], ["result slow"]);
});

test("a result while another runs leaves before the next task", () => {
  const { batch, posted, nextTask, tasks } = start();
  batch.begun("slow", 1);
  nextTask();
  batch.begun("a", 2);
  batch.result("a", "null");
  assert.equal(posted.length, 1);
  nextTask();
  assert.deepEqual(posted[1], ["begun a", "result a"]);
  assert.equal(tasks.length, 0, "one task at a time is asked for");
});

test("a task that comes when everything has left says nothing", () => {
  const { batch, posted, nextTask } = start();
  batch.begun("a", 1);
  batch.result("a", "null");
  nextTask();
  assert.equal(posted.length, 1);
});

test("a result of what was never begun leaves as well", () => {
  const { batch, posted } = start();
  batch.result("a", null);
  assert.deepEqual(posted, [["result a"]]);
});
