// @ts-check
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const CONSUMER = fileURLToPath(new URL("./consumer", import.meta.url));
const BORROWED = [
  "@types",
  "@playwright",
  "csstype",
  "playwright",
  "playwright-core",
  "undici-types",
];
const RESOLUTIONS = Object.freeze({
  NodeNext: { module: "NodeNext", moduleResolution: "NodeNext" },
  bundler: { module: "ESNext", moduleResolution: "bundler" },
});

/** A project that has installed what `npm pack` gives. @type {string} */
let project;

before(async () => {
  project = await mkdtemp(join(tmpdir(), "bascule-consumer-"));
  await run("npm", ["pack", "--pack-destination", project], { cwd: ROOT });
  const [tarball] = (await readdir(project)).filter((name) => name.endsWith(".tgz"));
  assert.ok(tarball);
  const modules = join(project, "node_modules");
  await mkdir(join(modules, "bascule"), { recursive: true });
  await run("tar", ["xzf", tarball, "-C", join(modules, "bascule"), "--strip-components=1"], {
    cwd: project,
  });
  for (const name of BORROWED) {
    await symlink(join(ROOT, "node_modules", name), join(modules, name));
  }
  await cp(CONSUMER, project, { recursive: true });
  await writeFile(join(project, "package.json"), '{"type":"module","private":true}');
});
after(() => rm(project, { recursive: true, force: true }));

/**
 * @param {keyof typeof RESOLUTIONS} resolution
 * @param {string[]} files
 * @returns {Promise<string>} what the compiler has to say
 */
async function check(resolution, files) {
  const config = join(project, "tsconfig.json");
  await writeFile(
    config,
    JSON.stringify({
      compilerOptions: {
        ...RESOLUTIONS[resolution],
        target: "ES2022",
        lib: ["ES2023", "DOM", "DOM.Iterable"],
        jsx: "react-jsx",
        types: ["node"],
        strict: true,
        exactOptionalPropertyTypes: true,
        noEmit: true,
        // Our declarations are checked, not only the consumer's use of them.
        skipLibCheck: false,
      },
      files,
    }),
  );
  const tsc = join(ROOT, "node_modules", ".bin", "tsc");
  return run(tsc, ["-p", config, "--pretty", "false"], { cwd: project }).then(
    ({ stdout }) => stdout,
    ({ stdout }) => stdout,
  );
}

for (const resolution of /** @type {(keyof typeof RESOLUTIONS)[]} */ (Object.keys(RESOLUTIONS))) {
  test(`the package's types hold in a strict project with ${resolution} resolution`, async () => {
    const files = ["app.ts", "script.ts", "todo.spec.ts", "panel.tsx", "workspace.ts"];
    assert.equal(await check(resolution, files), "");
  });

  test(`wrong uses are refused with ${resolution} resolution`, async () => {
    const told = await check(resolution, ["wrong.ts"]);
    const lines = (await readFile(join(CONSUMER, "wrong.ts"), "utf8")).split("\n");
    const expected = lines.flatMap((line, index) => (/\/\/ wrong$/.test(line) ? [index + 1] : []));
    const found = [...told.matchAll(/^wrong\.ts\((\d+),/gm)].map((match) => Number(match[1]));
    assert.deepEqual(
      [...new Set(found)].sort((a, b) => a - b),
      expected,
      told,
    );
    assert.ok(expected.length > 8);
  });
}

test("what is packed runs without anything else, in Node too", async () => {
  const code = `
    const [app, bundle, node] = await Promise.all(
      ["bascule", "bascule/bundle", "bascule/node"].map((name) => import(name)),
    );
    console.log(JSON.stringify([Object.keys(app), Object.keys(bundle), typeof node.connect]));
  `;
  const { stdout } = await run(process.execPath, ["--input-type=module", "-e", code], {
    cwd: project,
  });
  const [app, bundle, connect] = JSON.parse(stdout);
  assert.deepEqual(app, bundle);
  assert.ok(app.includes("attach"));
  assert.equal(connect, "function");
});

for (const file of ["bascule.js", "bascule.min.js"]) {
  test(`${file} is the link's worker where it was started as such, and nowhere else`, async () => {
    const code = `
      const listened = [];
      globalThis.DedicatedWorkerGlobalScope = class {};
      globalThis.self = { name: process.argv[1], addEventListener: (type) => listened.push(type) };
      const { attach } = await import("bascule/build/bundle/${file}");
      console.log(JSON.stringify([typeof attach, listened]));
    `.replace("bascule/build", join(project, "node_modules/bascule/build"));
    /** @param {string} name */
    const started = async (name) => {
      const args = ["--input-type=module", "-e", code, name];
      return JSON.parse((await run(process.execPath, args, { cwd: project })).stdout);
    };
    assert.deepEqual(await started("bascule-link"), ["function", ["message"]]);
    assert.deepEqual(await started("of-the-app"), ["function", []]);
  });

  test(`${file} has a source map that names the modules and no place of the build`, async () => {
    const folder = join(project, "node_modules", "bascule", "build", "bundle");
    const text = await readFile(join(folder, file), "utf8");
    assert.match(text, new RegExp(`//# sourceMappingURL=${file}\\.map\\s*$`));
    const map = await readFile(join(folder, `${file}.map`), "utf8");
    const { sources } = JSON.parse(map);
    for (const module of ["link/worker.js", "dispatcher/dispatcher.js"]) {
      assert.ok(
        sources.some((/** @type {string} */ name) => name.endsWith(`/${module}`)),
        module,
      );
    }
    assert.equal(text.includes(ROOT) || map.includes(ROOT), false);
  });
}

for (const file of ["bascule-app.js", "bascule-app.min.js"]) {
  test(`${file} is one module without an import, and an app's whole place on the bus`, async () => {
    const code = `
      let listen;
      const told = [];
      const parent = { postMessage: (message) => told.push(message) };
      globalThis.window = {
        parent,
        addEventListener: (type, listener) => type === "message" && (listen = listener),
        removeEventListener: () => {},
      };
      const { exposeTool, ...api } = await import(process.argv[1]);
      exposeTool("work", { description: "Works." }, () => ({ done: true }));
      const { port1, port2 } = new MessageChannel();
      const mark = { bascule: "bus", version: 1 };
      const say = (more) => listen({ source: parent, data: { ...mark, ...more }, ports: [port2] });
      say({ step: "probe", nonce: "n" });
      say({ step: "port", nonce: "n" });
      const payload = { name: "work", version: 1, arguments: {}, caller: "kernel" };
      port1.postMessage({ type: "exec", id: 1, payload: { action: "tools.invoke", payload } });
      port1.onmessage = ({ data }) => {
        console.log(JSON.stringify([Object.keys(api), told.map(({ step }) => step), data.ok]));
        process.exit(0);
      };
    `;
    const path = join(project, "node_modules", "bascule", "build", "bundle", file);
    // A bundler's comments name modules; what is left of them must not.
    const text = (await readFile(path, "utf8")).replace(/^\s*(?:\/\/|\/?\*).*$/gm, "");
    assert.doesNotMatch(text, /\bimport\b|\brequire\(/);
    const args = ["--input-type=module", "-e", code, path];
    const [names, steps, ok] = JSON.parse(
      (await run(process.execPath, args, { cwd: project, timeout: 30_000 })).stdout,
    );
    assert.deepEqual(names.sort(), [
      "BusError",
      "agentMode",
      "callTool",
      "callToolWithAttachment",
      "canister",
      "clipboard",
      "connections",
      "createMsgBusClient",
      "ethereumProvider",
      "followAppState",
      "listApps",
      "listEndpoints",
      "listTools",
      "onAppStateChange",
      "publishAppStateChange",
      "removeExposedTool",
      "tray",
      "vetkeys",
    ]);
    assert.deepEqual([steps, ok], [["ready", "ready"], { result: { done: true } }]);
  });
}

test("an app's modules load outside of a frame as well, and say that there is no workspace", async () => {
  const code = `
    const [app, kernel, testing] = await Promise.all(
      ["bascule/app", "bascule/kernel", "bascule/testing"].map((name) => import(name)),
    );
    const told = await app.listApps().catch(({ code }) => code);
    const memory = testing.createMemoryKernel();
    const { runtime, endpoint } = memory.connect("notes");
    runtime.exposeTool("work", { description: "Works." }, () => 1);
    const { result } = await memory.kernel.call({ target: endpoint.id, name: "work" });
    memory.close();
    console.log(JSON.stringify([told, result, typeof kernel.Kernel]));
  `;
  const args = ["--input-type=module", "-e", code];
  // It ends by itself: nothing of the workspace keeps the process.
  const { stdout } = await run(process.execPath, args, { cwd: project, timeout: 30_000 });
  assert.deepEqual(JSON.parse(stdout), ["ENDPOINT_GONE", 1, "function"]);
});

test("a project of CommonJS modules loads it as well", async () => {
  const code = 'console.log(typeof require("bascule/node").startBridge)';
  const { stdout } = await run(process.execPath, ["--input-type=commonjs", "-e", code], {
    cwd: project,
  });
  assert.equal(stdout.trim(), "function");
});

test("the package has declarations, bundle and modules, and neither tests nor secrets", async () => {
  const packed = join(project, "node_modules", "bascule");
  const entries = (await readdir(packed)).sort();
  assert.deepEqual(entries, ["LICENSE", "README.md", "browser_worker", "build", "package.json"]);
  assert.deepEqual((await readdir(join(packed, "build"))).sort(), ["bundle", "types"]);
  assert.deepEqual((await readdir(join(packed, "build", "bundle"))).sort(), [
    "bascule-app.js",
    "bascule-app.js.map",
    "bascule-app.min.js",
    "bascule-app.min.js.map",
    "bascule.js",
    "bascule.js.map",
    "bascule.min.js",
    "bascule.min.js.map",
  ]);
  const { dependencies } = JSON.parse(await readFile(join(packed, "package.json"), "utf8"));
  assert.equal(dependencies, undefined);
});
