// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import { showOffer } from "../../../../browser_worker/demo/workspace/view/offer_notice.js";

/** @param {string} url */
function wordsFor(url) {
  /** @type {string[]} */
  const shown = [];
  showOffer(/** @type {any} */ ({ show: (/** @type {string} */ words) => shown.push(words) }), url);
  return shown.join();
}

test("an address is shown in a notice, its host whole and of the rest no more than there is room for", () => {
  assert.match(wordsFor("https://apps.example/one"), /: https:\/\/apps\.example\/one$/);
  const host = `${"a".repeat(60)}.`.repeat(4) + "example";
  const words = wordsFor(`https://${host}/${"very-long-".repeat(150)}`);
  assert.ok(words.includes(`https://${host}/`));
  assert.ok(words.endsWith("…") && words.length < 350);
});
