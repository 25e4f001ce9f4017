// @ts-check
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { AppError } from "../../../browser_worker/dispatcher/app_error.js";
import { toolError } from "../../../browser_worker/dispatcher/mcp_answers.js";
import { INSTRUCTIONS, TOOLS } from "../../../browser_worker/dispatcher/mcp_catalog.js";
import {
  errorText,
  forModel,
  HINTS,
  resultForModel,
} from "../../../browser_worker/dispatcher/mcp_errors.js";
import { METHODS } from "../../../browser_worker/dispatcher/methods.js";

const FILE = join(import.meta.dirname, "../../vectors/mcp_catalog.json");

/** @param {string} code @param {Record<string, unknown>} [data] */
const error = (code, data = {}) => ({ code: 1, message: "No.", data: { ...data, code } });

test("hints are the catalog's word for word", () => {
  const told = JSON.parse(readFileSync(FILE, "utf8"));
  assert.equal(JSON.stringify(HINTS), JSON.stringify(told.hints));
});

test("nothing that a model reads names a method of control protocol 1", () => {
  const read = JSON.stringify([TOOLS, INSTRUCTIONS, HINTS]);
  assert.ok(read.includes("actions_search"));
  assert.deepEqual(
    [...METHODS.keys()].filter((name) => read.includes(name)),
    [],
  );
});

test("an app that draws nothing is told as such by view_render alone", () => {
  const thrown = new AppError("UNKNOWN_ACTION", "The app has no action of this name.");
  const drawn = toolError(thrown, "view_render");
  assert.equal(drawn.message, "This app draws no pictures of itself: it has no action ui.render.");
  assert.equal(drawn.data?.["hint"], "Nothing was run. Look with state_inspect instead.");
  const called = toolError(thrown, "actions_execute");
  assert.equal(called.message, thrown.message);
  assert.equal(called.data?.["hint"], HINTS["UNKNOWN_ACTION"]);
});

test("an app without inspection is not to be asked again", () => {
  const told = forModel(error("UNAVAILABLE", { availability: { code: "NO_INSPECTION" } }));
  assert.match(String(told.data?.["hint"]), /^Nothing was read\. Find actions of kind read/);
});

test("a hint of the app's own stays, whatever it is", () => {
  for (const hint of ["Ask Ada.", 1, null]) {
    assert.equal(forModel(error("UNAVAILABLE", { hint })).data?.["hint"], hint);
  }
});

test("an error that is not known stays as it is", () => {
  for (const foreign of [{ code: 1, message: "No." }, error("ODD"), error("toString")]) {
    assert.equal(forModel(foreign), foreign);
  }
});

test("the text has the first three violations, and skips what is none", () => {
  const errors = [0, 1, 2, 3, 4].map((n) => ({ path: `/${n}`, message: "bad" }));
  const told = errorText(forModel(error("INVALID_INPUT", { errors })));
  assert.equal(told, `No.\n/0: bad\n/1: bad\n/2: bad\n${HINTS["INVALID_INPUT"]}`);
  const odd = [{ path: "", message: "no object" }, 1, { path: 1, message: "x" }];
  assert.equal(errorText(error("INVALID_INPUT", { errors: odd })), "No.\nno object");
  assert.equal(errorText(error("INVALID_INPUT", { errors: "none", hint: 1 })), "No.");
});

test("data that cannot be read leaves the error as it is", () => {
  const availability = {
    get code() {
      throw new Error("secret");
    },
  };
  const told = error("UNAVAILABLE", { availability });
  assert.equal(forModel(told), told);
  assert.ok("hint" in (forModel(error("UNAVAILABLE")).data ?? {}));
});

test("a result without errors is the same", () => {
  const batch = { results: [{ ok: true, output: { error: error("DISABLED") } }], atomic: false };
  assert.deepEqual(resultForModel("actions_batch", batch), batch);
  const task = { task: { id: "1", state: "completed", output: { error: 1 } } };
  assert.deepEqual(resultForModel("task_status", task), task);
  const seen = { task: { error: error("DISABLED") }, results: 1 };
  assert.deepEqual(resultForModel("state_inspect", seen), seen);
});
