// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import { Permissions } from "../../../../browser_worker/demo/workspace/shell/permissions.js";
import {
  connectionWords,
  grantWords,
  turnWords,
  walletWords,
} from "../../../../browser_worker/demo/workspace/view/permission_words.js";
import { AgentMode } from "../../../../browser_worker/kernel/agent/agent_mode.js";
import { BackendCallGrants } from "../../../../browser_worker/kernel/canister/backend_call_grants.js";
import { EVERY_TOOL, Grants, LISTING } from "../../../../browser_worker/kernel/grants/grants.js";
import { Connections } from "../../../../browser_worker/kernel/private/connections.js";
import { EnteredCredentials } from "../../../../browser_worker/kernel/private/entered_credentials.js";
import { WalletSessions } from "../../../../browser_worker/kernel/private/wallet_sessions.js";

const SECRET = "hunter2-of-the-owner";
const ACCOUNT = `0x${"ab".repeat(20)}`;

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
    since: 0,
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
  const browser = grant("external:bridge:browser/1", { target: null, tool: EVERY_TOOL });
  assert.equal(browser.who, "Agent of the browser");
  assert.equal(browser.until, "until the page takes its tools back");
  const between = grant("external:bridge:s1", { by: "assistant", tool: LISTING, scope: "call" });
  assert.equal(between.who, "Terminal s1, by way of Assistant");
  assert.equal(between.what, "See the tools of Notes");
  assert.equal(between.until, "for one call that is under way");
});

test("a connection says of whom it has what, and since and until when", () => {
  const connection = { connection: "c1", app: "notes", provider: "mail", since: 5, uses: 2 };
  assert.deepEqual(connectionWords(connection, APPS), {
    key: "connection:c1",
    who: "Notes",
    what: "Read the credential that you entered for mail",
    since: 5,
    until: "until the workspace is locked or reloaded",
    used: "given to it 2 times, which cannot be undone",
  });
  const unused = connectionWords({ ...connection, provider: "m\u202eail", uses: 0 }, APPS);
  assert.equal(unused.what, "Read the credential that you entered for m\ufffdail");
  assert.equal(unused.used, "given to it 0 times");
});

test("a session with a wallet says in which tile, of which wallet, and since and until when", () => {
  const session = { id: "w1", app: "other", tile: "main", wallet: "Fox", rdns: "io.fox" };
  assert.deepEqual(walletWords({ ...session, accounts: 1, since: 5 }, APPS), {
    key: "wallet:w1",
    who: "other (“Notes”), in its tile main",
    what: "Use 1 account of the wallet Fox (io.fox); you are asked before it signs or sends",
    since: 5,
    until: "until its tile is closed, or the workspace is locked or reloaded",
    used: "",
  });
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
  let ids = 0;
  const powers = { newId: () => `id${++ids}`, wallNow: () => 5 };
  const connections = new Connections(powers);
  const { signal } = new AbortController();
  const mail = new EnteredCredentials({ id: "mail" });
  const connection = await connections.connect("notes", mail, async () => SECRET, signal);
  const wallets = new WalletSessions(powers);
  const endpoint = /** @type {any} */ ({ place: { app: "notes", kind: "tile", tile: "main" } });
  const provider = { request: async () => null };
  const fox = { id: "fox", name: "Fox", rdns: "io.fox", icon: null, provider };
  const session = wallets.open(endpoint, fox, [ACCOUNT]).id;
  const permissions = new Permissions({
    grants,
    agents,
    backendCalls,
    connections,
    wallets,
    apps: () => APPS,
  });
  return { permissions, connections, connection, wallets, endpoint, session };
}

test("each thing that was allowed is listed, and taken back alone", async () => {
  const { permissions } = await everything();
  const whats = () => permissions.all().map(({ what }) => what);
  const [backend, agent, credential, wallet, use] = [
    "Call list of the backend of Notes",
    "Act as the agent agent_run, in version 2",
    "Read the credential that you entered for mail",
    "Use 1 account of the wallet Fox (io.fox); you are asked before it signs or sends",
    "Use notes_search of Notes",
  ];
  assert.deepEqual(whats(), [backend, agent, credential, wallet, use]);
  let told = 0;
  const stop = permissions.onChange(() => (told += 1));
  permissions.all()[2]?.revoke();
  assert.deepEqual(whats(), [backend, agent, wallet, use]);
  permissions.all()[2]?.revoke();
  assert.deepEqual(whats(), [backend, agent, use]);
  permissions.all()[1]?.revoke();
  assert.deepEqual(whats(), [backend, use]);
  permissions.all()[0]?.revoke();
  assert.deepEqual(whats(), [use]);
  permissions.all()[0]?.revoke();
  assert.deepEqual(whats(), []);
  assert.equal(told, 5);
  stop();
});

test("all of it is taken back at once", async () => {
  const { permissions, connections, connection, wallets, endpoint, session } = await everything();
  assert.equal(permissions.all().length, 5);
  permissions.revokeAll();
  assert.deepEqual(permissions.all(), []);
  await assert.rejects(connections.credential("notes", connection), { code: "OWNER_REQUIRED" });
  assert.throws(() => wallets.get(endpoint, session), { code: "OWNER_REQUIRED" });
});

test("what an app uses is counted, and no secret, account or handle of it is in a line's words", async () => {
  const { permissions, connections, connection, session } = await everything();
  let told = 0;
  permissions.onChange(() => (told += 1));
  assert.equal(await connections.credential("notes", connection), SECRET);
  assert.equal(told, 1);
  const rows = permissions.all();
  const used = rows.map(({ used }) => used);
  assert.deepEqual(used, ["", "", "given to it once, which cannot be undone", "", "used 0 times"]);
  const words = JSON.stringify(rows.map(({ key: _key, ...row }) => row));
  for (const hidden of [SECRET, ACCOUNT, connection, session]) {
    assert.equal(words.includes(hidden), false, hidden);
  }
});
