// @ts-check
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, before, test } from "node:test";

import { ActionSpec, Dispatcher } from "../../../browser_worker/index.js";
import { detach } from "../../../browser_worker/node/attach_page.js";
import {
  attach,
  basculeFixtures,
  connect,
  startBridge,
} from "../../../browser_worker/node/index.js";
import { attachPage } from "./support/attached_page.js";
import { COMMAND } from "./support/command.js";

/** @import { AppClient, BridgeProcess } from "../../../browser_worker/node/index.js" */
/** @import { AttachedPage } from "./support/attached_page.js" */

const ORIGIN = "http://127.0.0.1:8765";
const dispatcher = new Dispatcher(
  {
    actions: () => [ActionSpec.read("echo", "Answers")],
    revision: () => null,
    capabilities: () => 0,
    execute: () => ({}),
  },
  { app: { name: "Test", version: "1" } },
);
dispatcher.setEnabled(true);

/** What Playwright's page is to `attach`: it opens addresses, and has buttons to press. */
class FakePage {
  /** @type {string[]} */
  opened = [];
  /** @type {string[]} */
  pressed = [];
  /** @type {AttachedPage | null} */
  attached = null;

  /** @param {boolean} [works] whether its button does what it should */
  constructor(works = true) {
    this.works = works;
  }

  /** @param {string} url */
  async goto(url) {
    this.opened.push(url);
    await this.attached?.detach();
    this.attached = null;
  }

  /** @param {string} name */
  button(name) {
    return {
      click: async () => {
        this.pressed.push(name);
        if (this.works) this.attached = await attachPage(bridge, dispatcher);
      },
    };
  }

  /** @param {"button"} _role @param {{ name: string, exact: boolean }} options */
  getByRole(_role, { name, exact }) {
    assert.equal(exact, true);
    return this.button(name);
  }
}

/** @type {string} */
let runtime;
/** @type {BridgeProcess} */
let bridge;
/** @type {FakePage[]} */
let pages = [];
/** @param {boolean} [works] */
function newPage(works) {
  const page = new FakePage(works);
  pages.push(page);
  return page;
}

before(async () => {
  runtime = await mkdtemp(join(tmpdir(), "bascule-"));
  // Of this process: the fixtures start a bridge of their own.
  process.env["XDG_RUNTIME_DIR"] = runtime;
  bridge = await startBridge({ origin: ORIGIN, command: COMMAND });
});
afterEach(async () => {
  for (const page of pages) await page.attached?.detach();
  pages = [];
});
after(async () => {
  await bridge.close();
  await rm(runtime, { recursive: true, force: true });
});

test("a page is attached by its link and its button, and is ready when it is said so", async () => {
  const page = newPage();
  await attach(page, bridge);
  assert.deepEqual([page.opened, page.pressed], [[bridge.link], ["Attach"]]);
  const app = connect(bridge);
  assert.equal((await app.info())["app"].name, "Test");
  await app.close();
});

test("the button is the one that a test names, shows or finds", async () => {
  for (const button of /** @type {const} */ (["name", "locator", "function"])) {
    const page = newPage();
    await attach(page, bridge, {
      button:
        button === "name"
          ? "name"
          : button === "locator"
            ? page.button("locator")
            : (opened) => opened.button("function"),
    });
    assert.deepEqual(page.pressed, [button]);
    await detach(page, bridge);
    assert.equal(page.opened.at(-1), "about:blank");
  }
});

test("a page that does not attach in time is told of", async () => {
  const page = newPage(false);
  await assert.rejects(attach(page, bridge, { timeoutMs: 200 }), { code: "NOT_ATTACHED" });
  assert.deepEqual(page.pressed, ["Attach"]);
});

test("a second page is refused while another one is attached, and its link stays unused", async () => {
  await attach(newPage(), bridge);
  const second = newPage();
  await assert.rejects(attach(second, bridge, { timeoutMs: 200 }), { code: "ALREADY_ATTACHED" });
  assert.deepEqual(second.opened, []);
});

test("the fixture attaches before a test, detaches after it, and reports a failed one", async () => {
  const page = newPage();
  /** @type {[string, string][]} */
  const reports = [];
  const info = {
    status: "failed",
    expectedStatus: "passed",
    /** @param {string} name @param {{ body: string }} report */
    attach: async (name, { body }) => void reports.push([name, body]),
  };
  const fixtures = { page, basculeBridge: bridge, basculeOptions: { button: "Go" } };
  /** @type {unknown} */
  let used;
  /** @param {AppClient} app */
  const use = async (app) => void (used = await app.call("echo"));
  await basculeFixtures.app(fixtures, use, info);
  assert.equal(/** @type {any} */ (used).status, "completed");
  assert.deepEqual(page.pressed, ["Go"]);
  assert.equal(page.attached, null);
  assert.equal(reports.length, 1);
  assert.match(reports[0]?.[1] ?? "", /"phase":"end".*"action":"echo"/);
  assert.equal(reports[0]?.[1].includes(bridge.token), false);
  await basculeFixtures.app(fixtures, use, { ...info, status: "passed" });
  assert.equal(reports.length, 1);
});

test("a worker's bridge is for the project's base address, and needs one", async () => {
  const [basculeBridge] = basculeFixtures.basculeBridge;
  /** @type {BridgeProcess | undefined} */
  let given;
  /** @param {BridgeProcess} started */
  const use = async (started) => {
    given = started;
    assert.equal(started.running, true);
  };
  const options = { basculeOptions: { command: COMMAND } };
  const baseURL = `${ORIGIN}/app/index.html`;
  await basculeBridge(options, use, { project: { use: { baseURL } } });
  assert.equal(given?.origin, ORIGIN);
  assert.ok(given?.link.startsWith(`${baseURL}#bascule=`));
  assert.equal(given?.running, false);
  await assert.rejects(basculeBridge(options, use, { project: { use: {} } }), TypeError);
});
