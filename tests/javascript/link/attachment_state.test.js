// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";

import {
  CAUSE_NAMES,
  eventOf,
  messageOf,
  messageOfState,
} from "../../../browser_worker/link/attachment_cause.js";
import {
  STATES,
  STATE_EVENTS,
  TransitionError,
  nextState,
} from "../../../browser_worker/link/attachment_state.js";

const EXPECTED = {
  detached: { connect: "connecting", detach: "detached" },
  connecting: {
    accepted: "attached",
    lost: "suspended",
    occupied: "elsewhere",
    refused: "refused",
    failed: "detached",
    detach: "detached",
  },
  attached: {
    lost: "suspended",
    occupied: "elsewhere",
    refused: "refused",
    failed: "detached",
    detach: "detached",
  },
  suspended: {
    accepted: "attached",
    lost: "suspended",
    occupied: "elsewhere",
    refused: "refused",
    failed: "detached",
    detach: "detached",
  },
  elsewhere: { detach: "detached" },
  refused: { detach: "detached" },
};

test("every pair of a state and an event leads somewhere or is an error", () => {
  for (const state of STATES) {
    for (const event of STATE_EVENTS) {
      const next = new Map(Object.entries(EXPECTED[state])).get(event);
      if (next === undefined) assert.throws(() => nextState(state, event), TransitionError);
      else assert.equal(nextState(state, event), next);
    }
  }
});

test("every state can be left by detaching and reached from the first one", () => {
  for (const state of STATES) assert.equal(nextState(state, "detach"), "detached");
  const reached = new Set(["detached"]);
  for (let round = 0; round < STATES.length; round += 1) {
    for (const [state, events] of Object.entries(EXPECTED)) {
      if (reached.has(state)) for (const next of Object.values(events)) reached.add(next);
    }
  }
  assert.deepEqual([...reached].sort(), [...STATES].sort());
});

test("every cause is an event of the table and has a sentence with a cure", () => {
  const place = { url: "http://127.0.0.1:1", origin: "https://app.example" };
  assert.ok(CAUSE_NAMES.length > 15);
  for (const cause of CAUSE_NAMES) {
    assert.ok(STATE_EVENTS.includes(eventOf(cause)), cause);
    const message = messageOf(cause, place);
    assert.match(message, /^[A-Z].*\.$/s, cause);
    assert.doesNotMatch(message, /undefined|token=/, cause);
  }
  for (const state of STATES) assert.match(messageOfState(state, place), /^[A-Z].*\.$/);
});

test("a page without an origin is not told to start a bridge for it", () => {
  const message = (/** @type {string} */ origin) =>
    messageOf("wrong-origin", { url: "http://127.0.0.1:1", origin });
  assert.match(message("https://app.example"), /--origin https:\/\/app\.example/);
  assert.doesNotMatch(message("null"), /--origin/);
  assert.match(message("null"), /Serve it over http/);
});
