// @ts-check
/** Where the assistant works: its turn begins with this frame's one tool. */

import { exposeTool } from "../../../../app/index.js";
import { exposeAssistant } from "./assistant_tool.js";

exposeAssistant({ exposeTool });
