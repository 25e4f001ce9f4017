import {
  ActionSpec,
  AppError,
  AttachPanel,
  Dispatcher,
  attach,
  browserRuntime,
  readAttachLink,
} from "bascule";
import type { AttachOptions, Attachment, CallContext, CallEvent, Host } from "bascule";
import { attach as attachFromBundle } from "bascule/bundle";
import { toPlain } from "bascule/contract/strict_json.js";

const add = ActionSpec.write("todo.add", "Add a to-do", {
  inputSchema: { type: "object", properties: { title: { type: "string" } }, required: ["title"] },
});
const todos: string[] = [];

const host: Host = {
  actions: () => [add],
  revision: () => todos.length,
  capabilities: () => 0,
  execute(action: string, input: { title: string }, context: CallContext) {
    if (input.title === "") {
      throw new AppError("UNAVAILABLE", "A to-do needs a title.", {
        availability: { code: "NO_TITLE", reason: "A to-do needs a title." },
      });
    }
    context.defer("person", "somebody has to say yes");
    return { length: todos.push(input.title), action };
  },
};

const dispatcher = new Dispatcher(host, {
  app: { name: "To-do", version: "1" },
  runtime: browserRuntime,
});
dispatcher.setEnabled(true);
const stop: () => void = dispatcher.onCall((event: CallEvent) => {
  if (event.phase === "end") console.log(event.action, event.durationMs);
});

export function start(): Attachment | null {
  const link = readAttachLink();
  if (link === null) return null;
  const options: AttachOptions = { ...link, app: "To-do", dispatcher };
  return attach({ ...options, onState: ({ state, message }) => console.log(state, message) });
}

const panel = document.querySelector("bascule-panel");
if (panel instanceof AttachPanel) {
  panel.dispatcher = dispatcher;
  console.log(panel.attachment?.transport, panel.attachment?.transportNote);
}

export const plain: unknown = toPlain(1);
export const same: typeof attach = attachFromBundle;
export { stop };
