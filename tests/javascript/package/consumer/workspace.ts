import { BusError, callTool, createMsgBusClient, exposeTool, followAppState } from "bascule/app";
import type { ToolContext, ToolHandler } from "bascule/app";
import { callTool as callFromBundle } from "bascule/app/bundle";
import { Kernel, pagePowers } from "bascule/kernel";
import type { Decision, Question, RoutingPolicy } from "bascule/kernel";
import { createMemoryKernel } from "bascule/testing";

const search: ToolHandler = ({ query }: { query: string }, context: ToolContext) => {
  context.reportProgress({ completed: 1 });
  context.signal.throwIfAborted();
  if (context.attachment !== undefined) context.replyAttachment(context.attachment);
  return { matches: [query], caller: context.caller };
};
exposeTool("notes_search", { description: "Search the notes." }, search);

const call = { target: "app:notes:background", name: "notes_search", arguments: { query: "a" } };
await callTool(call, { timeout: 120, onProgress: (value: number) => console.log(value) });
await callFromBundle(call);
const { listTools } = createMsgBusClient();
const names: string[] = (await listTools(call.target)).map(({ name }) => name);

const stop: () => void = followAppState("notes", {
  fetch: async () => ({ revision: 1, names }),
  apply: (view) => console.log(view.names.length),
});
stop();

const policy: RoutingPolicy = {
  decide: ({ callerApp }: Question): Decision =>
    callerApp === null ? { allow: true } : { allow: false, code: "UI_BUSY", message: "Later." },
};
const kernel = new Kernel({ powers: pagePowers(), policy });
const { result, attachment } = await kernel.call({ ...call, attachment: new ArrayBuffer(1) });
console.log(result, attachment?.byteLength, kernel.audit.entries()[0]?.status === "completed");

const memory = createMemoryKernel({ policy });
const { runtime, disconnect } = memory.connect("notes", "tile");
runtime.exposeTool("notes_search", { description: "Search the notes." }, search);
try {
  await memory.kernel.call(call);
} catch (error) {
  if (error instanceof BusError) console.log(error.code === "TIMEOUT", error.retryAfterMs);
}
disconnect();
memory.close();
