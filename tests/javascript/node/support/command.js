// @ts-check
/** The command line of this checkout. */

import { fileURLToPath } from "node:url";

export const COMMAND =
  process.env["BASCULE_COMMAND"] ??
  fileURLToPath(new URL("../../../../.venv/bin/bascule", import.meta.url));
