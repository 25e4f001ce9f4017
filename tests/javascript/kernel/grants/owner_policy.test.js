// @ts-check
/** Who is asked about, in which words, how far each yes goes, and that a no is one. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { BusError } from "../../../../browser_worker/contract/bus_error.js";
import {
  MAX_SHOWN_CHARS,
  argumentsText,
} from "../../../../browser_worker/kernel/grants/call_prompt.js";
import { makeOwnedKernel, shown } from "../../support/owned_kernel.js";
import { appRoot, terminalRoot, turnRoot } from "../../support/roots.js";

/** @import { Decision, Question } from "../../../../browser_worker/kernel/grants/routing_policy.js" */

const TERMINAL = "external:bridge:s";
const NOTES = "app:notes:background";
const BOARD = "app:board:background";
const TILE = "app:board:tile:main:instance:1";

/** @type {Record<"app" | "agent" | "terminal", Partial<Question>>} */
const CALLERS = {
  app: { root: appRoot(), caller: TILE, callerApp: "board" },
  agent: { root: turnRoot("turn1"), caller: BOARD, callerApp: "board", via: [BOARD] },
  terminal: { root: terminalRoot(), caller: TERMINAL, callerApp: null },
};

/** By way of another app. */
const BETWEEN = {
  caller: "app:writer:background",
  callerApp: "writer",
  via: ["app:writer:background"],
};

/**
 * @param {Partial<Question>} [more]
 * @returns {Question}
 */
function question(more = {}) {
  return {
    caller: TILE,
    callerApp: "board",
    target: NOTES,
    targetApp: "notes",
    tool: "notes_search",
    arguments: { query: "roadmap" },
    root: appRoot(),
    attachmentBytes: null,
    via: [],
    ...more,
  };
}

function owner() {
  const made = makeOwnedKernel();
  const call = new AbortController();
  return {
    ...made,
    call,
    decide: (/** @type {Partial<Question>} */ more = {}, signal = call.signal) =>
      Promise.resolve(made.policy.decide(question(more), signal)),
    /** What is decided without a question. */
    atOnce: (/** @type {Partial<Question>} */ more = {}) => {
      const decision = made.policy.decide(question(more), new AbortController().signal);
      return decision instanceof Promise ? null : decision;
    },
    asks: () => shown(made.consent).prompt,
  };
}

/** @param {Decision | null} decision */
function codeOf(decision) {
  if (decision === null) return "asked";
  return decision.allow ? "allowed" : decision.code;
}

describe("without a grant", () => {
  for (const [who, what, between, ids] of /** @type {const} */ ([
    ["app", "call", false, ["once", "tool"]],
    ["app", "list", false, ["once", "tool"]],
    ["app", "call", true, ["once", "tool"]],
    ["app", "list", true, ["once", "tool"]],
    ["agent", "call", false, ["once", "tool", "app"]],
    ["agent", "list", false, ["once", "tool", "app"]],
    ["agent", "call", true, ["once", "tool", "app"]],
    ["agent", "list", true, ["once", "tool", "app"]],
    ["terminal", "call", false, ["once", "app", "every"]],
    ["terminal", "list", false, null],
    ["terminal", "call", true, ["once", "app"]],
    ["terminal", "list", true, ["once", "app"]],
  ])) {
    const by = between ? ", by way of another app," : "";
    test(`the ${what} of an ${who}${by} has a choice of ${ids?.join(", ") ?? "nothing: it may"}`, async () => {
      const { decide, atOnce, consent, asks, deny } = owner();
      const asked = {
        ...CALLERS[who],
        ...(between ? BETWEEN : {}),
        ...(what === "list" ? { tool: null } : {}),
      };
      if (ids === null) {
        assert.deepEqual(atOnce(asked), { allow: true });
        assert.equal(consent.current, null);
        return;
      }
      const decided = decide(asked);
      assert.deepEqual(
        asks().choices.map(({ id }) => id),
        ids,
      );
      deny();
      const agent = who === "agent";
      assert.equal(codeOf(await decided), agent ? "AGENT_CONSENT_DENIED" : "OWNER_REQUIRED");
    });
  }

  test("the page itself may all, and who is called for by nobody may nothing", () => {
    const { atOnce } = owner();
    assert.equal(codeOf(atOnce({ root: null, caller: "kernel", callerApp: null })), "allowed");
    assert.equal(codeOf(atOnce({ root: null })), "OWNER_REQUIRED");
    assert.equal(codeOf(atOnce({ root: null, caller: TERMINAL })), "OWNER_REQUIRED");
  });
});

describe("a yes", () => {
  const anotherTool = { tool: "notes_add" };
  const list = { tool: null };
  const anotherApp = { target: "app:writer:background", targetApp: "writer" };
  for (const [
    who,
    choice,
    asked,
    covers,
    not,
  ] of /** @type {[keyof typeof CALLERS, string, Partial<Question>, Partial<Question>[], Partial<Question>[]][]} */ ([
    ["app", "once", {}, [], [{}, anotherTool, list, anotherApp]],
    [
      "app",
      "tool",
      {},
      [{}, { arguments: {} }, { caller: BOARD }],
      [anotherTool, list, anotherApp],
    ],
    ["app", "tool", list, [list], [{}, anotherTool, { ...list, ...anotherApp }]],
    ["agent", "once", {}, [], [{}, anotherTool, list]],
    ["agent", "tool", {}, [{}], [anotherTool, list, anotherApp, { root: turnRoot("turn2") }]],
    ["agent", "tool", list, [list], [{}, { ...list, ...anotherApp }]],
    ["agent", "app", {}, [{}, anotherTool, list], [anotherApp, { root: turnRoot("turn2") }]],
    ["terminal", "once", {}, [], [{}, anotherTool]],
    ["terminal", "app", {}, [{}, anotherTool], [anotherApp]],
    [
      "terminal",
      "every",
      {},
      [{}, anotherTool, anotherApp],
      [{ root: terminalRoot("external:bridge:t"), caller: "external:bridge:t" }],
    ],
  ])) {
    const what = asked === list ? "list" : "call";
    test(`of “${choice}” to the ${what} of an ${who} goes as far as it says`, async () => {
      const { decide, atOnce, allow, consent } = owner();
      const decided = decide({ ...CALLERS[who], ...asked });
      allow(choice);
      assert.equal(codeOf(await decided), "allowed");
      for (const each of covers) {
        assert.equal(codeOf(atOnce({ ...CALLERS[who], ...each })), "allowed", JSON.stringify(each));
      }
      assert.equal(consent.current, null);
      const others = [...not, BETWEEN].map((each) => ({ ...CALLERS[who], ...each }));
      for (const each of others) assert.equal(codeOf(atOnce(each)), "asked", JSON.stringify(each));
    });
  }

  test("that is taken back ends what was begun by it, and the next call is asked about", async () => {
    for (const choice of ["once", "tool"]) {
      const { decide, atOnce, allow, grants } = owner();
      const decided = decide();
      allow(choice);
      const decision = await decided;
      assert.ok(decision.allow);
      assert.equal(decision.signal?.aborted, false);
      grants.revokeAll();
      assert.ok(decision.signal?.reason instanceof BusError);
      assert.equal(codeOf(atOnce()), "asked");
    }
  });

  test("to a call that has ended meanwhile is none", async () => {
    const { decide, call, consent, grants } = owner();
    const decided = decide();
    assert.notEqual(consent.current, null);
    call.abort();
    assert.equal(consent.current, null, "and the question is gone with the call");
    assert.equal(codeOf(await decided), "CANCELLED");
    assert.deepEqual(grants.all(), []);
  });

  test("to a turn that the owner has stopped is none", async () => {
    const { decide, consent, grants } = owner();
    const stop = new AbortController();
    const decided = decide({ ...CALLERS.agent, root: turnRoot("turn1", stop.signal) });
    assert.notEqual(consent.current, null);
    stop.abort(new BusError("AGENT_MODE_REVOKED", "stopped"));
    assert.equal(consent.current, null);
    assert.equal(codeOf(await decided), "CANCELLED");
    assert.deepEqual(grants.all(), []);
  });

  for (const [
    what,
    change,
  ] of /** @type {[string, (made: ReturnType<typeof owner>) => void][]} */ ([
    ["another version of the target", ({ summaries }) => void (summaries[0] = named("notes", "2"))],
    ["another version of the caller", ({ summaries }) => void (summaries[1] = named("board", "2"))],
    ["the removal of the target", ({ summaries }) => void summaries.shift()],
    ["a change of the target's rights", ({ grants }) => grants.forgetApp("notes")],
    ["a lock", ({ grants }) => grants.lock()],
  ])) {
    test(`that comes after ${what} is none`, async () => {
      const made = owner();
      const decided = made.decide();
      change(made);
      made.allow("tool");
      assert.equal(codeOf(await decided), "CANCELLED");
      assert.deepEqual(made.grants.all(), []);
    });
  }

  test("that comes after another app has changed is one", async () => {
    const made = owner();
    const decided = made.decide();
    made.grants.forgetApp("writer");
    made.allow("tool");
    assert.equal(codeOf(await decided), "allowed");
  });
});

/**
 * @param {string} id
 * @param {string} version
 */
function named(id, version) {
  return { id, name: id, version };
}

describe("a no", () => {
  for (const [who, denied, late] of /** @type {const} */ ([
    ["app", "OWNER_REQUIRED", "OWNER_REQUIRED"],
    ["terminal", "OWNER_REQUIRED", "OWNER_REQUIRED"],
    ["agent", "AGENT_CONSENT_DENIED", "AGENT_CONSENT_TIMEOUT"],
  ])) {
    test(`to an ${who} is told by a code, and when to ask again`, async () => {
      const { decide, deny, consent, grants } = owner();
      const decided = decide(CALLERS[who]);
      deny();
      const decision = await decided;
      assert.ok(!decision.allow);
      assert.equal(decision.code, denied);
      assert.deepEqual(decision.data, { reason: "denied" });
      assert.equal(decision.retryAfterMs, 10_000);
      const again = await decide(CALLERS[who]);
      assert.equal(codeOf(again), denied);
      assert.equal(consent.current, null, "nobody is asked twice in a row");
      assert.deepEqual(grants.all(), []);
    });

    test(`of an owner who does not answer in 60 s is told an ${who} as that`, async () => {
      const { decide, time, consent } = owner();
      const decided = decide(CALLERS[who]);
      time.pass(59_999);
      assert.notEqual(consent.current, null);
      time.pass(1);
      const decision = await decided;
      assert.ok(!decision.allow);
      assert.equal(decision.code, late);
      assert.deepEqual(decision.data, { reason: "timeout" });
    });
  }

  test("is for all calls that wait for the same answer", async () => {
    const { decide, deny, consent } = owner();
    const decided = [decide(), decide({ arguments: {} }), decide({ caller: BOARD })];
    assert.equal(consent.waiting, 0);
    deny();
    assert.deepEqual((await Promise.all(decided)).map(codeOf), Array(3).fill("OWNER_REQUIRED"));
    assert.equal(consent.current, null);
  });
});

describe("calls that wait for the same answer", () => {
  test("are each refused by their own name", async () => {
    const { decide, deny } = owner();
    const decided = ["notes_add", "notes_list"].map((tool) =>
      decide({ ...CALLERS.terminal, tool }),
    );
    deny();
    const [asked, unasked] = await Promise.all(decided);
    assert.ok(asked && unasked && !asked.allow && !unasked.allow);
    assert.equal(
      asked.message,
      "Asked for leave to call notes_add of notes, the owner said no; nothing was run.",
    );
    assert.equal(
      unasked.message,
      "The owner was not asked for leave to call notes_list of notes, having said no shortly before; nothing was run.",
    );
    assert.deepEqual([unasked.code, unasked.data], [asked.code, asked.data]);
    assert.equal(unasked.retryAfterMs, asked.retryAfterMs);
  });

  test("are all let go by one yes that is for more than one call", async () => {
    const { decide, allow, consent } = owner();
    const decided = Array.from({ length: 8 }, () => decide(CALLERS.terminal));
    decided.push(decide({ ...CALLERS.terminal, targetApp: "writer" }));
    assert.equal(consent.waiting, 0);
    allow("every");
    assert.deepEqual((await Promise.all(decided)).map(codeOf), Array(9).fill("allowed"));
    assert.equal(consent.current, null);
  });

  test("are asked about one by one where a yes was for one call alone", async () => {
    const { decide, allow, consent, asks } = owner();
    const decided = ["a", "b", "c"].map((query) => decide({ arguments: { query } }));
    for (const query of ["a", "b", "c"]) {
      await turns();
      assert.ok(asks().facts.some(({ value }) => value.includes(`"${query}"`)));
      allow("once");
    }
    assert.deepEqual((await Promise.all(decided)).map(codeOf), Array(3).fill("allowed"));
    assert.equal(consent.current, null);
  });

  test("do not wait for one that was given up", async () => {
    const { decide, call, asks, allow } = owner();
    const first = decide();
    const second = decide({ arguments: { query: "second" } }, new AbortController().signal);
    call.abort();
    assert.equal(codeOf(await first), "CANCELLED");
    await turns();
    assert.ok(asks().facts.some(({ value }) => value.includes('"second"')));
    allow("once");
    assert.equal(codeOf(await second), "allowed");
  });

  test("are let go by a grant that is given for another reason, and the question is taken away", async () => {
    const { decide, consent, grants } = owner();
    const decided = decide();
    assert.notEqual(consent.current, null);
    grants.give({ root: appRoot(), by: null, target: "notes", tool: "notes_search" });
    assert.equal(consent.current, null);
    assert.equal(codeOf(await decided), "allowed");
  });

  test("of too many kinds are told that the owner is busy, with when to ask again", async () => {
    const { decide } = owner();
    const decided = ["a", "b", "c"].map((tool) => decide({ tool }));
    const last = await /** @type {Promise<Decision>} */ (decided[2]);
    assert.ok(!last.allow);
    assert.equal(last.code, "UI_BUSY");
    assert.equal(last.retryAfterMs, 60_000);
  });
});

/** Lets what was settled go on. */
function turns() {
  return new Promise((resolve) => void setImmediate(resolve));
}

describe("an agent's turn", () => {
  test("asks 16 times, and not once more; another turn may", async () => {
    const { decide, allow, consent } = owner();
    const asked = { ...CALLERS.agent, root: turnRoot("turn1") };
    for (let n = 0; n < 16; n++) {
      const decided = decide(asked);
      allow("once");
      assert.equal(codeOf(await decided), "allowed");
    }
    assert.equal(codeOf(await decide(asked)), "AGENT_CONSENT_LIMIT");
    assert.equal(consent.current, null);
    void decide({ ...CALLERS.agent, root: turnRoot("turn2") });
    assert.notEqual(consent.current, null);
  });

  test("is asked no less often for tries that an earlier no has answered", async () => {
    const { decide, deny, allow, consent, time } = owner();
    const asked = { ...CALLERS.agent, root: turnRoot("turn1") };
    const no = decide(asked);
    deny();
    assert.equal(codeOf(await no), "AGENT_CONSENT_DENIED");
    for (let n = 0; n < 16; n++) {
      assert.equal(codeOf(await decide(asked)), "AGENT_CONSENT_DENIED");
      assert.equal(consent.current, null);
    }
    time.pass(600_000);
    const yes = decide(asked);
    allow("once");
    assert.equal(codeOf(await yes), "allowed");
  });

  test("does not count a question that nobody saw to its end", async () => {
    const { decide, allow } = owner();
    const asked = { ...CALLERS.agent, root: turnRoot("turn1") };
    for (let n = 0; n < 20; n++) {
      const given = new AbortController();
      const decided = decide(asked, given.signal);
      given.abort();
      assert.equal(codeOf(await decided), "CANCELLED");
    }
    const decided = decide(asked);
    allow("app");
    assert.equal(codeOf(await decided), "allowed");
  });

  test("is not limited in calls that have a grant", async () => {
    const { decide, allow, atOnce } = owner();
    const decided = decide(CALLERS.agent);
    allow("app");
    assert.equal(codeOf(await decided), "allowed");
    for (let n = 0; n < 40; n++) assert.equal(codeOf(atOnce(CALLERS.agent)), "allowed");
  });
});

describe("the question", () => {
  test("names the app that asks, from where, the target, the tool and the arguments", () => {
    const { decide, asks } = owner();
    void decide();
    const { subject, title, facts } = asks();
    assert.equal(subject, "app:board");
    assert.equal(title, "Let the app board use the app notes?");
    assert.deepEqual(facts, [
      { label: "Asks", value: "The app board, version 1, which calls itself “BOARD”" },
      { label: "From", value: TILE },
      { label: "App", value: "notes, version 1, which calls itself “NOTES”" },
      { label: "Endpoint", value: NOTES },
      { label: "Tool", value: "notes_search" },
      { label: "Arguments", value: '{\n  "query": "roadmap"\n}', code: true },
    ]);
  });

  test("says how much goes with the call beside its arguments", () => {
    const { decide, asks } = owner();
    void decide({ attachmentBytes: 16_384 });
    assert.deepEqual(asks().facts.at(-1), { label: "Attachment", value: "16,384 bytes" });
  });

  test("names a terminal as itself, and an agent by its entrypoint", () => {
    const terminal = owner();
    void terminal.decide(CALLERS.terminal);
    assert.equal(terminal.asks().title, "Let the terminal s use the app notes?");
    assert.deepEqual(terminal.asks().facts[0], {
      label: "Asks",
      value: "A terminal, external:bridge:s",
    });
    assert.ok(!terminal.asks().facts.some(({ label }) => label === "From"));
    const browser = owner();
    const caller = "external:bridge:browser/1";
    void browser.decide({ root: terminalRoot(caller), caller, callerApp: null });
    assert.equal(browser.asks().title, "Let an agent of this browser use the app notes?");
    assert.deepEqual(browser.asks().facts[0], {
      label: "Asks",
      value: "An agent of this browser, external:bridge:browser/1",
    });
    assert.ok(
      browser.asks().choices.some(({ label }) => /until the page takes its tools back/.test(label)),
    );
    const agent = owner();
    void agent.decide(CALLERS.agent);
    assert.equal(agent.asks().title, "Let the agent of board use the app notes?");
    assert.deepEqual(agent.asks().facts.slice(0, 2), [
      {
        label: "Asks",
        value: "The agent agent_run of board, version 1, which calls itself “BOARD”",
      },
      { label: "By way of", value: BOARD },
    ]);
  });

  test("names all who are between the root and the caller, and the last one in its title", () => {
    const { decide, asks } = owner();
    void decide({
      ...CALLERS.agent,
      ...BETWEEN,
      via: [BOARD, "app:writer:background"],
      tool: null,
    });
    assert.equal(
      asks().title,
      "Let the agent of board, by way of writer, see the tools of the app notes?",
    );
    assert.deepEqual(asks().facts[1], {
      label: "By way of",
      value: "app:board:background, then app:writer:background",
    });
    assert.deepEqual(asks().facts.at(-1), { label: "To do", value: "List its tools" });
  });

  test("shows what an app calls itself as that: bounded, in its place, and in one line", () => {
    const { decide, asks, summaries } = owner();
    summaries[1] = { id: "board", name: `Notes\n\u202e${"x".repeat(500)}`, version: "2" };
    void decide({ root: appRoot({ version: "1\u200b" }) });
    const value = asks().facts[0]?.value ?? "";
    assert.ok(
      value.startsWith("The app board, version 1\ufffd, which calls itself “Notes\ufffd\ufffdx"),
    );
    assert.ok(value.length < 200);
  });

  test("shows of arguments every character, with an escape for what is not seen", () => {
    assert.equal(
      argumentsText({ a: "x\u202ey\u200b\n", "\u{e0041}": 1 }),
      '{\n  "a": "x\\u202ey\\u200b\\n",\n  "\\udb40\\udc41": 1\n}',
    );
    // Fillers, selectors and a blank of Braille are letters and marks, and drawn as nothing.
    assert.equal(
      argumentsText({ a: "\u3164\uffa0\u115f\u034f\ufe0f\u2800\u{e0100}" }),
      '{\n  "a": "\\u3164\\uffa0\\u115f\\u034f\\ufe0f\\u2800\\udb40\\udd00"\n}',
    );
    const tricky = { a: "x\u202ey\u00ad\u3164\u2800\ufe0f", "\u{e0041}": ["\u2028", "\ud800"] };
    assert.deepEqual(JSON.parse(argumentsText(tricky) ?? ""), tricky);
  });

  test("is not asked about arguments that are longer than a person is shown", async () => {
    const room = MAX_SHOWN_CHARS - '{"text":""}'.length;
    const { decide, atOnce, asks, allow, consent } = owner();
    const refused = atOnce({ arguments: { text: "x".repeat(room + 1) } });
    assert.equal(codeOf(refused), "TOO_LARGE");
    const told = refused?.allow === false ? refused.data : undefined;
    assert.deepEqual(told, { limit: "characters", maximum: MAX_SHOWN_CHARS });
    assert.equal(consent.current, null);
    const decided = decide({ arguments: { text: "x".repeat(room) } });
    assert.equal(asks().facts.at(-1)?.value.length, MAX_SHOWN_CHARS);
    allow("tool");
    assert.equal(codeOf(await decided), "allowed");
    assert.equal(codeOf(atOnce({ arguments: { text: "x".repeat(room + 1) } })), "allowed");
  });

  test("shows arguments that would be too long with an indent without one", () => {
    const given = { list: Array.from({ length: 20_000 }, () => 1) };
    assert.equal(argumentsText(given), JSON.stringify(given));
  });
});

describe("on a kernel", () => {
  async function workspace() {
    const made = makeOwnedKernel();
    const notes = made.connect("notes");
    const board = made.connect("board");
    notes.app.expose({ work: { handler: () => undefined }, quick: { handler: () => ({}) } });
    await made.ports.settle();
    const invoked = () =>
      notes.app.received.filter((message) => message.payload?.action === "tools.invoke");
    /** Calls as the board, and settles. @param {string} name */
    const call = async (name) => {
      const id = board.app.call(NOTES, name);
      await made.ports.settle();
      return () => board.app.response(id);
    };
    return { ...made, notes, board, invoked, call };
  }

  for (const choice of ["once", "tool"]) {
    for (const [
      what,
      end,
    ] of /** @type {[string, (made: Awaited<ReturnType<typeof workspace>>) => void][]} */ ([
      ["the owner takes back", ({ grants }) => void grants.revoke(grants.all()[0]?.id ?? "")],
      ["ends with another version of its target", ({ kernel }) => kernel.appChanged("notes")],
      ["ends with another version of its caller", ({ kernel }) => kernel.forgetApp("board")],
    ])) {
      test(`a leave of “${choice}” that ${what} ends the call in its middle, at the tool too`, async () => {
        const made = await workspace();
        const { call, allow, invoked, notes, ports, kernel } = made;
        const response = await call("work");
        assert.equal(invoked().length, 0);
        allow(choice);
        await ports.settle();
        assert.equal(invoked().length, 1);
        assert.equal(response(), undefined);
        end(made);
        await ports.settle();
        assert.equal(response().error.code, "OWNER_REQUIRED");
        assert.deepEqual(response().error.data, { reason: "revoked", outcome: "unknown" });
        const [{ id }] = invoked();
        assert.ok(notes.app.received.some((each) => each.type === "cancel" && each.id === id));
        assert.equal(kernel.audit.entries()[0]?.status, "cancelled");
        assert.equal(kernel.callsInFlight, 0);
      });
    }
  }

  test("a leave for one call is gone when the call has ended", async () => {
    const { call, allow, ports, grants, consent } = await workspace();
    const response = await call("quick");
    allow("once");
    await ports.settle();
    assert.deepEqual(response().ok, {});
    assert.deepEqual(grants.all(), []);
    await call("quick");
    assert.notEqual(consent.current, null);
  });

  test("a terminal lists without a question, is told that its first call waits, and is asked for once", async () => {
    const { kernel, allow, ports, consent } = await workspace();
    const listed = kernel.listTools(NOTES, TERMINAL);
    await ports.settle();
    assert.equal((await listed).length, 2);
    let waiting = 0;
    const call = { caller: TERMINAL, target: NOTES, name: "quick" };
    const first = kernel.call({ ...call, onWaiting: () => void (waiting += 1) });
    await ports.settle();
    assert.equal(waiting, 1);
    allow("app");
    await ports.settle();
    assert.deepEqual((await first).result, {});
    const second = kernel.call({ ...call, onWaiting: () => void (waiting += 1) });
    await ports.settle();
    assert.deepEqual((await second).result, {});
    assert.equal(waiting, 1);
    assert.equal(consent.current, null);
  });

  test("a terminal that is detached leaves no question, no grant and no call", async () => {
    const { kernel, allow, ports, consent, grants, invoked } = await workspace();
    const call = { caller: TERMINAL, target: NOTES, name: "work" };
    const running = kernel.call(call);
    await ports.settle();
    allow("app");
    await ports.settle();
    assert.equal(invoked().length, 1);
    kernel.endSession(TERMINAL);
    await assert.rejects(running, { code: "CANCELLED" });
    assert.deepEqual(grants.all(), []);
    const asking = kernel.call(call);
    await ports.settle();
    assert.notEqual(consent.current, null);
    kernel.endSession(TERMINAL);
    await assert.rejects(asking, { code: "CANCELLED" });
    assert.equal(consent.current, null);
    assert.equal(invoked().length, 1);
  });

  test("a lock leaves no question and no grant", async () => {
    const { kernel, call, allow, ports, consent, grants } = await workspace();
    await call("work");
    allow("tool");
    await ports.settle();
    assert.equal(grants.all().length, 1);
    await call("quick");
    assert.notEqual(consent.current, null);
    kernel.lock();
    await ports.settle();
    assert.deepEqual(grants.all(), []);
    assert.equal(consent.current, null);
  });

  test("an app that is called cannot use what its caller was granted", async () => {
    const { connect, notes, call, allow, ports, grants, consent, invoked } = await workspace();
    const writer = connect("writer");
    writer.app.expose({ draw: { handler: () => ({}) } });
    grants.give({ root: appRoot(), by: null, target: "writer", tool: "draw" });
    await call("work");
    allow("once");
    await ports.settle();
    const draw = { target: "app:writer:background", name: "draw", arguments: {} };
    const scoped = () => notes.app.askUnder(invoked()[0].payload.invocation, draw);
    const first = scoped();
    await ports.settle();
    assert.equal(
      shown(consent).prompt.title,
      "Let the app board, by way of notes, use the app writer?",
    );
    allow("tool");
    await ports.settle();
    assert.deepEqual(notes.app.response(first).ok, {});
    const second = scoped();
    await ports.settle();
    assert.deepEqual(notes.app.response(second).ok, {}, "as the board may through it from now on");
  });
});
