// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import { Permissions } from "../../../../browser_worker/demo/workspace/shell/permissions.js";
import {
  grantWords,
  turnWords,
} from "../../../../browser_worker/demo/workspace/view/permission_words.js";
import { AgentMode } from "../../../../browser_worker/kernel/agent/agent_mode.js";
import { BackendCallGrants } from "../../../../browser_worker/kernel/canister/backend_call_grants.js";
import { EVERY_TOOL, Grants, LISTING } from "../../../../browser_worker/kernel/grants/grants.js";

const APPS = [
  { id: "notes", name: "Notes", version: "1" },
  { id: "other", name: "Notes", version: "1" },
  { id: "assistant", name: "Assistant", version: "2", declares: { agent: ["agent_run"] } },
];

/** @param {string} subject @param {Partial<import("../../../../browser_worker/kernel/grants/grants.js").Grant>} [more] */
function grant(subject, more = {}) {
  return grantWords(
    {
      id: "grant1",
      subject,
      subjectVersion: "1",
      by: null,
      target: "notes",
      targetVersion: "1",
      tool: "notes_search",
      scope: "session",
      session: null,
      since: 0,
      usedAt: null,
      uses: 2,
      ...more,
    },
    APPS,
  );
}

test("a grant says who may do what, and until when", () => {
  assert.deepEqual(grant("app:assistant"), {
    key: "grant1",
    who: "Assistant",
    what: "Use notes_search of Notes",
    until: "until the workspace is locked or reloaded",
    used: "used 2 times",
  });
  const agent = grant("agent:assistant:agent_run", { tool: EVERY_TOOL, scope: "turn", uses: 1 });
  assert.equal(agent.who, "Agent agent_run of Assistant");
  assert.equal(agent.what, "Use every tool of Notes");
  assert.equal(agent.until, "until its turn has ended");
  assert.equal(agent.used, "used once");
  const terminal = grant("external:bridge:s1", { target: null, tool: EVERY_TOOL });
  assert.equal(terminal.who, "Terminal s1");
  assert.equal(terminal.what, "Use every tool of every app");
  assert.equal(terminal.until, "until the terminal is detached");
  const between = grant("external:bridge:s1", { by: "assistant", tool: LISTING, scope: "call" });
  assert.equal(between.who, "Terminal s1, by way of Assistant");
  assert.equal(between.what, "See the tools of Notes");
  assert.equal(between.until, "for one call that is under way");
});

test("an app that took another's name is told from it", () => {
  assert.equal(grant("app:other").who, "other (“Notes”)");
  assert.equal(grant("app:notes").who, "Notes");
  const turn = turnWords({ app: "other", entrypoint: "run" }, APPS);
  assert.equal(turn, "other (“Notes”) is working (run)");
});

/** All that an owner can have allowed, and each of it once. */
async function everything() {
  const grants = new Grants({ wallNow: () => 0 }, () => APPS);
  const root = {
    kind: /** @type {const} */ ("app"),
    subject: "app:other",
    app: "other",
    version: "1",
    entrypoint: null,
    session: null,
    signal: null,
  };
  grants.give({ root, by: null, target: "notes", tool: "notes_search" });
  const agents = new AgentMode({
    appOf: (id) => APPS.find((app) => app.id === id),
    consent: { ask: async () => ({ allowed: true, choice: "session", value: null }) },
  });
  await agents.request("assistant", "agent_run");
  /** @type {string | null} */
  let kept = null;
  const backendCalls = new BackendCallGrants(
    { load: () => kept, save: (text) => void (kept = text) },
    { wallNow: () => 0, newId: () => "b1" },
  );
  backendCalls.reserve({
    caller: "other",
    callerVersion: "1",
    app: "notes",
    appVersion: "1",
    method: "list",
  });
  return new Permissions({ grants, agents, backendCalls, apps: () => APPS });
}

test("each thing that was allowed is listed, and taken back alone", async () => {
  const permissions = await everything();
  const whats = () => permissions.all().map(({ what }) => what);
  const [backend, agent, use] = [
    "Call list of the backend of Notes",
    "Act as the agent agent_run, in version 2",
    "Use notes_search of Notes",
  ];
  assert.deepEqual(whats(), [backend, agent, use]);
  let told = 0;
  const stop = permissions.onChange(() => (told += 1));
  permissions.all()[1]?.revoke();
  assert.deepEqual(whats(), [backend, use]);
  permissions.all()[0]?.revoke();
  assert.deepEqual(whats(), [use]);
  permissions.all()[0]?.revoke();
  assert.deepEqual(whats(), []);
  assert.equal(told, 3);
  stop();
});

test("all of it is taken back at once", async () => {
  const permissions = await everything();
  assert.equal(permissions.all().length, 3);
  permissions.revokeAll();
  assert.deepEqual(permissions.all(), []);
});
