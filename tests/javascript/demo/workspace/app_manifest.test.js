// @ts-check
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import {
  ManifestError,
  readManifest,
} from "../../../../browser_worker/demo/workspace/manifests/app_manifest.js";
import {
  INSTALLED,
  loadManifests,
} from "../../../../browser_worker/demo/workspace/manifests/installed_apps.js";

const FOLDER = "https://shell.test/apps/notes/";
const NOTES = {
  id: "notes",
  name: "Notes",
  version: "1",
  icon: "M1 2h3",
  background: "background.html",
  tiles: [{ id: "main", title: "Notes", page: "tile.html?view=all" }],
  tray: { title: "At a glance", page: "tray/small.html" },
};

test("a manifest's pages are addresses in the app's own folder", () => {
  const app = readManifest(NOTES, "notes", FOLDER);
  assert.equal(app.background, `${FOLDER}background.html`);
  assert.equal(app.tiles[0]?.url, `${FOLDER}tile.html?view=all`);
  assert.equal(app.tray?.url, `${FOLDER}tray/small.html`);
  assert.equal(app.description, "");
});

test("an app without a background or a tray has none", () => {
  const { background: _background, tray: _tray, ...rest } = NOTES;
  const app = readManifest(rest, "notes", FOLDER);
  assert.equal(app.background, null);
  assert.equal(app.tray, null);
});

for (const page of [
  "../writer/tile.html",
  "/tile.html",
  "//elsewhere.test/tile.html",
  "https://elsewhere.test/tile.html",
  "javascript:alert(1)//.html",
  "data:text/html,x.html",
  "a/..%2f/tile.html",
  "tile.js",
  "tile.html#x",
  "tile.html\n",
  "",
]) {
  test(`a page ${JSON.stringify(page)} is refused`, () => {
    assert.throws(
      () => readManifest({ ...NOTES, background: page }, "notes", FOLDER),
      ManifestError,
    );
  });
}

test("what a name hides is written out", () => {
  const { name } = readManifest({ ...NOTES, name: "Not\u202ees" }, "notes", FOLDER);
  assert.equal(name, "Not[U+202E]es");
});

test("an app declares what it may ask for, and nothing where it says nothing", () => {
  assert.deepEqual(readManifest(NOTES, "notes", FOLDER).declares, {
    tray: true,
    agent: [],
    connections: [],
    wallets: false,
    vetkeys: [],
    backend: null,
  });
  const declared = {
    agent: ["agent_run"],
    connections: ["entered"],
    wallets: true,
    vetkeys: ["background", "tile"],
    backend: { preapproved: ["list"] },
  };
  const { tray: _tray, ...rest } = NOTES;
  const { declares } = readManifest({ ...rest, ...declared }, "notes", FOLDER);
  assert.deepEqual(declares, { tray: false, ...declared });
  const { backend } = readManifest({ ...NOTES, backend: {} }, "notes", FOLDER).declares;
  assert.deepEqual(backend, { preapproved: [] });
});

for (const [declared, words] of /** @type {[object, RegExp][]} */ ([
  [{ agent: ["Agent run!"] }, /agent must name tools/],
  [{ agent: ["a", "b", "c", "d", "e"] }, /member agent/],
  [{ connections: ["x y"] }, /of its connections must have small letters/],
  [{ wallets: 1 }, /member wallets/],
  [{ vetkeys: ["tray"] }, /of its vetkeys must be one/],
  [{ vetkeys: ["tile", "tile"] }, /member vetkeys/],
  [{ backend: { url: "https://elsewhere.test" } }, /its backend/],
  [{ agent: ["agent_run"], background: undefined }, /no background to run it/],
  [{ connections: ["entered"], background: undefined }, /no background to use them/],
  [{ vetkeys: ["background"], background: undefined }, /keys of a background/],
])) {
  test(`what an app cannot be allowed is no manifest: ${JSON.stringify(declared)}`, () => {
    const value = JSON.parse(JSON.stringify({ ...NOTES, ...declared }));
    assert.throws(
      () => readManifest(value, "notes", FOLDER),
      (error) => error instanceof ManifestError && words.test(error.message),
    );
  });
}

test("an icon is path data and nothing else", () => {
  for (const icon of ["", '"><script>', "url(#x)"]) {
    assert.throws(() => readManifest({ ...NOTES, icon }, "notes", FOLDER), ManifestError);
  }
});

test("an app has the id that it is installed as", () => {
  assert.throws(() => readManifest(NOTES, "writer", FOLDER), /installed as writer/);
  assert.throws(() => readManifest({ ...NOTES, id: "Notes" }, "Notes", FOLDER), ManifestError);
});

test("an app has at least one tile, and no two of one id", () => {
  assert.throws(() => readManifest({ ...NOTES, tiles: [] }, "notes", FOLDER), ManifestError);
  const tiles = [NOTES.tiles[0], NOTES.tiles[0]];
  assert.throws(() => readManifest({ ...NOTES, tiles }, "notes", FOLDER), /same id/);
});

test("an unknown member of a manifest is refused", () => {
  assert.throws(() => readManifest({ ...NOTES, tools: [] }, "notes", FOLDER), ManifestError);
});

test("what is wrong with a manifest is said in words, and where", () => {
  const tile = NOTES.tiles[0];
  const { icon: _icon, ...without } = NOTES;
  for (const [value, words] of /** @type {[unknown, string][]} */ ([
    [{ ...NOTES, id: "My Notes" }, "its member id must have small letters, digits, _ and - only"],
    [{ ...NOTES, icon: "url(#x)" }, "its member icon must be the path data of an outline"],
    [
      { ...NOTES, background: "../x.html" },
      "its member background must be a page in the app’s own",
    ],
    [{ ...NOTES, tiles: [tile, { ...tile, page: "x.js" }] }, "page of its tile 2 must be a page"],
    [
      { ...NOTES, tray: { title: "", page: "tray.html" } },
      "the member title of its tray must have",
    ],
    [{ ...NOTES, tools: [] }, "its member tools is not a known member"],
    [{ ...NOTES, name: 3 }, "its member name must be text"],
    [without, "its manifest must have the member"],
    [[], "its manifest must be an object"],
  ])) {
    assert.throws(
      () => readManifest(value, "notes", FOLDER),
      (error) => {
        assert(error instanceof ManifestError);
        assert(error.message.includes(words), error.message);
        assert.doesNotMatch(error.message, /pattern|\^/);
        return true;
      },
    );
  }
});

test("a manifest that cannot be used costs no other app", async () => {
  /** @type {Record<string, { ok: boolean, text: () => Promise<string> }>} */
  const answers = {
    "/notes/manifest.json": { ok: true, text: async () => JSON.stringify(NOTES) },
    "/broken/manifest.json": { ok: true, text: async () => "{" },
    "/long/manifest.json": { ok: true, text: async () => " ".repeat(20_000) },
    "/missing/manifest.json": { ok: false, text: async () => "" },
    "/wrong/manifest.json": { ok: true, text: async () => "[]" },
  };
  const { apps, failed } = await loadManifests(
    ["broken", "long", "missing", "notes", "unreachable", "wrong"],
    (id) => `https://shell.test/${id}/`,
    async (url) => {
      const answer = answers[new URL(url).pathname];
      if (answer === undefined) throw new TypeError("no network");
      return answer;
    },
  );
  assert.deepEqual(
    apps.map(({ id }) => id),
    ["notes"],
  );
  assert.deepEqual(
    failed.map(({ id }) => id),
    ["broken", "long", "missing", "unreachable", "wrong"],
  );
});

test("every installed app has a manifest that can be read, and its pages are there", async () => {
  const apps = new URL("../../../../browser_worker/demo/workspace/apps/", import.meta.url);
  const { failed, apps: read } = await loadManifests(
    INSTALLED,
    (id) => new URL(`${id}/`, apps).href,
    async (url) => ({ ok: true, text: () => readFile(new URL(url), "utf8") }),
  );
  assert.deepEqual(failed, []);
  for (const { background, tiles, tray } of read) {
    const pages = [background, tray?.url, ...tiles.map(({ url }) => url)];
    for (const page of pages) {
      if (page) assert.match(await readFile(new URL(page), "utf8"), /^<!doctype html>/);
    }
  }
});
