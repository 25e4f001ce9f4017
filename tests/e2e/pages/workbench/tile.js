// @ts-check
/** A tile with a tool that its background has too, and one that only it has. */

import { exposeTool } from "../../../../app/index.js";

const READS = { readOnlyHint: true };

for (const name of ["bench_where", "bench_tile"]) {
  exposeTool(name, { description: "Says who ran it", annotations: READS }, () => ({ by: "tile" }));
}
