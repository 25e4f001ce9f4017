// @ts-check
/** The folder of public suites, where this machine has one. */

import { existsSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "../../..");

/**
 * @param {string} name
 * @returns {{ path: string, skip: string | false }} `skip` says why, where it is absent.
 */
export function sharedSuite(name) {
  const path = join(process.env["BASCULE_SHARED"] ?? join(root, "../shared"), "suites", name);
  return {
    path,
    skip: existsSync(path) ? false : `the public suite ${name} is not on this machine`,
  };
}
