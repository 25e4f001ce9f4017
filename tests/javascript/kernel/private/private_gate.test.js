// @ts-check
import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { PRIVATE_ACTIONS } from "../../../../browser_worker/kernel/private/private_actions.js";
import { admit } from "../../../../browser_worker/kernel/private/private_gate.js";

/** @import { EndpointKind } from "../../../../browser_worker/contract/bus_names.js" */

const ALL = Object.freeze({
  tray: true,
  agent: ["agent_run"],
  connections: ["local"],
  wallets: true,
  vetkeys: /** @type {("background" | "tile")[]} */ (["background", "tile"]),
});

/**
 * What is asked under the best of circumstances, but for what a test takes away.
 *
 * @param {string} action
 * @param {EndpointKind} kind
 * @param {{ focused?: boolean, active?: boolean, moved?: boolean, declares?: any, sender?: any }} [but]
 */
function ask(action, kind, but = {}) {
  const { focused = true, active = true, moved = false, declares = ALL, sender = null } = but;
  const id = `app:a:${kind}`;
  const place = { app: "a", kind };
  const attention = {
    focusedEndpoint: () => (focused ? id : "app:b:tile:main:instance:1"),
    activation: () => ({ active, moved }),
  };
  const rule = PRIVATE_ACTIONS[action];
  assert.ok(rule);
  const { refusal, click } = admit(action, rule, { id, place, declares, attention, sender });
  return refusal === null ? { click } : refusal.code;
}

const B = "background";
const T = "tile";
const Y = "tray";

/**
 * The table of the contract, written once more: who, what the manifest declares, focus, activation, and
 * whose click.
 *
 * @type {[action: string, from: string[], declares: string | null, focused: boolean, activation: boolean, click: string][]}
 */
const ROWS = [
  ["tray.set_state", [B], "tray", false, false, "never"],
  ["tray.dismiss", [Y], "tray", false, false, "never"],
  ["clipboard.write_text", [T], null, true, true, "moved"],
  ["connections.list", [B], "connections", false, false, "never"],
  ["connections.request", [B], "connections", false, false, "never"],
  ["connections.credential", [B], "connections", false, false, "never"],
  ["connections.disconnect", [B], "connections", false, false, "never"],
  ["ethereum_provider.discover", [T], "wallets", true, true, "always"],
  ["ethereum_provider.connect", [T], "wallets", true, true, "always"],
  ["ethereum_provider.request", [T], "wallets", true, true, "always"],
  ["ethereum_provider.disconnect", [T], "wallets", true, true, "always"],
  ["vetkeys.list", [T], "vetkeys", true, false, "never"],
  ["vetkeys.create", [T], "vetkeys", true, false, "never"],
  ["vetkeys.remove", [T], "vetkeys", true, false, "never"],
  ["vetkeys.derive", [B, T], "vetkeys", false, false, "never"],
  ["agent.mode.request", [T], "agent", true, true, "always"],
  ["agent.mode.status", [B, T, Y], null, false, false, "never"],
  ["agent.mode.disable", [B, T, Y], null, false, false, "never"],
];

test("every action has one row, and no other is there", () => {
  assert.deepEqual(Object.keys(PRIVATE_ACTIONS).sort(), ROWS.map(([action]) => action).sort());
});

for (const [action, from, declares, focused, activation, click] of ROWS) {
  describe(action, () => {
    for (const kind of /** @type {EndpointKind[]} */ ([B, T, Y])) {
      const accepted = from.includes(kind);
      test(`${accepted ? "is accepted" : "is unknown"} from a ${kind}`, () => {
        assert.deepEqual(
          ask(action, kind),
          accepted ? { click: click === "always" } : "UNKNOWN_ACTION",
        );
      });
    }
    const kind = /** @type {EndpointKind} */ (from[0]);
    test(`${declares === null ? "needs no" : "needs a"} declaration in the manifest`, () => {
      const without = declares === null ? {} : { ...ALL, [declares]: undefined };
      const bare = ask(action, kind, { declares: without });
      assert.deepEqual(bare, declares === null ? { click: click === "always" } : "OWNER_REQUIRED");
    });
    test(`${focused ? "needs" : "does not need"} the focus`, () => {
      const answer = ask(action, kind, { focused: false });
      assert.deepEqual(answer, focused ? "OWNER_REQUIRED" : { click: click === "always" });
    });
    test(`${activation ? "needs" : "does not need"} a fresh click or key`, () => {
      const answer = ask(action, kind, { active: false });
      assert.deepEqual(answer, activation ? "OWNER_REQUIRED" : { click: click === "always" });
    });
    test(`${click === "never" ? "needs no" : `needs (${click}) a`} click in the page where the focus moved`, () => {
      assert.deepEqual(ask(action, kind, { moved: true }), { click: click !== "never" });
    });
  });
}

/** How the asking frame itself has to have been clicked, for each that takes a click at all. */
const SENDER = {
  "clipboard.write_text": "fresh",
  "ethereum_provider.discover": "fresh",
  "ethereum_provider.connect": "ever",
  "ethereum_provider.request": "ever",
  "ethereum_provider.disconnect": "ever",
  "agent.mode.request": "fresh",
};

describe("where the browser says whether the asking frame itself was clicked", () => {
  const NEVER = { fresh: false, ever: false };
  const ONCE = { fresh: false, ever: true };
  const NOW = { fresh: true, ever: true };

  for (const [action, from, , , , click] of ROWS) {
    const needed = /** @type {Record<string, string>} */ (SENDER)[action];
    const kind = /** @type {EndpointKind} */ (from[0]);
    const let_in = { click: click === "always" };
    test(`${action} needs ${needed === undefined ? "no" : `(${needed}) a`} click in it`, () => {
      assert.deepEqual(ask(action, kind, { sender: NOW }), let_in);
      const once = ask(action, kind, { sender: ONCE });
      assert.deepEqual(once, needed === "fresh" ? "OWNER_REQUIRED" : let_in);
      const never = ask(action, kind, { sender: NEVER });
      assert.deepEqual(never, needed === undefined ? let_in : "OWNER_REQUIRED");
    });
  }

  test("its click lets nothing in that is refused without", () => {
    for (const [action, from, declares, focused, activation, click] of ROWS) {
      const kind = /** @type {EndpointKind} */ (from[0]);
      const but = (/** @type {any} */ more) => ask(action, kind, { ...more, sender: NOW });
      if (focused) assert.equal(but({ focused: false }), "OWNER_REQUIRED", action);
      if (activation) assert.equal(but({ active: false }), "OWNER_REQUIRED", action);
      if (declares !== null) assert.equal(but({ declares: {} }), "OWNER_REQUIRED", action);
      assert.deepEqual(but({ moved: true }), { click: click !== "never" }, action);
    }
  });
});

test("keys are derived by the kinds of endpoint that the manifest names", () => {
  const declares = { vetkeys: ["background"] };
  assert.deepEqual(ask("vetkeys.derive", B, { declares }), { click: false });
  assert.equal(ask("vetkeys.derive", T, { declares }), "OWNER_REQUIRED");
  // A tile looks after the keys of its background.
  assert.deepEqual(ask("vetkeys.create", T, { declares }), { click: false });
  assert.equal(ask("vetkeys.create", T, { declares: { vetkeys: [] } }), "OWNER_REQUIRED");
});
