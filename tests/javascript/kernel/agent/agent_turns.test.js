// @ts-check
/** Who begins an agent's turn, who does not, and how many there are. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { BUS_LIMITS } from "../../../../browser_worker/contract/limits.js";
import { HELPER, NOTES, makeAgentKernel } from "./agent_kernel.js";

/** @typedef {ReturnType<typeof makeAgentKernel>} Made */
/** @typedef {Awaited<ReturnType<Made["workspace"]>>} Workspace */

const TILE = "app:helper:tile:main:instance:1";

describe("a turn", () => {
  test("begins with a click in the app's own tile, and ends with its call", async () => {
    const { agent, kernel, outcome, ports, workspace } = makeAgentKernel();
    const { helper, tile, begin } = await workspace();
    const { call, message } = await begin();
    const [turn] = agent.turns.all();
    assert.deepEqual(
      { ...turn, id: undefined },
      {
        id: undefined,
        app: "helper",
        version: "1.0",
        entrypoint: "run",
        startedAt: 1_000_000,
        calls: 0,
      },
    );
    const found = kernel.invocations.find(helper.endpoint, message.payload.invocation);
    assert.equal(found.root.kind, "agent");
    assert.equal(found.root.subject, "agent:helper:run");
    assert.equal(found.root.session, turn?.id);
    helper.app.send({ type: "response", id: message.id, ok: { result: 1 } });
    assert.equal(await outcome(tile.app, call), "ok");
    assert.deepEqual(agent.turns.all(), []);
    assert.equal(found.root.signal?.aborted, true);
    await ports.settle();
    assert.equal(kernel.invocations.size, 0);
  });

  /**
   * What is otherwise than in the positive control above.
   *
   * @type {{ name: string, code: string, call: (made: Made, workspace: Workspace) => Promise<string> }[]}
   */
  const REFUSED = [
    {
      name: "from a tile that has not the focus",
      code: "OWNER_REQUIRED",
      call: async ({ click, outcome }, { tile }) => {
        click("app:notes:tile:main:instance:1");
        return outcome(tile.app, tile.app.call(HELPER, "run"));
      },
    },
    {
      name: "from a tile without a click",
      code: "OWNER_REQUIRED",
      call: async ({ click, person, outcome }, { tile }) => {
        click(TILE);
        person.active = false;
        return outcome(tile.app, tile.app.call(HELPER, "run"));
      },
    },
    {
      name: "from a tile that was not clicked itself, as the browser says",
      code: "OWNER_REQUIRED",
      call: async ({ click, outcome }, { tile }) => {
        click(TILE);
        tile.port.userActivation = { isActive: false, hasBeenActive: true };
        return outcome(tile.app, tile.app.call(HELPER, "run"));
      },
    },
    {
      name: "from the background",
      code: "OWNER_REQUIRED",
      call: async ({ click, outcome }, { helper }) => {
        click(HELPER);
        return outcome(helper.app, helper.app.call(HELPER, "run"));
      },
    },
    {
      name: "from a tray",
      code: "OWNER_REQUIRED",
      call: async ({ connect, click, outcome }) => {
        const tray = connect("helper", "tray");
        click(tray.endpoint.id);
        return outcome(tray.app, tray.app.call(HELPER, "run"));
      },
    },
    {
      name: "from another app's tile",
      code: "OWNER_REQUIRED",
      call: async ({ connect, click, outcome }) => {
        const other = connect("notes", "tile");
        click(other.endpoint.id);
        return outcome(other.app, other.app.call(HELPER, "run"));
      },
    },
    {
      name: "from a terminal",
      code: "OWNER_REQUIRED",
      call: async ({ click, kernel }) => {
        click(TILE);
        const call = { caller: "external:bridge:1", target: HELPER, name: "run" };
        return kernel.call(call).then(
          () => "ok",
          ({ code }) => code,
        );
      },
    },
    {
      name: "within a call that another app made of the tile",
      code: "OWNER_REQUIRED",
      call: async ({ click, outcome, ports, scoped }, { tile, notes }) => {
        tile.app.expose({ poke: { handler: () => undefined } });
        notes.app.call(TILE, "poke");
        await ports.settle();
        const poked = tile.app.received.find((each) => each.payload?.action === "tools.invoke");
        click(TILE);
        const id = scoped(tile.app, poked.payload.invocation, { target: HELPER, name: "run" });
        return outcome(tile.app, id);
      },
    },
    {
      name: "in the tile's own name, while the app answers to another app",
      code: "SCOPED_CONTEXT_REQUIRED",
      call: async ({ click, outcome, ports }, { helper, tile, notes }) => {
        helper.app.expose({ poke: { handler: () => undefined }, run: {} });
        notes.app.call(HELPER, "poke");
        await ports.settle();
        click(TILE);
        return outcome(tile.app, tile.app.call(HELPER, "run"));
      },
    },
    {
      name: "that was disabled since",
      code: "AGENT_MODE_REVOKED",
      call: async ({ agent, click, outcome }, { tile }) => {
        agent.mode.disable("helper");
        click(TILE);
        return outcome(tile.app, tile.app.call(HELPER, "run"));
      },
    },
    {
      name: "of another version than was enabled",
      code: "AGENT_MODE_REVOKED",
      call: async ({ apps, click, outcome }, { tile }) => {
        apps[0].version = "1.1";
        click(TILE);
        return outcome(tile.app, tile.app.call(HELPER, "run"));
      },
    },
    {
      name: "of an app whose authority changed, and changed back",
      code: "AGENT_MODE_REVOKED",
      call: async ({ kernel, click, outcome }, { tile }) => {
        kernel.appChanged("helper");
        click(TILE);
        return outcome(tile.app, tile.app.call(HELPER, "run"));
      },
    },
  ];
  for (const { name, code, call } of REFUSED) {
    test(`does not begin ${name}: ${code}, and no question is asked`, async () => {
      const made = makeAgentKernel();
      const workspace = await made.workspace();
      assert.equal(await call(made, workspace), code);
      assert.equal(workspace.invoked.length, 0);
      assert.equal(made.consent.current, null);
      assert.deepEqual(made.agent.turns.all(), []);
    });
  }

  test("begins with a click that the page is told of later than of the call", async () => {
    const { agent, late, person, ports, workspace } = makeAgentKernel();
    const { tile } = await workspace();
    Object.assign(person, { focused: "", active: false });
    late.tell = () => void Object.assign(person, { focused: TILE, active: true });
    tile.app.call(HELPER, "run");
    await ports.settle();
    assert.equal(agent.turns.all().length, 1);
  });

  test("does not begin before the owner has enabled it, and the app is told how to ask", async () => {
    const { click, response, workspace } = makeAgentKernel();
    const { tile, invoked } = await workspace({ enabled: false });
    click(TILE);
    const { error } = await response(tile.app, tile.app.call(HELPER, "run"));
    assert.equal(error.code, "OWNER_REQUIRED");
    assert.match(error.message, /agentMode\.request/);
    assert.equal(invoked.length, 0);
  });

  test("is not what the page itself calls, nor what calls another tool", async () => {
    const { agent, kernel, outcome, ports, workspace } = makeAgentKernel();
    const { tile, invoked } = await workspace();
    const trusted = kernel.call({ target: HELPER, name: "run" }).catch(() => {});
    const other = tile.app.call(HELPER, "other");
    await ports.settle();
    assert.equal(invoked.length, 2);
    assert.equal(invoked[0].payload.invocation, undefined);
    assert.equal(kernel.invocations.size, 1);
    assert.deepEqual(agent.turns.all(), []);
    assert.equal(await outcome(tile.app, other), "waits");
    kernel.close();
    await trusted;
  });
});

describe("a turn whose click was perhaps meant for another", () => {
  /** @param {Made} made */
  const moved = async (made) => {
    const workspace = await made.workspace();
    made.click(TILE, true);
    const call = workspace.tile.app.call(HELPER, "run");
    await made.ports.settle();
    assert.equal(workspace.invoked.length, 0);
    return { ...workspace, call };
  };

  test("begins after a click in the page itself", async () => {
    const made = makeAgentKernel();
    const { invoked } = await moved(made);
    const prompt = await made.answer(true);
    assert.equal(prompt.subject, "agent:helper:run");
    assert.equal(invoked.length, 1);
    assert.equal(made.agent.turns.all().length, 1);
  });

  test("does not begin after a no, which is heard for a while", async () => {
    const made = makeAgentKernel();
    const { tile, call } = await moved(made);
    await made.answer(false);
    const { error } = await made.response(tile.app, call);
    assert.deepEqual([error.code, error.retryAfterMs], ["AGENT_CONSENT_DENIED", 10_000]);
    made.time.pass(4_000);
    const again = await made.response(tile.app, tile.app.call(HELPER, "run"));
    assert.deepEqual([again.error.code, again.error.retryAfterMs], ["AGENT_CONSENT_DENIED", 6_000]);
    assert.equal(made.consent.current, null);
  });

  test("does not begin where nobody answers in time", async () => {
    const made = makeAgentKernel();
    const { tile, call } = await moved(made);
    made.time.pass(BUS_LIMITS.consentSeconds * 1000);
    assert.equal(await made.outcome(tile.app, call), "AGENT_CONSENT_TIMEOUT");
    assert.deepEqual(made.agent.turns.all(), []);
  });

  test("does not begin where it was disabled while the owner was asked", async () => {
    const made = makeAgentKernel();
    const { tile, call, invoked } = await moved(made);
    made.agent.mode.disable("helper");
    await made.answer(true);
    assert.equal(await made.outcome(tile.app, call), "AGENT_MODE_REVOKED");
    assert.equal(invoked.length, 0);
  });

  test("is asked for once: a second call is refused meanwhile", async () => {
    const made = makeAgentKernel();
    const { tile } = await moved(made);
    assert.equal(await made.outcome(tile.app, tile.app.call(HELPER, "run")), "AGENT_MODE_LIMIT");
    assert.equal(made.consent.waiting, 0);
  });

  test("takes its question away with the call, and with the tile", async () => {
    for (const end of ["cancel", "disconnect"]) {
      const made = makeAgentKernel();
      const { tile, call, begin } = await moved(made);
      assert.notEqual(made.consent.current, null);
      if (end === "cancel") tile.app.send({ type: "cancel", id: call, payload: { reason: "" } });
      else made.kernel.disconnect(tile.endpoint);
      await made.ports.settle();
      assert.equal(made.consent.current, null);
      assert.deepEqual(made.agent.turns.all(), []);
      if (end === "cancel") await begin();
    }
  });
});

describe("the number", () => {
  test("of turns of an app is one: the next is told when to try again", async () => {
    const { response, workspace, click } = makeAgentKernel();
    const { tile, begin, invoked } = await workspace();
    await begin();
    click(TILE);
    const { error } = await response(tile.app, tile.app.call(HELPER, "run"));
    assert.deepEqual([error.code, error.retryAfterMs], ["AGENT_MODE_LIMIT", 5_000]);
    assert.equal(invoked.length, 1);
  });

  test("of turns is four in all", async () => {
    const { agent, apps, answer, click, connect, outcome, ports } = makeAgentKernel();
    const outcomes = [];
    for (const id of ["a", "b", "c", "d", "e"]) {
      apps.push({ id, name: id, version: "1", declares: { agent: ["run"] } });
      const background = connect(id);
      background.app.expose({ run: { handler: () => undefined } });
      const tile = connect(id, "tile");
      const asked = agent.mode.request(id, "run");
      await answer(true);
      await asked;
      click(tile.endpoint.id);
      outcomes.push(await outcome(tile.app, tile.app.call(background.endpoint.id, "run")));
    }
    await ports.settle();
    assert.deepEqual(outcomes, ["waits", "waits", "waits", "waits", "AGENT_MODE_LIMIT"]);
    assert.equal(agent.turns.all().length, 4);
  });

  test("of calls of a turn is 256, its lists and the kernel's own tools included", async () => {
    const { agent, outcome, scoped, workspace } = makeAgentKernel();
    const { helper, begin } = await workspace();
    const { token } = await begin();
    const find = { target: NOTES, name: "find" };
    for (let calls = 0; calls < BUS_LIMITS.maxCallsOfTurn - 2; calls += 1) {
      assert.equal(await outcome(helper.app, scoped(helper.app, token, find)), "ok");
    }
    const list = scoped(helper.app, token, { target: NOTES }, "tools.list");
    assert.equal(await outcome(helper.app, list), "ok");
    const apps = { target: "kernel", name: "apps.list" };
    assert.equal(await outcome(helper.app, scoped(helper.app, token, apps)), "ok");
    assert.equal(agent.turns.all()[0]?.calls, 256);
    for (const call of [find, apps]) {
      assert.equal(await outcome(helper.app, scoped(helper.app, token, call)), "AGENT_MODE_LIMIT");
    }
  });

  test("of calls within each other is eight", async () => {
    const { kernel, outcome, ports, scoped, workspace } = makeAgentKernel();
    const { helper, notes, begin } = await workspace();
    notes.app.expose({ deeper: { handler: () => undefined } });
    let { token } = await begin();
    helper.app.expose({ deeper: { handler: () => undefined } });
    let from = helper;
    /** @type {string[]} */
    const outcomes = [];
    for (let depth = 2; depth <= 9; depth += 1) {
      const to = from === helper ? notes : helper;
      const id = scoped(from.app, token, { target: to.endpoint.id, name: "deeper" });
      await ports.settle();
      outcomes.push(await outcome(from.app, id));
      if (depth === 9) break;
      token = to.app.received.filter((each) => each.payload?.payload?.name === "deeper").at(-1)
        ?.payload.invocation;
      from = to;
    }
    assert.deepEqual(outcomes, [...Array.from({ length: 7 }, () => "waits"), "AGENT_MODE_LIMIT"]);
    assert.equal(kernel.invocations.size, 8);
  });
});

describe("the owner", () => {
  test("sees the turns, and stops one: it ends, and what was done stays done", async () => {
    const { agent, ports, response, workspace } = makeAgentKernel();
    const { helper, tile, begin } = await workspace();
    let changes = 0;
    const unwatch = agent.turns.onChange(() => (changes += 1));
    const { call, message } = await begin();
    assert.equal(changes, 1);
    assert.equal(agent.turns.stop("another"), false);
    assert.equal(agent.turns.stop(agent.turns.all()[0]?.id ?? ""), true);
    const { error } = await response(tile.app, call);
    assert.equal(error.code, "CANCELLED");
    assert.match(error.message, /owner stopped/);
    await ports.settle();
    assert.ok(helper.app.received.some(({ type, id }) => type === "cancel" && id === message.id));
    assert.deepEqual([agent.turns.all(), changes], [[], 2]);
    unwatch();
  });

  test("can have another turn at once after one was stopped", async () => {
    const { agent, workspace } = makeAgentKernel();
    const { begin, invoked } = await workspace();
    await begin();
    agent.turns.stop(agent.turns.all()[0]?.id ?? "");
    await begin();
    assert.equal(invoked.length, 2);
  });
});
