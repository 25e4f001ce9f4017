// @ts-check
/** Connections: a credential of the owner's reaches one background, and nothing else. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { addConnectionActions } from "../../../../browser_worker/kernel/private/connection_actions.js";
import { enteredCredentials } from "../../../../browser_worker/kernel/private/entered_credentials.js";
import { makePrivateKernel } from "./private_kernel.js";

/** @import { ConnectionProvider } from "../../../../browser_worker/kernel/private/entered_credentials.js" */

const SECRET = "hunter2-of-the-owner";

/** @param {(id: string) => ConnectionProvider | null} [providers] */
function make(providers = enteredCredentials()) {
  const made = makePrivateKernel({ connections: ["mail", "calendar"] });
  const connections = addConnectionActions(made.kernel, {
    consent: made.consent,
    providers,
    powers: made.powers,
  });
  return { ...made, connections };
}

test("the owner enters a credential once, and the background has it as often as it likes", async () => {
  const { connect, ask, asked, consent } = make();
  const { app } = connect("notes");
  const wish = { provider: "mail", reason: "To look for\nletters" };
  const { response, prompt } = await asked(app, "connections.request", wish, SECRET);
  assert.equal(prompt.title, "Connect the app notes to mail?");
  assert.equal(prompt.quote, "To look for�letters");
  assert.equal(prompt.input?.kind, "secret");
  const { connection } = response.ok;
  for (let times = 0; times < 2; times++) {
    const { ok } = await ask(app, "connections.credential", { connection });
    assert.deepEqual(ok, { credential: SECRET });
  }
  // Asked again, it is the same one, and nobody is asked.
  assert.deepEqual((await ask(app, "connections.request", { provider: "mail" })).ok, {
    provider: "mail",
    connection,
  });
  assert.equal(consent.current, null);
  assert.deepEqual((await ask(app, "connections.list")).ok, {
    connections: [
      { provider: "mail", title: "mail", connection },
      { provider: "calendar", title: "calendar", connection: null },
    ],
  });
});

test("only a background is heard, and only of what its manifest declares", async () => {
  const { connect, ask, clicked, consent } = make();
  const tile = connect("notes", "tile");
  clicked(tile.endpoint.id);
  const tray = connect("notes", "tray");
  for (const { app } of [tile, tray]) {
    for (const action of ["list", "request", "credential", "disconnect"]) {
      const { error } = await ask(app, `connections.${action}`, { provider: "mail" });
      assert.equal(error.code, "UNKNOWN_ACTION", action);
    }
  }
  const { app } = connect("notes");
  const { error } = await ask(app, "connections.request", { provider: "bank" });
  assert.equal(error.code, "OWNER_REQUIRED");
  assert.equal(consent.current, null);
});

test("another app cannot use a connection, whatever it knows of it", async () => {
  const { connect, ask, asked } = make();
  const notes = connect("notes").app;
  const board = connect("board").app;
  const wish = { provider: "mail" };
  const { connection } = (await asked(notes, "connections.request", wish, SECRET)).response.ok;
  for (const action of ["connections.credential", "connections.disconnect"]) {
    assert.equal((await ask(board, action, { connection })).error.code, "INVALID_INPUT");
  }
  assert.equal((await ask(board, "connections.list")).ok.connections[0].connection, null);
  assert.equal((await ask(notes, "connections.credential", { connection })).ok.credential, SECRET);
});

test("a no connects nothing, and is told as the owner's", async () => {
  const { connect, connections, consent, deny, ports } = make();
  const { app } = connect("notes");
  const id = app.ask("connections.request", { provider: "mail" });
  await ports.settle();
  assert.notEqual(consent.current, null);
  deny();
  await ports.settle();
  assert.equal(app.response(id).error.code, "OWNER_REQUIRED");
  assert.ok(app.response(id).error.retryAfterMs > 0);
  assert.equal(connections.of("notes", "mail"), null);
});

test("while the owner is asked for one, the same is not asked for again", async () => {
  const { connect, ask, ports, allow } = make();
  const { app } = connect("notes");
  const id = app.ask("connections.request", { provider: "mail" });
  await ports.settle();
  const { error } = await ask(app, "connections.request", { provider: "mail" });
  assert.equal(error.code, "UI_BUSY");
  allow(SECRET);
  await ports.settle();
  assert.equal(typeof app.response(id).ok.connection, "string");
});

test("nothing entered connects nothing", async () => {
  const { connect, asked } = make();
  const wish = { provider: "mail" };
  const { response } = await asked(connect("notes").app, "connections.request", wish, "");
  assert.equal(response.error.code, "INVALID_INPUT");
});

for (const [what, end] of /** @type {const} */ ([
  ["a lock", "lock"],
  ["the end of an app's version", "forgetApp"],
])) {
  test(`${what} ends a connection, and the provider forgets the credential`, async () => {
    const provider = enteredCredentials();
    const { kernel, connect, asked, connections } = make(provider);
    const { app } = connect("notes");
    await asked(app, "connections.request", { provider: "mail" }, SECRET);
    const held = /** @type {any} */ (provider("mail"))._credentials;
    assert.equal(held.size, 1);
    kernel.forgetApp("board");
    assert.equal(held.size, 1);
    kernel[end]("notes");
    assert.equal(held.size, 0);
    assert.equal(connections.of("notes", "mail"), null);
  });
}

test("an app ends its own connection, and can ask for another", async () => {
  const { connect, ask, asked } = make();
  const { app } = connect("notes");
  const wish = { provider: "mail" };
  const { connection } = (await asked(app, "connections.request", wish, SECRET)).response.ok;
  assert.deepEqual((await ask(app, "connections.disconnect", { connection })).ok, {});
  const again = await asked(app, "connections.request", wish, "other");
  assert.notEqual(again.response.ok.connection, connection);
});

test("a background that goes while the owner enters takes the question away", async () => {
  const { kernel, connect, connections, consent, ports } = make();
  const { app, endpoint } = connect("notes");
  app.ask("connections.request", { provider: "mail" });
  await ports.settle();
  assert.notEqual(consent.current, null);
  kernel.disconnect(endpoint);
  await ports.settle();
  assert.equal(consent.current, null);
  assert.equal(connections.of("notes", "mail"), null);
});

test("a provider that connects too late is disconnected again", async () => {
  /** @type {(handle: string) => void} */
  let connected = () => {};
  /** @type {any[]} */
  const dropped = [];
  const { kernel, connect, connections, ports } = make((id) => ({
    id,
    title: id,
    connect: () => new Promise((resolve) => void (connected = resolve)),
    credential: () => SECRET,
    disconnect: (handle) => void dropped.push(handle),
  }));
  const { app, endpoint } = connect("notes");
  app.ask("connections.request", { provider: "mail" });
  await ports.settle();
  kernel.disconnect(endpoint);
  connected("late");
  await ports.settle();
  assert.deepEqual(dropped, ["late"]);
  assert.equal(connections.of("notes", "mail"), null);
});

test("a provider's failure tells nothing of what it was given", async () => {
  const { connect, ask, asked } = make((id) => ({
    id,
    title: id,
    connect: async (askOwner) => askOwner({ label: "Key", maxChars: 100 }),
    credential: (handle) => {
      throw new Error(`could not use ${handle}`);
    },
    disconnect: () => {},
  }));
  const { app } = connect("notes");
  const wish = { provider: "mail" };
  const { connection } = (await asked(app, "connections.request", wish, SECRET)).response.ok;
  const { error } = await ask(app, "connections.credential", { connection });
  assert.equal(error.code, "TOOL_FAILED");
  assert.equal(JSON.stringify(error).includes(SECRET), false);
});

test("a credential is in one answer to one port: in no progress, event or audit", async () => {
  const { kernel, connect, ask, asked } = make();
  const notes = connect("notes").app;
  const tile = connect("notes", "tile").app;
  const board = connect("board").app;
  const wish = { provider: "mail" };
  const { connection } = (await asked(notes, "connections.request", wish, SECRET)).response.ok;
  await ask(notes, "connections.credential", { connection });
  const holds = (/** @type {unknown} */ value) => JSON.stringify(value).includes(SECRET);
  const told = notes.received.filter(holds);
  assert.equal(told.length, 1);
  assert.equal(told[0].type, "response");
  assert.equal([...tile.received, ...board.received].some(holds), false);
  assert.equal(holds(kernel.audit.entries()), false);
  assert.ok(kernel.audit.entries().some(({ tool }) => tool === "connections.credential"));
});

/** A provider whose credential comes when a test lets it. */
function slowProvider() {
  /** @type {((credential: string) => void)[]} */
  const waiting = [];
  /** @type {unknown[]} */
  const dropped = [];
  /** @type {ConnectionProvider} */
  const provider = {
    id: "mail",
    title: "mail",
    connect: async () => ({ of: "mail" }),
    credential: () => new Promise((give) => void waiting.push(give)),
    disconnect: (handle) => void dropped.push(handle),
  };
  return { provider, waiting, dropped };
}

test("what the owner takes back ends for what waits for it, and its next use is refused as theirs", async () => {
  const { provider, waiting, dropped } = slowProvider();
  const { connect, ask, connections, ports } = make(() => provider);
  const { app } = connect("notes");
  const { connection } = (await ask(app, "connections.request", { provider: "mail" })).ok;
  // The control: until then it is given.
  const before = app.ask("connections.credential", { connection });
  await ports.settle();
  waiting.shift()?.(SECRET);
  await ports.settle();
  assert.deepEqual(app.response(before).ok, { credential: SECRET });

  const id = app.ask("connections.credential", { connection });
  await ports.settle();
  assert.equal(app.response(id), undefined);
  assert.equal(connections.revoke(connection), true);
  await ports.settle();
  assert.equal(app.response(id).error.code, "OWNER_REQUIRED");
  assert.deepEqual(app.response(id).error.data, { reason: "revoked" });
  assert.equal(dropped.length, 1);
  const told = app.received.length;
  waiting.shift()?.(SECRET);
  await ports.settle();
  assert.equal(app.received.length, told);

  for (const action of ["credential", "disconnect"]) {
    const { error } = await ask(app, `connections.${action}`, { connection });
    assert.equal(error.code, "OWNER_REQUIRED", action);
    assert.deepEqual(error.data, { reason: "revoked" });
  }
  assert.equal(connections.revoke(connection), false);
});

test("another app is not told what the owner took back, and a lock forgets it", async () => {
  const { connect, ask, asked, connections, kernel } = make();
  const { app } = connect("notes");
  const board = connect("board").app;
  const wish = { provider: "mail" };
  const { connection } = (await asked(app, "connections.request", wish, SECRET)).response.ok;
  connections.revoke(connection);
  const others = await ask(board, "connections.credential", { connection });
  assert.equal(others.error.code, "INVALID_INPUT");
  assert.equal(
    (await ask(app, "connections.credential", { connection })).error.code,
    "OWNER_REQUIRED",
  );
  kernel.lock();
  kernel.unlock();
  const later = await ask(connect("notes").app, "connections.credential", { connection });
  assert.equal(later.error.code, "INVALID_INPUT");
});

test("after it was taken back the owner is asked anew, and can say yes", async () => {
  const { connect, ask, asked, connections } = make();
  const { app } = connect("notes");
  const wish = { provider: "mail" };
  await asked(app, "connections.request", wish, SECRET);
  connections.revokeAll();
  const { connection } = (await asked(app, "connections.request", wish, "other")).response.ok;
  const { ok } = await ask(app, "connections.credential", { connection });
  assert.deepEqual(ok, { credential: "other" });
});

test("the owner sees whose connection it is, to what, since when and how often it was used", async () => {
  const { connect, ask, asked, connections, powers } = make();
  let told = 0;
  const stop = connections.onChange(() => (told += 1));
  const { app } = connect("notes");
  const wish = { provider: "mail" };
  const { connection } = (await asked(app, "connections.request", wish, SECRET)).response.ok;
  await ask(app, "connections.credential", { connection });
  const since = powers.wallNow();
  assert.deepEqual(connections.all(), [
    { connection, app: "notes", provider: "mail", since, uses: 1 },
  ]);
  await ask(app, "connections.disconnect", { connection });
  assert.deepEqual(connections.all(), []);
  assert.equal(told, 3);
  stop();
});
