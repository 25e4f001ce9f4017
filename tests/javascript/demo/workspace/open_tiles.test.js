// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  MAX_TILES,
  OpenTiles,
} from "../../../../browser_worker/demo/workspace/shell/open_tiles.js";
import { readManifest } from "../../../../browser_worker/demo/workspace/manifests/app_manifest.js";
import { TrayPopover } from "../../../../browser_worker/demo/workspace/shell/tray_popover.js";

/** @param {string} id @param {number} [tiles] */
function manifest(id, tiles = 1) {
  return readManifest(
    {
      id,
      name: id,
      version: "1",
      icon: "M1 1",
      tiles: Array.from({ length: tiles }, (_, at) => ({
        id: `t${at}`,
        title: `Tile ${at}`,
        page: "tile.html",
      })),
      tray: { title: "Tray", page: "tray.html" },
    },
    id,
    `https://shell.test/${id}/`,
  );
}

/** Frames that do what a test says. */
function frames() {
  /** @type {any[]} */
  const mounted = [];
  /** @type {any[]} */
  const all = [];
  const mount = (/** @type {any} */ parent, /** @type {any} */ options) => {
    const frame = {
      parent,
      ...options,
      element: {},
      endpoint: null,
      unmount: () => {
        mounted.splice(mounted.indexOf(frame), 1);
        options.onState("gone", "it was closed");
      },
    };
    mounted.push(frame);
    all.push(frame);
    return frame;
  };
  return { mount, mounted, all };
}

function openTiles() {
  const { mount, mounted, all } = frames();
  /** @type {string[]} */
  const removed = [];
  const tiles = new OpenTiles(
    {
      place: (tile) => /** @type {any} */ ({ of: tile.key }),
      remove: ({ key }) => removed.push(key),
    },
    mount,
  );
  return { tiles, mounted, all, removed };
}

test("a tile that is open already is shown and not opened twice", () => {
  const { tiles, mounted } = openTiles();
  const app = manifest("notes");
  const first = tiles.open(app, app.tiles[0]);
  assert.equal(tiles.open(app, app.tiles[0]), first);
  assert.equal(mounted.length, 1);
});

test("a tile put aside has no frame, keeps its place, and comes back as another endpoint", () => {
  const { tiles, mounted, all } = openTiles();
  const notes = manifest("notes");
  const board = manifest("board");
  const tile = tiles.open(notes, notes.tiles[0]);
  tiles.open(board, board.tiles[0]);
  tiles.focus(tile.key);
  tiles.putAside(tile.key);
  assert.equal(mounted.length, 1);
  assert.equal(tile.state, "aside");
  assert.equal(tiles.focused, null);
  tiles.open(notes, notes.tiles[0]);
  assert.equal(tile.state, "loading");
  assert.deepEqual(
    tiles.all.map(({ app }) => app.id),
    ["notes", "board"],
  );
  const instances = all.map(({ place }) => `${place.app}:${place.instance}`);
  assert.equal(new Set(instances).size, 3);
});

test("closing a tile takes its frame and its place away", () => {
  const { tiles, mounted, removed } = openTiles();
  const app = manifest("notes");
  const { key } = tiles.open(app, app.tiles[0]);
  tiles.focus(key);
  tiles.close(key);
  assert.deepEqual(removed, [key]);
  assert.equal(mounted.length + tiles.all.length, 0);
  assert.equal(tiles.focused, null);
});

test("what a frame tells is its tile's state, and what an old frame tells is nobody's", () => {
  const { tiles, all } = openTiles();
  const app = manifest("notes");
  const tile = tiles.open(app, app.tiles[0]);
  all[0].onState("connected", "");
  assert.equal(tile.state, "connected");
  all[0].onState("gone", "it loaded another document");
  assert.equal(tile.reason, "it loaded another document");
  tiles.show(tile.key);
  assert.equal(tile.state, "loading");
  all[0].onState("connected", "");
  assert.equal(tile.state, "loading");
});

test("tiles move among each other and stop at the ends", () => {
  const { tiles } = openTiles();
  const app = manifest("notes", 3);
  const [a, b, c] = app.tiles.map((tile) => tiles.open(app, tile).key);
  const order = () => tiles.all.map(({ key }) => key);
  tiles.move(String(c), -1);
  assert.deepEqual(order(), [a, c, b]);
  tiles.move(String(a), -1);
  assert.deepEqual(order(), [a, c, b]);
  tiles.move(String(a), 9);
  assert.deepEqual(order(), [c, b, a]);
});

test("locking takes all frames away, and unlocking brings back those that were shown", () => {
  const { tiles, mounted } = openTiles();
  const app = manifest("notes", 2);
  const [one, two] = app.tiles.map((tile) => tiles.open(app, tile));
  tiles.putAside(String(two?.key));
  tiles.lock();
  assert.equal(mounted.length, 0);
  tiles.unlock();
  assert.equal(mounted.length, 1);
  assert.equal(one?.state, "loading");
  assert.equal(two?.state, "aside");
});

test("nothing that is opened while it is locked gets a frame before it is unlocked", () => {
  const { tiles, mounted } = openTiles();
  const app = manifest("notes");
  tiles.lock();
  tiles.open(app, app.tiles[0]);
  assert.equal(mounted.length, 0);
  tiles.unlock();
  assert.equal(mounted.length, 1);
});

test("as many tiles as fit can be open, and one more is refused", () => {
  const { tiles, mounted } = openTiles();
  const apps = Array.from({ length: MAX_TILES + 1 }, (_, at) => manifest(`app${at}`));
  for (const app of apps.slice(0, MAX_TILES)) tiles.open(app, app.tiles[0]);
  const last = apps[MAX_TILES];
  assert.throws(
    () => tiles.open(/** @type {any} */ (last), last?.tiles[0] ?? /** @type {any} */ (0)),
    {
      code: "UI_BUSY",
    },
  );
  assert.equal(mounted.length, MAX_TILES);
});

test("one popover is open at a time, and its frame lives no longer than it", () => {
  const { mount, mounted } = frames();
  /** @type {string[]} */
  const shown = [];
  const tray = new TrayPopover(
    {
      show: ({ id }) => /** @type {any} */ (shown.push(`show ${id}`)),
      hide: ({ id }) => void shown.push(`hide ${id}`),
    },
    mount,
  );
  const notes = manifest("notes");
  const board = manifest("board");
  tray.toggle(notes);
  assert.equal(tray.app, "notes");
  tray.toggle(board);
  assert.equal(tray.app, "board");
  assert.equal(mounted.length, 1);
  tray.toggle(board);
  assert.equal(tray.app, null);
  assert.equal(mounted.length, 0);
  assert.deepEqual(shown, ["show notes", "hide notes", "show board", "hide board"]);
});

test("a popover whose frame has ended closes", () => {
  const { mount, all } = frames();
  const tray = new TrayPopover({ show: () => /** @type {any} */ ({}), hide: () => {} }, mount);
  tray.toggle(manifest("notes"));
  all[0].onState("gone", "it loaded another document");
  assert.equal(tray.app, null);
});
