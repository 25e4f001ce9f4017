// @ts-check
/** The assistant's one tool: what an agent's turn begins with. */

import { MAX_TASK_CHARS } from "./commands.js";
import { runTask } from "./run_task.js";

/** @import { AppRuntime } from "../../../../app/app_runtime.js" */

/** @param {Pick<AppRuntime, "exposeTool">} bus */
export function exposeAssistant(bus) {
  bus.exposeTool(
    "agent_run",
    {
      title: "Do a task",
      description:
        "Does what a sentence asks for with the tools of other apps, and tells how far it is. Only " +
        "the owner's click in the assistant's own tile starts it.",
      inputSchema: {
        type: "object",
        properties: { task: { type: "string", minLength: 1, maxLength: MAX_TASK_CHARS } },
        required: ["task"],
        additionalProperties: false,
      },
      outputSchema: {
        type: "object",
        properties: { done: { type: "array", items: { type: "string" } } },
        required: ["done"],
        additionalProperties: false,
      },
      annotations: { readOnlyHint: false, openWorldHint: false },
    },
    ({ task }, context) => runTask(task, context),
  );
}
