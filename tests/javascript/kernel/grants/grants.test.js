// @ts-check
/** What the owner has allowed: whom it covers, and what ends it. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { BusError } from "../../../../browser_worker/contract/bus_error.js";
import { EVERY_TOOL, Grants, LISTING } from "../../../../browser_worker/kernel/grants/grants.js";
import { appRoot, terminalRoot, turnRoot } from "../../support/roots.js";

function makeGrants(maxGrants = 256) {
  const clock = { at: 1_000, wallNow: () => clock.at };
  const apps = ["board", "notes", "writer"].map((id) => ({ id, name: id, version: "1" }));
  const grants = new Grants(clock, () => apps, maxGrants);
  return { grants, clock, apps };
}

const SEARCH = { root: appRoot(), by: null, target: "notes", tool: "notes_search" };

describe("a grant", () => {
  test("says whose, for what, since when, and how often and when it was used", () => {
    const { grants, clock } = makeGrants();
    let told = 0;
    grants.onChange(() => void (told += 1));
    const given = grants.give(SEARCH);
    clock.at = 2_000;
    grants.use(given);
    assert.deepEqual(grants.all(), [
      {
        id: "grant1",
        subject: "app:board",
        subjectVersion: "1",
        by: null,
        target: "notes",
        targetVersion: "1",
        tool: "notes_search",
        scope: "session",
        session: null,
        since: 1_000,
        usedAt: 2_000,
        uses: 1,
      },
    ]);
    assert.equal(told, 2);
    const [copy] = grants.all();
    if (copy !== undefined) copy.tool = EVERY_TOOL;
    assert.equal(grants.all()[0]?.tool, "notes_search");
  });

  test("that is given again is the same one", () => {
    const { grants } = makeGrants();
    assert.equal(grants.give(SEARCH).id, grants.give(SEARCH).id);
    assert.equal(grants.all().length, 1);
  });

  for (const [what, use, covered] of /** @type {const} */ ([
    ["the same use", {}, true],
    ["another tool", { tool: "notes_add" }, false],
    ["a listing", { tool: LISTING }, false],
    ["another app", { target: "writer" }, false],
    ["another subject", { root: appRoot({ subject: "app:writer", app: "writer" }) }, false],
    ["another version of its subject", { root: appRoot({ version: "2" }) }, false],
    ["an agent of the same app", { root: turnRoot("turn1") }, false],
    ["an app that the subject has called", { by: "writer" }, false],
  ])) {
    test(`for one tool covers ${what}: ${covered}`, () => {
      const { grants } = makeGrants();
      grants.give(SEARCH);
      assert.equal(grants.find({ ...SEARCH, ...use }) !== null, covered);
      assert.notEqual(grants.find(SEARCH), null, "and is there still");
    });
  }

  test("for a listing covers no call, one for every tool covers both", () => {
    const { grants } = makeGrants();
    grants.give({ ...SEARCH, tool: LISTING });
    assert.notEqual(grants.find({ ...SEARCH, tool: LISTING }), null);
    assert.equal(grants.find(SEARCH), null);
    grants.give({ ...SEARCH, target: "writer", tool: EVERY_TOOL });
    assert.notEqual(grants.find({ ...SEARCH, target: "writer" }), null);
    assert.notEqual(grants.find({ ...SEARCH, target: "writer", tool: LISTING }), null);
  });

  test("of a terminal can be for every app, and is of that terminal alone", () => {
    const { grants } = makeGrants();
    grants.give({ root: terminalRoot(), by: null, target: null, tool: EVERY_TOOL });
    const use = { root: terminalRoot(), by: null, target: "writer", tool: "write" };
    assert.notEqual(grants.find(use), null);
    assert.equal(grants.find({ ...use, root: terminalRoot("external:bridge:t") }), null);
    assert.equal(grants.find({ ...use, by: "notes" }), null);
  });

  test("of an agent is for the turn in which it was given", () => {
    const { grants } = makeGrants();
    assert.equal(grants.give({ ...SEARCH, root: turnRoot("turn1") }).scope, "turn");
    assert.notEqual(grants.find({ ...SEARCH, root: turnRoot("turn1") }), null);
    assert.equal(grants.find({ ...SEARCH, root: turnRoot("turn2") }), null);
  });

  test("for one call covers no other, and ends with the call", () => {
    const { grants } = makeGrants();
    const call = new AbortController();
    const signal = grants.giveOnce(SEARCH, call.signal);
    assert.deepEqual(
      grants.all().map(({ scope, uses }) => [scope, uses]),
      [["call", 1]],
    );
    assert.equal(grants.find(SEARCH), null);
    assert.equal(signal.aborted, false);
    call.abort();
    assert.deepEqual(grants.all(), []);
    grants.giveOnce(SEARCH, AbortSignal.abort());
    assert.deepEqual(grants.all(), []);
  });

  test("for one call is not widened, and does not stand for one of a session", () => {
    const { grants } = makeGrants();
    grants.giveOnce(SEARCH, new AbortController().signal);
    grants.give(SEARCH);
    assert.deepEqual(
      grants.all().map(({ scope }) => scope),
      ["call", "session"],
    );
  });
});

describe("what ends a grant", () => {
  for (const [
    what,
    end,
  ] of /** @type {[string, (grants: Grants, id: string, stop: AbortController, call: AbortController) => void][]} */ ([
    ["the owner, who takes it back", (grants, id) => void grants.revoke(id)],
    ["the owner, who takes all back", (grants) => grants.revokeAll()],
    ["the removal of its target", (grants) => grants.forgetApp("notes")],
    ["a change of its subject", (grants) => grants.forgetApp("board")],
    ["a change of who calls for it", (grants) => grants.forgetApp("writer")],
    ["a lock", (grants) => grants.lock()],
    ["the end of its turn, or of whoever is its root", (_grants, _id, stop) => stop.abort()],
    ["the disabling of its agent", (grants) => grants.endSession("agent:board:agent_run")],
  ])) {
    for (const scope of ["turn", "call"]) {
      test(`is ${what}, and what was begun by one for a ${scope} is told`, () => {
        const { grants } = makeGrants();
        const stop = new AbortController();
        const call = new AbortController();
        const use = { ...SEARCH, root: turnRoot("turn1", stop.signal), by: "writer" };
        const signal =
          scope === "call" ? grants.giveOnce(use, call.signal) : grants.use(grants.give(use));
        const other = grants.use(
          grants.give({ ...SEARCH, root: terminalRoot(), target: null, tool: EVERY_TOOL }),
        );
        const all = what.includes("all back") || what === "a lock";
        end(grants, "grant1", stop, call);
        assert.ok(signal.reason instanceof BusError);
        assert.equal(signal.reason.code, "AGENT_MODE_REVOKED");
        assert.deepEqual(signal.reason.data, { reason: "revoked" });
        assert.equal(grants.find(use), null);
        // Nothing else has ended.
        assert.equal(other.aborted, all);
        assert.equal(grants.all().length, all ? 0 : 1);
      });
    }
  }

  test("is the end of a terminal's session, for that terminal", () => {
    const { grants } = makeGrants();
    const ours = { ...SEARCH, root: terminalRoot() };
    const signal = grants.use(grants.give(ours));
    grants.give({ ...SEARCH, root: terminalRoot("external:bridge:t") });
    grants.endSession("external:bridge:s");
    assert.equal(signal.reason.code, "OWNER_REQUIRED");
    assert.deepEqual(
      grants.all().map(({ subject }) => subject),
      ["external:bridge:t"],
    );
  });

  test("is another version of its target, even where nobody said that it changed", () => {
    const { grants, apps } = makeGrants();
    const signal = grants.use(grants.give(SEARCH));
    assert.notEqual(grants.find(SEARCH), null);
    apps[1] = { id: "notes", name: "notes", version: "2" };
    assert.equal(grants.find(SEARCH), null);
    assert.equal(signal.aborted, true);
    apps[1] = { id: "notes", name: "notes", version: "1" };
    assert.equal(grants.find(SEARCH), null, "and the version of then does not bring it back");
  });

  test("is not the end of another turn, nor the change of another app", () => {
    const { grants } = makeGrants();
    const use = { ...SEARCH, root: turnRoot("turn1") };
    grants.give(use);
    grants.endSession("agent:notes:agent_run");
    grants.forgetApp("writer");
    grants.endSession("external:bridge:s");
    assert.notEqual(grants.find(use), null);
  });

  test("is told only when it is gone, and what is found then can be used no more", () => {
    const { grants } = makeGrants();
    const grant = grants.give(SEARCH);
    const signal = grants.use(grant);
    let left = -1;
    signal.addEventListener("abort", () => void (left = grants.all().length));
    assert.equal(grants.revoke(grant.id), true);
    assert.equal(left, 0);
    assert.equal(grants.revoke(grant.id), false);
    assert.throws(() => grants.use(grant), { code: "OWNER_REQUIRED" });
  });

  test("is a grant too many: the one goes that was not used for longest", () => {
    const { grants } = makeGrants(3);
    const given = ["a", "b", "c"].map((tool) => grants.give({ ...SEARCH, tool }));
    const first = given[0];
    assert.ok(first);
    grants.use(first);
    grants.give({ ...SEARCH, tool: "d" });
    assert.deepEqual(
      grants.all().map(({ tool }) => tool),
      ["a", "c", "d"],
    );
  });

  test("of 256 is none, of 257 is one", () => {
    const clock = { wallNow: () => 0 };
    const grants = new Grants(clock, () => []);
    for (let n = 0; n < 256; n++) grants.give({ ...SEARCH, tool: `tool${n}` });
    assert.equal(grants.all().length, 256);
    grants.give({ ...SEARCH, tool: "one_more" });
    assert.equal(grants.all().length, 256);
    assert.equal(grants.all()[0]?.tool, "tool1");
  });

  test("leaves a root that was stopped without any", () => {
    const { grants } = makeGrants();
    const reason = new BusError("AGENT_MODE_REVOKED", "stopped");
    const root = turnRoot("turn1", AbortSignal.abort(reason));
    assert.throws(() => grants.give({ ...SEARCH, root }), { code: "AGENT_MODE_REVOKED" });
    assert.throws(() => grants.giveOnce({ ...SEARCH, root }, new AbortController().signal), {
      code: "AGENT_MODE_REVOKED",
    });
    assert.deepEqual(grants.all(), []);
  });
});

test("what a yes about an app rests on changes with the app and with a lock, and with nothing else", () => {
  const { grants, apps } = makeGrants();
  const seen = new Set([grants.standingOf("notes")]);
  grants.give(SEARCH);
  grants.revokeAll();
  grants.forgetApp("writer");
  grants.endSession("external:bridge:s");
  seen.add(grants.standingOf("notes"));
  assert.equal(seen.size, 1);
  grants.forgetApp("notes");
  seen.add(grants.standingOf("notes"));
  grants.lock();
  seen.add(grants.standingOf("notes"));
  apps[1] = { id: "notes", name: "notes", version: "2" };
  seen.add(grants.standingOf("notes"));
  assert.equal(seen.size, 4);
});
