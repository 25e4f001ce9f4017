// @ts-check
/** Answers each line, a document in base64, with the verdict of the JavaScript reader. */

import { createInterface } from "node:readline";

import { StrictJsonError, parse, stringify } from "../../../browser_worker/contract/strict_json.js";

for await (const line of createInterface({ input: process.stdin })) {
  let answer;
  try {
    answer = { rewritten: stringify(parse(new Uint8Array(Buffer.from(line, "base64")))) };
  } catch (error) {
    if (!(error instanceof StrictJsonError)) throw error;
    answer = { kind: error.kind, limit: error.limit };
  }
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
