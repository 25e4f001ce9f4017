// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import { whyNotStarted } from "../../../../browser_worker/demo/workspace/shell/start_diagnosis.js";

const PAGE = "https://shell.test/apps/todo/tile.html";

/**
 * @param {Record<string, number>} answers The status of each path; others cannot be reached.
 * @param {readonly string[]} [scripts]
 */
async function why(answers, scripts = []) {
  /** @type {string[]} */
  const asked = [];
  const words = await whyNotStarted(
    PAGE,
    async (url) => {
      asked.push(url);
      const status = answers[new URL(url).pathname];
      if (status === undefined) throw new TypeError("no network");
      return { ok: status === 200, status, text: async () => "" };
    },
    () => scripts,
  );
  return { words, asked };
}

test("a page that is missing, refused or not to be reached is named", async () => {
  assert.match((await why({ "/apps/todo/tile.html": 404 })).words, /page tile.html was not found/);
  assert.match((await why({ "/apps/todo/tile.html": 500 })).words, /was answered with 500/);
  assert.match((await why({})).words, /page tile.html could not be loaded/);
});

test("the first script that is missing is named", async () => {
  const answers = { "/apps/todo/tile.html": 200, "/apps/todo/a.js": 200, "/apps/b.js": 404 };
  const { words } = await why(answers, ["./a.js", "../b.js"]);
  assert.match(words, /script b.js was not found/);
});

test("scripts of another origin, and more than eight, are not asked for", async () => {
  const answers = { "/apps/todo/tile.html": 200, "/apps/todo/a.js": 200 };
  const scripts = ["https://elsewhere.test/x.js", "http://[", "data:,", ...Array(20).fill("a.js")];
  const { words, asked } = await why(answers, scripts);
  assert.match(words, /never asked for its port/);
  assert.equal(asked.length, 1 + 5);
  assert(asked.every((url) => url.startsWith("https://shell.test/")));
});
