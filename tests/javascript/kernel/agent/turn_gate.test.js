// @ts-check
/** Who may begin an agent's turn, and what the others are told. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { beginProblem, entrypointOnly } from "../../../../browser_worker/kernel/agent/turn_gate.js";

const HERE = { focused: true, active: true };
const NOT_IN_IT = { fresh: false, ever: true };
const IN_IT = { fresh: true, ever: true };

/** @param {"tile" | "tray"} kind @param {Record<string, unknown>} [more] */
function source(kind, more = {}) {
  const endpoint = { place: { app: "helper", kind } };
  return /** @type {any} */ ({ app: "helper", endpoint, root: null, invocation: null, ...more });
}

test("the app's own tile begins one, in a click, and nobody else", () => {
  assert.equal(beginProblem(source("tile"), "helper", "run", HERE), null);
  assert.equal(beginProblem(source("tile", { sender: IN_IT }), "helper", "run", HERE), null);
  const foreign = { kind: "external", app: null };
  const refused = [
    beginProblem(source("tile", { app: null, endpoint: null }), "helper", "run", HERE),
    beginProblem(source("tile", { app: "notes" }), "helper", "run", HERE),
    beginProblem(source("tray"), "helper", "run", HERE),
    beginProblem(source("tile", { root: foreign }), "helper", "run", HERE),
    beginProblem(source("tile", { invocation: {} }), "helper", "run", HERE),
    beginProblem(source("tile"), "helper", "run", { ...HERE, focused: false }),
    beginProblem(source("tile"), "helper", "run", { ...HERE, active: false }),
    beginProblem(source("tile", { sender: NOT_IN_IT }), "helper", "run", HERE),
  ];
  for (const problem of refused) {
    assert.equal(problem?.code, "OWNER_REQUIRED");
    assert.match(problem.message, /^run begins an agent's turn, and was not run, because [^:]+\.$/);
  }
});

test("a background's entrypoint is nothing for a terminal, and its other tools are", () => {
  const background = { app: "helper", kind: /** @type {const} */ ("background") };
  const tile = { app: "helper", kind: /** @type {const} */ ("tile"), tile: "main", instance: "1" };
  assert.equal(entrypointOnly(background, "run", ["run"])?.code, "OWNER_REQUIRED");
  assert.equal(entrypointOnly(background, "look", ["run"]), null);
  assert.equal(entrypointOnly(tile, "run", ["run"]), null);
  assert.equal(entrypointOnly(undefined, "run", ["run"]), null);
});
