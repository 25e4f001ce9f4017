/** An app that only comes and goes. */

import { exposeTool } from "../../bascule/app/index.js";

exposeTool("nothing", { description: "Does nothing" }, () => ({}));
