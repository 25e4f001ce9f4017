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
    assert.equal(await check(resolution, ["app.ts", "script.ts", "todo.spec.ts", "panel.tsx"]), "");
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
    "bascule.js",
    "bascule.js.map",
    "bascule.min.js",
    "bascule.min.js.map",
  ]);
  const { dependencies } = JSON.parse(await readFile(join(packed, "package.json"), "utf8"));
  assert.equal(dependencies, undefined);
});
