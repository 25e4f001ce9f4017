// @ts-check
/** How an app navigates: to its own tiles freely, to others' by the owner's yes, and not too often. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { BusError } from "../../../../browser_worker/contract/bus_error.js";
import { addOpenTileTool } from "../../../../browser_worker/kernel/tools/open_tile_tool.js";
import { holdWork } from "../../support/held_work.js";
import { makeOwnedKernel, shown } from "../../support/owned_kernel.js";
import { turnRoot } from "../../support/roots.js";

const TILES = new Map([
  ["notes", [{ id: "main", title: "Notes" }]],
  [
    "board",
    [
      { id: "main", title: "Board" },
      { id: "map", title: "A \u202emap" },
    ],
  ],
]);

async function workspace() {
  const made = makeOwnedKernel();
  const { kernel, consent, summaries, ports, connect, powers } = made;
  /** @type {string[]} */
  const opened = [];
  const full = { yes: false };
  /** What the person has on the screen. @type {Set<string>} */
  const onScreen = new Set(["board"]);
  addOpenTileTool(kernel.tools, {
    consent,
    apps: () => summaries,
    invocations: kernel.invocations,
    tilesOf: (app) => TILES.get(app) ?? [],
    isShown: (app) => onScreen.has(app),
    openTile: async (app, tile) => {
      if (full.yes) throw new BusError("UI_BUSY", "Too many tiles are open.");
      opened.push(`${app}:${tile}`);
      return `app:${app}:tile:${tile}:instance:1`;
    },
    powers,
  });
  const board = connect("board");
  /** @param {any} given */
  const open = async (given) => {
    const id = board.app.call("kernel", "workspace.open_tile", given);
    await ports.settle();
    return () => board.app.response(id);
  };
  return { ...made, opened, open, full, board, onScreen };
}

describe("workspace.open_tile", () => {
  test("opens a tile of the caller's own app without a question", async () => {
    const { open, opened, consent } = await workspace();
    const endpoint = "app:board:tile:main:instance:1";
    assert.deepEqual((await open({ app: "board" }))().ok, { endpoint });
    await open({ app: "board", tile: "map" });
    assert.deepEqual(opened, ["board:main", "board:map"]);
    assert.equal(consent.current, null);
  });

  test("asks for one of the caller's own app too, where the person has closed all of it", async () => {
    const { open, opened, consent, deny, ports, onScreen } = await workspace();
    onScreen.clear();
    const response = await open({ app: "board" });
    assert.equal(shown(consent).prompt.title, "Let the app board open a tile of board?");
    deny();
    await ports.settle();
    assert.equal(response().error.code, "OWNER_REQUIRED");
    // It does not go on asking.
    await open({ app: "board" });
    assert.equal(consent.current, null);
    assert.deepEqual(opened, []);
  });

  test("opens a tile of another app after a yes, and each time anew", async () => {
    const { open, opened, consent, allow, deny, ports } = await workspace();
    await open({ app: "notes" });
    assert.equal(shown(consent).prompt.title, "Let the app board open a tile of notes?");
    assert.deepEqual(opened, []);
    allow("once");
    await ports.settle();
    assert.deepEqual(opened, ["notes:main"]);
    const again = await open({ app: "notes" });
    deny();
    await ports.settle();
    assert.equal(again().error.code, "OWNER_REQUIRED");
    assert.deepEqual(opened, ["notes:main"]);
  });

  test("names a terminal, and shows what an app calls its tile as what it is", async () => {
    const { kernel, consent, allow, opened, ports } = await workspace();
    const call = kernel.call({
      caller: "external:bridge:s1",
      target: "kernel",
      name: "workspace.open_tile",
      arguments: { app: "board", tile: "map" },
    });
    await ports.settle();
    const { prompt } = shown(consent);
    assert.match(prompt.title, /the terminal s1/);
    assert.deepEqual(prompt.facts.at(-1), {
      label: "Tile",
      value: "map, which the app calls “A \ufffdmap”",
    });
    allow("once");
    await call;
    assert.deepEqual(opened, ["board:map"]);
  });

  for (const given of [{ app: "nobody" }, { app: "board", tile: "none" }, { app: "__proto__" }]) {
    test(`refuses ${JSON.stringify(given)} without a question`, async () => {
      const { open, opened, consent } = await workspace();
      assert.equal((await open(given))().error.code, "UNKNOWN_ENDPOINT");
      assert.equal(consent.current, null);
      assert.deepEqual(opened, []);
    });
  }

  test("opens four in ten seconds, and then says when there can be another", async () => {
    const { open, opened, time } = await workspace();
    for (let count = 0; count < 4; count += 1) await open({ app: "board" });
    time.pass(4_000);
    const { error } = (await open({ app: "board" }))();
    assert.equal(error.code, "UI_BUSY");
    assert.equal(error.retryAfterMs, 6_000);
    assert.equal(opened.length, 4);
    time.pass(6_000);
    await open({ app: "board" });
    assert.equal(opened.length, 5);
  });

  test("tells why a tile does not open", async () => {
    const { open, full } = await workspace();
    full.yes = true;
    assert.deepEqual((await open({ app: "board" }))().error, {
      code: "UI_BUSY",
      message: "Too many tiles are open.",
    });
  });

  test("opens another app's for an app that runs a call of its by the owner's yes only", async () => {
    const { kernel, board, consent, allow, ports, opened } = await workspace();
    const held = holdWork(board.app);
    await ports.settle();
    const target = "app:board:background";
    kernel.call({ caller: "external:bridge:s1", target, name: "work" }).catch(() => {});
    await ports.settle();
    allow("once");
    await ports.settle();
    const payload = { target: "kernel", name: "workspace.open_tile", arguments: { app: "board" } };
    board.app.askUnder(held.invocation, payload);
    await ports.settle();
    assert.match(shown(consent).prompt.title, /the terminal s1, by way of board,/);
    assert.deepEqual(opened, []);
  });

  test("asks for the agent of an app in its name, and not by way of the app that it is of", async () => {
    const { kernel, consent } = await workspace();
    const source = { id: "app:board:background", app: "board", endpoint: null, invocation: null };
    const { signal } = new AbortController();
    const [input, root] = [{ app: "notes" }, turnRoot("t1")];
    void kernel.tools.run("workspace.open_tile", input, { ...source, root }, signal);
    assert.equal(shown(consent).prompt.title, "Let the agent of board open a tile of notes?");
  });
});
