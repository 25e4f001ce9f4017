// @ts-check
/**
 * Makes the one-file bundles from the modules: `node scripts/config/bundle.mjs DIRECTORY`.
 *
 * One for a page that a terminal drives, one for an app in a frame of a workspace; each as it is and
 * minified, with source maps. Nothing else of the product is ever built for the browser: the modules
 * run as they are written.
 */

import { readFile, rm, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

import { build } from "esbuild";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const WORKER_NAME = "bascule-link";
const STARTS_WORKER =
  /new Worker\(\s*new URL\("\.\/worker\.js", import\.meta\.url\),\s*\{ type: "module" \},?\s*\)/g;
const FROM_THE_BUNDLE = `new Worker(import.meta.url, { type: "module", name: "${WORKER_NAME}" })`;

/**
 * Lets the page start its worker from the bundle itself. Fails where there is not exactly one place
 * that does: a bundle that looks for a worker beside it would fail in the browser only.
 *
 * @returns {import("esbuild").Plugin}
 */
function workerInTheSameFile() {
  return {
    name: "worker-in-the-same-file",
    setup(building) {
      let places = 0;
      building.onStart(() => {
        places = 0;
      });
      building.onLoad({ filter: /[\\/]browser_worker[\\/]link[\\/].*\.js$/ }, async ({ path }) => {
        const contents = (await readFile(path, "utf8")).replace(STARTS_WORKER, () => {
          places++;
          return FROM_THE_BUNDLE;
        });
        return { contents, loader: "js" };
      });
      building.onResolve({ filter: /^bascule-worker-name$/ }, ({ path }) => ({
        path,
        namespace: "bascule",
      }));
      building.onLoad({ filter: /./, namespace: "bascule" }, () => ({
        contents: `export const WORKER_NAME = "${WORKER_NAME}";`,
        loader: "js",
      }));
      building.onEnd(() =>
        places === 1
          ? {}
          : { errors: [{ text: `the worker is started in ${places} places instead of one` }] },
      );
    },
  };
}

/** @type {{ name: string, entry: string, plugins: () => import("esbuild").Plugin[] }[]} */
const BUNDLES = [
  { name: "bascule", entry: "./bundle_entry.js", plugins: () => [workerInTheSameFile()] },
  { name: "bascule-app", entry: "../../browser_worker/app/index.js", plugins: () => [] },
];

/** @param {string} directory */
async function bundle(directory) {
  const { version } = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8"));
  await rm(directory, { recursive: true, force: true });
  for (const { name, entry, plugins } of BUNDLES) {
    for (const minify of [false, true]) {
      const outfile = join(directory, minify ? `${name}.min.js` : `${name}.js`);
      await build({
        absWorkingDir: ROOT,
        entryPoints: [fileURLToPath(new URL(entry, import.meta.url))],
        outfile,
        bundle: true,
        format: "esm",
        target: ["es2022"],
        charset: "utf8",
        minify,
        sourcemap: "linked",
        legalComments: "none",
        logLevel: "warning",
        banner: { js: `/*! Bascule ${version}, MIT license */` },
        plugins: plugins(),
      });
      const { size } = await stat(outfile);
      const zipped = gzipSync(await readFile(outfile), { level: 9 }).length;
      console.log(`build: ${basename(outfile)}: ${size} bytes, ${zipped} with gzip`);
    }
  }
}

const [directory] = process.argv.slice(2);
if (directory === undefined) throw new Error("name the directory to write to");
await bundle(directory);
