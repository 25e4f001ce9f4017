// @ts-check
/** A workspace from a terminal's side, by its lines: which actions there are, and what calling them does. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { BUS_ERROR_CODES, BusError } from "../../../../browser_worker/contract/bus_error.js";
import { AppError } from "../../../../browser_worker/dispatcher/app_error.js";
import { applicationError } from "../../../../browser_worker/kernel/terminal/application_errors.js";
import { makeTerminal } from "../../support/workspace_terminal.js";

const QUERY = {
  type: "object",
  properties: { query: { type: "string" } },
  required: ["query"],
  additionalProperties: false,
};

/** @param {Parameters<typeof makeTerminal>[0]} [options] */
function workspace(options = {}) {
  const terminal = makeTerminal({
    apps: () => [{ id: "notes", name: "Notes", version: "1", description: "Short notes" }],
    ...options,
  });
  const notes = terminal.connect("notes");
  notes.app.expose({
    notes_search: {
      description: "Searches the notes",
      inputSchema: QUERY,
      outputSchema: { type: "object", required: ["matches"] },
      annotations: { readOnlyHint: true },
      handler: (/** @type {any} */ { query }) => ({ matches: [query] }),
    },
    notes_add: { handler: () => ({}) },
  });
  return { ...terminal, notes };
}

describe("the actions of a workspace", () => {
  test("are its own, and the tools of every app that is live", async () => {
    const { ask } = workspace();
    const { result } = await ask("actions/list");
    assert.deepEqual(
      result.actions.map((/** @type {any} */ { name, kind }) => [name, kind]),
      [
        ["workspace.apps.list", "read"],
        ["workspace.endpoints.list", "read"],
        ["workspace.tools.list", "read"],
        ["workspace.tile.open", "write"],
        ["workspace.audit.list", "read"],
        ["workspace.grants.list", "read"],
        ["app.notes.notes_search", "read"],
        ["app.notes.notes_add", "write"],
      ],
    );
    assert.equal("revision" in result, false);
  });

  test("tell of an app's tool what the app says of it", async () => {
    const { ask } = workspace();
    const { result } = await ask("actions/describe", { action: "app.notes.notes_search" });
    assert.equal(result.action.description, "Searches the notes");
    assert.deepEqual(result.action.inputSchema, QUERY);
    assert.deepEqual(result.action.outputSchema, { type: "object", required: ["matches"] });
  });

  test("say of a tool that begins an agent's turn that no terminal can call it", async () => {
    const { ask, execute, connect } = workspace({
      apps: () => [{ id: "helper", name: "Helper", version: "1", declares: { agent: ["run"] } }],
    });
    let runs = 0;
    const tools = { run: { handler: () => ({ runs: ++runs }) }, look: { handler: () => ({}) } };
    const background = connect("helper");
    background.app.expose(tools);
    const listed = async () =>
      (await ask("actions/list", { query: "app.helper" })).result.actions.map(
        (/** @type {any} */ { name, unavailable }) => [name, unavailable?.code],
      );
    assert.deepEqual(await listed(), [
      ["app.helper.run", "OWNER_REQUIRED"],
      ["app.helper.look", undefined],
    ]);
    const { error } = await execute("app.helper.run");
    assert.equal(error.data.code, "UNAVAILABLE");
    assert.equal(
      error.message,
      "run begins an agent's turn, which only a person's click in a tile of helper starts.",
    );
    assert.equal(runs, 0);
    // A tile's tool of the same name is a tool like any other.
    background.app.expose({ look: tools.look });
    connect("helper", "tile").app.expose({ run: tools.run });
    assert.deepEqual(await listed(), [
      ["app.helper.look", undefined],
      ["app.helper.run", undefined],
    ]);
    await execute("app.helper.run");
    assert.equal(runs, 1);
  });

  test("change as the apps change their tools, and as they come and go", async () => {
    const { names, notes, connect, kernel } = workspace();
    assert.deepEqual(await names(), ["app.notes.notes_search", "app.notes.notes_add"]);
    notes.app.expose({ notes_other: { handler: () => ({}) } });
    const board = connect("board");
    board.app.expose({ board_list: { handler: () => ({}) } });
    assert.deepEqual(await names(), ["app.notes.notes_other", "app.board.board_list"]);
    kernel.disconnect(notes.endpoint);
    assert.deepEqual(await names(), ["app.board.board_list"]);
  });

  test("are a write unless the tool says that it only reads", async () => {
    const { ask, notes } = workspace();
    const said = [
      undefined,
      {},
      { readOnlyHint: false },
      { readOnlyHint: "true" },
      { readOnlyHint: true },
    ];
    notes.app.expose(
      Object.fromEntries(
        said.map((annotations, index) => [
          `tool_${index}`,
          { ...(annotations === undefined ? {} : { annotations }), handler: () => ({}) },
        ]),
      ),
    );
    const { result } = await ask("actions/list", { query: "app.notes" });
    assert.deepEqual(
      result.actions.map((/** @type {any} */ { kind }) => kind),
      ["write", "write", "write", "write", "read"],
    );
  });

  test("of one name are the background's, then those of the tile that has the focus", async () => {
    const { execute, kernel, connect, shell, notes } = workspace();
    for (const instance of ["1", "2"]) {
      const { app } = connect("notes", "tile", instance);
      app.expose({ notes_add: { handler: () => ({ by: instance }) } });
    }
    notes.app.expose({ notes_add: { handler: () => ({ by: "background" }) } });
    shell.focusedEndpoint = "app:notes:tile:main:instance:2";
    const by = async () => (await execute("app.notes.notes_add")).result.output.by;
    assert.equal(await by(), "background");
    kernel.disconnect(notes.endpoint);
    assert.equal(await by(), "2");
    shell.focusedEndpoint = "app:notes:tile:main:instance:1";
    assert.equal(await by(), "1");
    shell.focusedEndpoint = null;
    assert.equal(await by(), "1");
  });

  test("of an app that does not answer are hidden, and those of the others are not", async () => {
    const { send, settled, ports, time, connect, names } = workspace();
    const mute = connect("mute");
    const listing = send("actions/list", { query: "app." });
    await ports.settle();
    time.pass(999);
    await ports.settle();
    let listed = false;
    listing.then(() => void (listed = true));
    await ports.settle();
    assert.equal(listed, false);
    time.pass(1);
    const { result } = await settled(listing);
    assert.deepEqual(
      result.actions.map((/** @type {any} */ { name }) => name),
      ["app.notes.notes_search", "app.notes.notes_add"],
    );
    // Nobody waits a second time for an answer that is overdue.
    assert.deepEqual(await names(), ["app.notes.notes_search", "app.notes.notes_add"]);
    const describes = mute.app.received.filter((m) => m.payload?.action === "tools.describe");
    assert.equal(describes.length, 1);
  });

  test("of an app that was overdue are there again when it has answered", async () => {
    const { send, settled, ports, time, connect, names } = workspace();
    const slow = connect("slow");
    const listing = send("actions/list", {});
    await ports.settle();
    time.pass(1000);
    await settled(listing);
    const asked = slow.app.received.find((m) => m.payload?.action === "tools.describe");
    slow.app.expose({ tool: { handler: () => ({}) } });
    slow.app.send({ type: "response", id: asked.id, ok: { tools: [] } });
    await ports.settle();
    assert.ok((await names()).includes("app.slow.tool"));
  });

  test("of an app that floods a list with words leave the list readable", async () => {
    const { ask, connect } = workspace();
    const loud = connect("loud");
    const description = "\u2028".repeat(20_000);
    loud.app.expose(
      Object.fromEntries(
        Array.from({ length: 15 }, (_, index) => [
          `tool_${index}`,
          { description, handler: () => ({}) },
        ]),
      ),
    );
    const { result } = await ask("actions/list", { limit: 100 });
    assert.equal(result.actions.length, 6 + 2 + 15);
    assert.equal(result.actions.at(-1).description.length, 1_000);
  });

  test("leave out a tool that no line can describe, and only that one", async () => {
    const { names, connect } = workspace();
    const odd = connect("odd");
    let deep = {};
    for (let depth = 0; depth < 20; depth++) deep = { properties: { a: deep } };
    odd.app.expose({
      deep: { inputSchema: deep, handler: () => ({}) },
      half: { inputSchema: { title: "\ud800" }, handler: () => ({}) },
      worded: { description: "half \ud800 a character", handler: () => ({}) },
    });
    assert.deepEqual((await names()).slice(2), ["app.odd.worded"]);
  });
});

describe("a call of a terminal", () => {
  test("is run by the app, and is the session's own on the bus", async () => {
    const { execute, notes, kernel } = workspace();
    const { result } = await execute("app.notes.notes_search", { query: "roadmap" });
    assert.deepEqual(result.output, { matches: ["roadmap"] });
    assert.equal(result.status, "completed");
    const invoked = notes.app.received.find((m) => m.payload?.action === "tools.invoke");
    assert.equal(invoked.payload.payload.caller, "external:bridge:s1");
    const [entry] = kernel.audit.entries();
    assert.equal(entry?.caller, "external:bridge:s1");
    assert.equal(entry?.tool, "notes_search");
  });

  test("of the page itself is the kernel's", async () => {
    const { dispatcher, settled, kernel } = workspace();
    const output = await settled(
      Promise.resolve(dispatcher.executeLocal("app.notes.notes_search", { query: "a" })),
    );
    assert.deepEqual(output, { matches: ["a"] });
    assert.equal(kernel.audit.entries()[0]?.caller, "kernel");
  });

  test("that writes needs the app's revision once it has published one", async () => {
    const { execute, notes, ports, ask } = workspace();
    assert.equal((await execute("app.notes.notes_add")).result.status, "completed");
    notes.app.ask("app.state.publish", { topic: "notes", revision: 40 });
    await ports.settle();
    assert.equal((await execute("app.notes.notes_add")).result.status, "completed");
    notes.app.ask("app.state.publish", { topic: "state", revision: 7 });
    await ports.settle();
    assert.equal((await execute("app.notes.notes_add")).error.data.code, "REVISION_REQUIRED");
    const stale = await execute("app.notes.notes_add", {}, { expectedRevision: 6 });
    assert.equal(stale.error.data.actual, 7);
    const done = await execute("app.notes.notes_add", {}, { expectedRevision: 7 });
    assert.equal(done.result.revision, 7);
    const described = await ask("actions/describe", { action: "app.notes.notes_add" });
    assert.equal(described.result.revision, 7);
  });

  test("is answered with the revision that the app published before it answered", async () => {
    const { execute, notes } = workspace();
    notes.app.expose({
      notes_add: {
        handler: () => {
          notes.app.ask("app.state.publish", { topic: "state", revision: 8 });
          return {};
        },
      },
    });
    assert.equal((await execute("app.notes.notes_add")).result.revision, 8);
  });

  test("with numbers that the bus cannot carry says where they are", async () => {
    const { send, settled, notes } = workspace();
    notes.app.expose({ any: { handler: () => ({}) } });
    const input = { list: [{ n: 2 ** 53 }] };
    const answer = await settled(send("actions/execute", { action: "app.notes.any", input }));
    assert.equal(answer.error.data.code, "INVALID_INPUT");
    assert.equal(answer.error.data.errors[0].path, "/list/0/n");
    assert.equal(
      notes.app.received.some((m) => m.payload?.action === "tools.invoke"),
      false,
    );
  });

  test("with something else than an object is refused, whatever the tool says that it takes", async () => {
    const { execute, notes } = workspace();
    notes.app.expose({ any: { inputSchema: {}, handler: () => ({}) } });
    assert.equal((await execute("app.notes.any", [1])).error.data.code, "INVALID_INPUT");
    assert.equal((await execute("app.notes.any", { a: 1 })).result.status, "completed");
  });

  test("keeps its order among calls to one app, also where another app is waited for", async () => {
    const { send, settled, ports, time, connect, notes } = workspace();
    /** @type {string[]} */
    const ran = [];
    notes.app.expose({
      add: { handler: (/** @type {any} */ { word }) => (ran.push(word), {}) },
    });
    connect("mute");
    const first = send("actions/execute", { action: "app.notes.add", input: { word: "first" } });
    await ports.settle();
    time.pass(500);
    const second = send("actions/execute", { action: "app.notes.add", input: { word: "second" } });
    await ports.settle();
    time.pass(500);
    await settled(first);
    time.pass(500);
    await settled(second);
    assert.deepEqual(ran, ["first", "second"]);
  });

  test("overlaps with one that another app takes its time for", async () => {
    const { send, execute, ports, connect } = workspace();
    const slow = connect("slow");
    slow.app.expose({ wait: { handler: () => undefined } });
    void send("actions/execute", { action: "app.slow.wait", input: {} });
    await ports.settle();
    assert.ok(slow.app.received.some((m) => m.payload?.action === "tools.invoke"));
    const { result } = await execute("app.notes.notes_search", { query: "a" });
    assert.equal(result.status, "completed");
  });
});

describe("what goes wrong on the bus", () => {
  test("is for a terminal one of the application's own errors, whatever it is", () => {
    for (const code of BUS_ERROR_CODES) {
      const error = applicationError(new BusError(code, "text"));
      assert.ok(error instanceof AppError, code);
      assert.equal(error.message, "text");
    }
    const other = new TypeError("a mistake of ours");
    assert.equal(applicationError(other), other);
  });

  test("as a refusal is never an error of the host", async () => {
    const decision = {
      allow: /** @type {const} */ (false),
      message: "Ask the owner.",
      retryAfterMs: 900,
    };
    const refusals = BUS_ERROR_CODES.slice(0, BUS_ERROR_CODES.indexOf("TOO_MANY_CALLS"));
    assert.ok(refusals.length >= 9);
    for (const code of refusals) {
      const policy = {
        decide: (/** @type {any} */ { tool }) =>
          tool === null ? { allow: /** @type {const} */ (true) } : { ...decision, code },
      };
      const { execute, notes, kernel } = workspace({ policy });
      const { error } = await execute("app.notes.notes_add");
      assert.equal(error.data.code, "UNAVAILABLE");
      assert.deepEqual(error.data.availability, { code, reason: "Ask the owner." });
      assert.equal(error.data.retryAfterMs, 900);
      assert.equal(kernel.audit.entries()[0]?.status, "refused");
      assert.equal(
        notes.app.received.some((m) => m.payload?.action === "tools.invoke"),
        false,
      );
    }
  });

  test("where the app fails keeps what the app says of it", async () => {
    const { execute, notes, hostErrors } = workspace();
    notes.app.handlers.set("tools.invoke", () => ({
      error: { code: "TOOL_FAILED", message: "No note has this id." },
    }));
    const { error } = await execute("app.notes.notes_add");
    assert.equal(error.data.code, "HOST_ERROR");
    assert.equal(error.data.bus, "TOOL_FAILED");
    assert.equal(error.message, "No note has this id.");
    assert.deepEqual(hostErrors, []);
  });

  test("with an app's own list of problems is passed on as far as it is one", async () => {
    const { execute, notes } = workspace();
    notes.app.handlers.set("tools.invoke", () => ({
      error: {
        code: "INVALID_INPUT",
        message: "Not this query.",
        data: { errors: [{ path: "/query", message: "is odd", extra: 1 }, 7] },
      },
    }));
    const { error } = await execute("app.notes.notes_add");
    assert.deepEqual(error.data.errors, [{ path: "/query", message: "is odd" }]);
  });

  test("that its owner cannot be shown whole is a limit of its own", async () => {
    const data = { limit: "characters", maximum: 65_536 };
    const policy = {
      decide: (/** @type {any} */ { tool }) =>
        tool === null
          ? { allow: /** @type {const} */ (true) }
          : {
              allow: /** @type {const} */ (false),
              code: /** @type {const} */ ("TOO_LARGE"),
              message: "Too long.",
              data,
            },
    };
    const { execute } = workspace({ policy });
    const { error } = await execute("app.notes.notes_add");
    assert.equal(error.data.code, "LIMIT_EXCEEDED");
    assert.deepEqual([error.data.limit, error.data.maximum], ["characters", 65_536]);
  });

  test("where too many calls of a session are in flight is a limit", async () => {
    const { send, execute, ports, notes } = workspace();
    notes.app.expose({ wait: { handler: () => undefined } });
    for (let call = 0; call < 8; call++) {
      void send("actions/execute", { action: "app.notes.wait", input: {} });
    }
    await ports.settle();
    const { error } = await execute("app.notes.wait");
    assert.equal(error.data.code, "LIMIT_EXCEEDED");
    assert.deepEqual([error.data.limit, error.data.maximum], ["callsInFlight", 8]);
  });

  test("where the app goes away in mid-call says that it may have been done", async () => {
    const { send, settled, ports, notes, kernel, execute } = workspace();
    notes.app.expose({ wait: { handler: () => undefined } });
    const call = send("actions/execute", { action: "app.notes.wait", input: {} });
    await ports.settle();
    kernel.disconnect(notes.endpoint);
    const { error } = await settled(call);
    assert.equal(error.data.code, "HOST_ERROR");
    assert.equal(error.data.bus, "ENDPOINT_GONE");
    assert.match(error.message, /may have/);
    assert.equal((await execute("app.notes.wait")).error.data.code, "UNAVAILABLE");
  });

  test("where a tool has gone since it was listed is an action that there is not", async () => {
    const { execute, notes } = workspace();
    notes.app.handlers.set("tools.describe", ({ name }) => ({
      ok: {
        tools:
          name === undefined
            ? [{ name: "fleeting", description: "-", inputSchema: {}, version: 1 }]
            : [],
      },
    }));
    assert.equal((await execute("app.notes.fleeting")).error.data.code, "UNKNOWN_ACTION");
  });
});

describe("a tool of an app that cannot be asked now", () => {
  /** @param {any} answer */
  const told = ({ error }) => [error.data.code, error.data.availability?.code];

  test("is unavailable where the app is installed and does not run, and unknown where it is not", async () => {
    const { execute, ask, kernel, notes } = workspace();
    assert.deepEqual(told(await execute("app.notes.none")), ["UNKNOWN_ACTION", undefined]);
    kernel.disconnect(notes.endpoint);
    const answer = await execute("app.notes.notes_add");
    assert.deepEqual(told(answer), ["UNAVAILABLE", "NOT_RUNNING"]);
    assert.match(answer.error.message, /workspace\.tile\.open/);
    const described = await ask("actions/describe", { action: "app.notes.notes_add" });
    assert.deepEqual(told(described), ["UNAVAILABLE", "NOT_RUNNING"]);
    for (const action of ["app.other.tool", "app.notes", "app.", "workspace.none", "notes_add"]) {
      assert.deepEqual(told(await execute(action)), ["UNKNOWN_ACTION", undefined]);
    }
  });

  test("is unavailable where the workspace is locked", async () => {
    const { execute, kernel } = workspace();
    kernel.lock();
    assert.deepEqual(told(await execute("app.notes.notes_add")), ["UNAVAILABLE", "LOCKED"]);
    assert.deepEqual(told(await execute("app.other.tool")), ["UNKNOWN_ACTION", undefined]);
  });

  test("is unavailable where the app does not say in time what it has, and there again after", async () => {
    const { send, settled, ports, time, notes, execute } = workspace();
    const describes = notes.app.handlers.get("tools.describe");
    notes.app.handlers.set("tools.describe", () => undefined);
    const call = send("actions/execute", { action: "app.notes.notes_add", input: {} });
    await ports.settle();
    time.pass(1000);
    const answer = await settled(call);
    assert.deepEqual(told(answer), ["UNAVAILABLE", "NOT_RESPONDING"]);
    assert.match(answer.error.message, /Nothing was run/);
    // One that is overdue is not asked again, and no less unavailable for that.
    assert.deepEqual(told(await execute("app.notes.notes_add")), ["UNAVAILABLE", "NOT_RESPONDING"]);
    const asked = notes.app.received.find((m) => m.payload?.action === "tools.describe");
    assert.ok(describes);
    notes.app.handlers.set("tools.describe", describes);
    notes.app.send({ type: "response", id: asked.id, ok: { tools: [] } });
    await ports.settle();
    assert.equal((await execute("app.notes.notes_add")).result.status, "completed");
  });
});

describe("a locked workspace", () => {
  test("runs nothing, says why, and lists nothing of its apps", async () => {
    const { ask, execute, kernel, notes } = workspace();
    kernel.lock();
    const { result } = await ask("actions/list");
    assert.equal(result.actions.length, 6);
    assert.equal(result.actions[0].unavailable.code, "LOCKED");
    const { error } = await execute("workspace.apps.list");
    assert.deepEqual(error.data.availability.code, "LOCKED");
    assert.equal(notes.endpoint.open, false);
    kernel.unlock();
    assert.equal((await execute("workspace.apps.list")).result.status, "completed");
  });
});

describe("the workspace's own actions", () => {
  test("list apps as the apps' own words, and endpoints as they are live", async () => {
    const { execute, connect } = workspace();
    connect("notes", "tile").app.expose({});
    const apps = await execute("workspace.apps.list");
    assert.deepEqual(apps.result.output, {
      untrusted: true,
      apps: [{ id: "notes", name: "Notes", version: "1", description: "Short notes" }],
    });
    const { endpoints } = (await execute("workspace.endpoints.list")).result.output;
    assert.deepEqual(
      endpoints.map((/** @type {any} */ { endpoint }) => endpoint),
      ["app:notes:background", "app:notes:tile:main:instance:1"],
    );
  });

  test("list the tools of one endpoint, and of all, with those that do not say", async () => {
    const { send, execute, settled, ports, time, connect } = workspace();
    const one = await execute("workspace.tools.list", { endpoint: "app:notes:background" });
    assert.deepEqual(
      one.result.output.endpoints[0].tools.map((/** @type {any} */ { name }) => name),
      ["notes_search", "notes_add"],
    );
    const none = await execute("workspace.tools.list", { endpoint: "app:none:background" });
    assert.equal(none.error.data.errors[0].path, "/endpoint");
    connect("mute");
    const all = send("actions/execute", { action: "workspace.tools.list", input: {} });
    for (let second = 0; second < 2; second++) {
      await ports.settle();
      time.pass(1000);
    }
    const { endpoints, untrusted } = (await settled(all)).result.output;
    assert.equal(untrusted, true);
    assert.equal(endpoints[0].tools.length, 2);
    assert.equal(endpoints[1].unavailable.code, "NOT_RESPONDING");
  });

  test("open a tile by the shell, and say what it refuses", async () => {
    const { execute, shell, kernel } = workspace();
    /** @type {unknown[]} */
    const opened = [];
    shell.openTile = async (app, tile) => {
      opened.push([app, tile]);
      if (tile === "none") throw new BusError("UNKNOWN_ENDPOINT", "No such tile.");
      if (tile === "full") throw new BusError("UI_BUSY", "Close one first.");
      return "app:notes:tile:main:instance:4";
    };
    const open = (/** @type {unknown} */ input) => execute("workspace.tile.open", input);
    assert.deepEqual((await open({ app: "notes" })).result.output, {
      endpoint: "app:notes:tile:main:instance:4",
    });
    assert.deepEqual((await open({ app: "notes", tile: "none" })).error.data.errors, [
      { path: "/tile", message: "No such tile." },
    ]);
    const full = await open({ app: "notes", tile: "full" });
    assert.equal(full.error.data.availability.code, "UI_BUSY");
    assert.deepEqual(opened, [
      ["notes", undefined],
      ["notes", "none"],
      ["notes", "full"],
    ]);
    assert.deepEqual(
      kernel.audit
        .entries()
        .map(({ caller, target, tool, status }) => [caller, target, tool, status]),
      ["completed", "failed", "failed"].map((status) => [
        "external:bridge:s1",
        "kernel",
        "workspace.tile.open",
        status,
      ]),
      "the owner sees who changed the screen",
    );
  });

  test("list the last calls, of all apps or of one, the newest of them", async () => {
    const { execute, connect } = workspace();
    connect("board").app.expose({ board_list: { handler: () => ({}) } });
    await execute("app.notes.notes_add");
    await execute("app.board.board_list");
    const list = async (/** @type {unknown} */ input) =>
      (await execute("workspace.audit.list", input)).result.output.entries;
    const tools = (/** @type {any[]} */ entries) => entries.map(({ tool }) => tool);
    assert.deepEqual(tools(await list({})), ["notes_add", "board_list"]);
    assert.deepEqual(tools(await list({ app: "notes" })), ["notes_add"]);
    assert.deepEqual(tools(await list({ limit: 1 })), ["board_list"]);
    const [entry] = await list({ app: "board" });
    assert.equal(entry.caller, "external:bridge:s1");
    assert.equal(entry.status, "completed");
  });

  test("show what is live and where the person is", async () => {
    const { ask, shell } = workspace();
    shell.focusedEndpoint = "app:notes:background";
    const { result } = await ask("state/inspect");
    assert.equal(result.focused, "app:notes:background");
    assert.equal(result.locked, false);
    assert.equal(result.endpoints.length, 1);
  });
});
