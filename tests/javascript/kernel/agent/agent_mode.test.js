// @ts-check
/** What the owner enables: one exact version of an app and one exact tool, after a question that says so. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { BUS_LIMITS } from "../../../../browser_worker/contract/limits.js";
import { makeAgentKernel } from "./agent_kernel.js";

const TILE = "app:helper:tile:main:instance:1";
const ASKED = { entrypoint: "run" };
const ENABLED = { enabled: true, entrypoints: [{ name: "run", enabled: true }], turn: false };
const DISABLED = { enabled: false, entrypoints: [{ name: "run", enabled: false }], turn: false };

describe("agent.mode.request", () => {
  test("asks the owner, who is told the app, its exact version and its entrypoint", async () => {
    const { agent, answer, apps, click, ports, response, workspace } = makeAgentKernel();
    apps[0].name = "Notes\u202e (notes)";
    const { tile } = await workspace({ enabled: false });
    click(TILE);
    const id = tile.app.ask("agent.mode.request", ASKED);
    await ports.settle();
    const prompt = await answer(true);
    assert.equal(prompt.title, "Let the app helper act as an agent?");
    const facts = prompt.facts.map(({ label, value }) => [label, value]);
    assert.deepEqual(facts.slice(0, 2), [
      ["App", "helper, version 1.0, which calls itself “Notes\ufffd (notes)”"],
      ["Entrypoint", "run"],
    ]);
    assert.match(facts[2]?.[1] ?? "", /decides by itself/);
    assert.deepEqual((await response(tile.app, id)).ok, ENABLED);
    assert.deepEqual(agent.mode.all(), [{ app: "helper", version: "1.0", entrypoint: "run" }]);
  });

  test("asks nothing for what is enabled already", async () => {
    const { click, consent, response, workspace } = makeAgentKernel();
    const { tile } = await workspace();
    click(TILE);
    const { ok } = await response(tile.app, tile.app.ask("agent.mode.request", ASKED));
    assert.deepEqual([ok, consent.current], [ENABLED, null]);
  });

  test("enables nothing after a no, nor where nobody answers", async () => {
    for (const end of ["no", "time"]) {
      const { agent, answer, click, ports, response, time, workspace } = makeAgentKernel();
      const { tile } = await workspace({ enabled: false });
      click(TILE);
      const id = tile.app.ask("agent.mode.request", ASKED);
      await ports.settle();
      if (end === "no") await answer(false);
      else time.pass(BUS_LIMITS.consentSeconds * 1000);
      const { error } = await response(tile.app, id);
      assert.deepEqual([error.code, error.retryAfterMs], ["OWNER_REQUIRED", 10_000]);
      assert.deepEqual(agent.mode.all(), []);
    }
  });

  test("enables nothing where the app is another by the time of the yes", async () => {
    /** @type {[string, (apps: any[]) => void][]} */
    const changes = [
      ["of another version", (apps) => void (apps[0].version = "1.1")],
      ["that declares it no more", (apps) => void (apps[0].declares = {})],
      ["that is removed", (apps) => void apps.shift()],
    ];
    for (const [name, change] of changes) {
      const { agent, answer, apps, click, ports, response, workspace } = makeAgentKernel();
      const { tile } = await workspace({ enabled: false });
      click(TILE);
      const id = tile.app.ask("agent.mode.request", ASKED);
      await ports.settle();
      change(apps);
      await answer(true);
      assert.equal((await response(tile.app, id)).error.code, "AGENT_MODE_REVOKED", name);
      assert.deepEqual(agent.mode.all(), []);
    }
  });

  test("refuses what is no entrypoint, without a question", async () => {
    const { click, consent, outcome, workspace } = makeAgentKernel();
    const { tile } = await workspace({ enabled: false });
    click(TILE);
    for (const [payload, code] of /** @type {const} */ ([
      [{ entrypoint: "other" }, "INVALID_INPUT"],
      [{ entrypoint: "" }, "INVALID_INPUT"],
      [{}, "INVALID_MESSAGE"],
    ])) {
      assert.equal(await outcome(tile.app, tile.app.ask("agent.mode.request", payload)), code);
    }
    assert.equal(consent.current, null);
  });

  test("is refused to whom the person does not work with", async () => {
    const { click, connect, consent, outcome, person, workspace } = makeAgentKernel();
    const { helper, tile, notes } = await workspace({ enabled: false });
    const tray = connect("helper", "tray");
    const other = connect("notes", "tile");
    for (const { app, endpoint } of [helper, tray, notes, other]) {
      click(endpoint.id);
      assert.notEqual(await outcome(app, app.ask("agent.mode.request", ASKED)), "waits");
    }
    click(other.endpoint.id);
    const unfocused = tile.app.ask("agent.mode.request", ASKED);
    assert.equal(await outcome(tile.app, unfocused), "OWNER_REQUIRED");
    click(TILE);
    person.active = false;
    const inactive = tile.app.ask("agent.mode.request", ASKED);
    assert.equal(await outcome(tile.app, inactive), "OWNER_REQUIRED");
    assert.equal(consent.current, null);
    click(TILE);
    const id = tile.app.ask("agent.mode.request", ASKED);
    assert.equal(await outcome(tile.app, id), "waits");
    assert.notEqual(consent.current, null);
  });

  test("takes its question away with who asked", async () => {
    const { agent, click, consent, kernel, ports, workspace } = makeAgentKernel();
    const { tile } = await workspace({ enabled: false });
    click(TILE);
    tile.app.ask("agent.mode.request", ASKED);
    await ports.settle();
    assert.notEqual(consent.current, null);
    kernel.disconnect(tile.endpoint);
    await ports.settle();
    assert.equal(consent.current, null);
    assert.deepEqual(agent.mode.all(), []);
  });
});

describe("agent.mode.status and agent.mode.disable", () => {
  test("are for any endpoint of the app, and about that app alone", async () => {
    const { connect, response, workspace } = makeAgentKernel();
    const { helper, tile, notes, begin } = await workspace();
    const tray = connect("helper", "tray");
    await begin();
    for (const { app } of [helper, tile, tray]) {
      const { ok } = await response(app, app.ask("agent.mode.status", {}));
      assert.deepEqual(ok, { ...ENABLED, turn: true });
    }
    const others = await response(notes.app, notes.app.ask("agent.mode.disable", {}));
    assert.deepEqual(others.ok, { enabled: false, entrypoints: [], turn: false });
    const { ok } = await response(tray.app, tray.app.ask("agent.mode.status", {}));
    assert.equal(ok.enabled, true);
    const off = await response(tray.app, tray.app.ask("agent.mode.disable", {}));
    assert.deepEqual(off.ok, DISABLED);
  });

  test("end the turn that runs", async () => {
    const { agent, outcome, workspace } = makeAgentKernel();
    const { helper, tile, begin } = await workspace();
    const { call } = await begin();
    helper.app.ask("agent.mode.disable", {});
    assert.equal(await outcome(tile.app, call), "AGENT_MODE_REVOKED");
    assert.deepEqual(agent.turns.all(), []);
  });
});

describe("what is enabled", () => {
  test("is seen by the owner, who takes it back", async () => {
    const { agent, enable } = makeAgentKernel();
    let changes = 0;
    agent.mode.onChange(() => (changes += 1));
    await enable();
    assert.equal(agent.mode.standing("helper", "run"), "enabled");
    agent.mode.disable("helper");
    assert.deepEqual([agent.mode.all(), changes], [[], 2]);
    assert.equal(agent.mode.standing("helper", "run"), "revoked");
    await enable();
    assert.equal(agent.mode.standing("helper", "run"), "enabled");
  });

  test("ends with the lock: whoever unlocks is asked anew", async () => {
    const { agent, enable, kernel } = makeAgentKernel();
    await enable();
    kernel.lock();
    kernel.unlock();
    assert.deepEqual(agent.mode.all(), []);
    assert.equal(agent.mode.standing("helper", "run"), "never");
  });

  test("ends with the version, the declaration and the app", async () => {
    /** @type {((apps: any[]) => void)[]} */
    const changes = [
      (apps) => void (apps[0].version = "2.0"),
      (apps) => void (apps[0].declares.agent = ["another"]),
      (apps) => void apps.shift(),
    ];
    for (const change of changes) {
      const { agent, apps, enable } = makeAgentKernel();
      await enable();
      change(apps);
      assert.deepEqual(agent.mode.all(), []);
      assert.equal(agent.mode.standing("helper", "run"), "revoked");
    }
  });
});

test("nothing of agent mode is discovered: no tool, no declaration, no private entry", async () => {
  const { kernel, ports, response, workspace } = makeAgentKernel();
  const { helper, notes, begin } = await workspace();
  await begin();
  helper.app.ask("agent.mode.status", {});
  await ports.settle();
  const list = notes.app.ask("tools.list", { target: "kernel" });
  const names = (await response(notes.app, list)).ok.tools.map(
    (/** @type {any} */ { name }) => name,
  );
  assert.ok(names.includes("attachments.delegate"));
  assert.ok(!names.some((/** @type {string} */ name) => name.startsWith("agent.")));
  const { ok } = await response(notes.app, notes.app.call("kernel", "apps.list"));
  assert.ok(!JSON.stringify(ok).includes("declares"));
  const outcome = await response(notes.app, notes.app.call("kernel", "agent.mode.status"));
  assert.equal(outcome.error.code, "UNKNOWN_TOOL");
  const told = kernel.audit.entries(({ tool }) => tool.startsWith("agent."));
  assert.deepEqual(
    told.map((entry) => [entry.private, entry.arguments, entry.outcome]),
    [
      [true, "", null],
      [false, "{}", told[1]?.outcome],
    ],
  );
});
