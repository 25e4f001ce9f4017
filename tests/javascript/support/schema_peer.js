// @ts-check
/**
 * The JavaScript side of comparing schema validators: reads `{schema, values}` as strict JSON, one
 * object a line, and answers each with the problems of every value, or with why the schema is
 * refused.
 */

import { createInterface } from "node:readline";

import { SchemaError, compile } from "../../../browser_worker/contract/schema.js";
import { parse } from "../../../browser_worker/contract/strict_json.js";

/** @param {{ schema: unknown, values: unknown[] }} question */
function answer({ schema, values }) {
  try {
    const validator = compile(schema);
    return { problems: values.map((value) => validator.errors(value)) };
  } catch (error) {
    if (!(error instanceof SchemaError)) throw error;
    return { refused: error.message };
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(`${JSON.stringify(answer(parse(line)))}\n`);
}
