// @ts-check
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { setTimeout as wait } from "node:timers/promises";
import { inspect } from "node:util";

import { startBridge } from "../../../browser_worker/node/index.js";
import { COMMAND } from "./support/command.js";

const ORIGIN = "http://127.0.0.1:8765";
const MODULE = new URL("../../../browser_worker/node/index.js", import.meta.url);

/** @type {string} */
let runtime;
before(async () => {
  runtime = await mkdtemp(join(tmpdir(), "bascule-"));
});
after(() => rm(runtime, { recursive: true, force: true }));

const environment = () => ({ ...process.env, XDG_RUNTIME_DIR: runtime });

test("a bridge runs until it is closed, and tells its link but shows no secret", async () => {
  const page = `${ORIGIN}/app.html`;
  const bridge = await startBridge({ origin: ORIGIN, page, command: COMMAND, env: environment() });
  try {
    assert.equal(bridge.running, true);
    assert.equal(bridge.origin, ORIGIN);
    const [place, fragment] = bridge.link.split("#bascule=");
    assert.equal(place, page);
    const held = JSON.parse(Buffer.from(fragment ?? "", "base64url").toString());
    assert.deepEqual(held, { url: bridge.url, token: bridge.token });
    const shown = inspect(bridge, { depth: 5 }) + JSON.stringify(bridge) + bridge.log.join("\n");
    assert.match(shown, /127\.0\.0\.1/);
    assert.equal(shown.includes(bridge.token) || shown.includes("#bascule="), false);
    assert.deepEqual((await readdir(join(runtime, "bascule"))).length, 1);
  } finally {
    await bridge.close();
  }
  assert.equal(bridge.running, false);
  assert.deepEqual(await readdir(join(runtime, "bascule")), []);
  await bridge.close();
});

test("a bridge that does not start says why", async () => {
  const wrong = startBridge({ origin: "http://x/path", command: COMMAND, env: environment() });
  await assert.rejects(wrong, { code: "START_FAILED", message: /origin/i, outcome: null });
  const none = startBridge({ origin: ORIGIN, command: join(runtime, "none") });
  await assert.rejects(none, { code: "START_FAILED", message: /ENOENT.*BASCULE_COMMAND/ });
});

test("the command is the one that the environment names", async () => {
  const old = process.env["BASCULE_COMMAND"];
  process.env["BASCULE_COMMAND"] = join(runtime, "named");
  try {
    await assert.rejects(startBridge({ origin: ORIGIN }), { message: /named browser-bridge/ });
  } finally {
    if (old === undefined) delete process.env["BASCULE_COMMAND"];
    else process.env["BASCULE_COMMAND"] = old;
  }
});

test("a bridge that nobody closed keeps no program from its end, and ends with it", async () => {
  const code = `
    const { startBridge } = await import(${JSON.stringify(MODULE.href)});
    const options = { origin: ${JSON.stringify(ORIGIN)}, command: ${JSON.stringify(COMMAND)} };
    const bridge = await startBridge(options);
    console.log(bridge.url);
  `;
  const child = spawn(process.execPath, ["--input-type=module", "-e", code], {
    env: environment(),
    stdio: ["ignore", "pipe", "inherit"],
    cwd: fileURLToPath(new URL(".", import.meta.url)),
  });
  let out = "";
  child.stdout.on("data", (part) => (out += part));
  const [status] = await once(child, "exit");
  assert.equal(status, 0);
  assert.match(out, /^http:\/\/127/);
  // The bridge looks for its owner now and then: until it finds him gone it answers.
  const until = Date.now() + 30_000;
  for (;;) {
    const error = await fetch(out.trim()).then(
      () => null,
      (failure) => failure,
    );
    if (error !== null) break;
    assert.ok(Date.now() < until, "the bridge outlives its owner");
    await wait(50);
  }
});
