// Prints the speed of the strict reader as a share of JSON.parse's, for the document on stdin.
import { readFileSync } from "node:fs";

import { parse } from "../../browser_worker/contract/strict_json.js";

const text = readFileSync(0, "utf8");
const rounds = Number(process.argv[2]);

/** @param {(text: string) => unknown} read */
function rate(read) {
  let count = 0;
  const start = performance.now();
  while (performance.now() - start < 200) {
    for (let n = 0; n < 10; n++) read(text);
    count += 10;
  }
  return count / (performance.now() - start);
}

const ratios = [];
for (let round = 0; round <= rounds; round++) ratios.push(rate(parse) / rate(JSON.parse));
ratios.shift();
ratios.sort((a, b) => a - b);
console.log(ratios[Math.floor(ratios.length / 2)]);
