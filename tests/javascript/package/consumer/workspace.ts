import { BusError, callTool, createMsgBusClient, exposeTool, followAppState } from "bascule/app";
import type { ToolContext, ToolHandler } from "bascule/app";
import { callTool as callFromBundle } from "bascule/app/bundle";
import {
  ActivationWatch,
  ConsentQueue,
  Grants,
  Kernel,
  LocalCanister,
  OwnerPolicy,
  WebCryptoKeys,
  addAgent,
  addAuditTools,
  addCanisters,
  addClipboardAction,
  addConnectionActions,
  addInstallOffer,
  addOpenTileTool,
  addPermissionTools,
  addTrayActions,
  addVetkeyActions,
  addWalletActions,
  enteredCredentials,
  pageAttention,
  pagePowers,
  pageWalletEvents,
  storedKeys,
} from "bascule/kernel";
import type { AppSummary, Decision, Question, RoutingPolicy } from "bascule/kernel";
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

// A page whose owner is asked, as the demo's workspace is.
const powers = pagePowers();
const apps = (): readonly AppSummary[] => [
  { id: "notes", name: "Notes", version: "1", declares: { tray: true, vetkeys: ["tile"] } },
];
const consent = new ConsentQueue(powers);
const grants = new Grants(powers, apps);
const frames = () => null;
const attention = new ActivationWatch({ view: pageAttention(window), frames, powers });
const asking = new OwnerPolicy({ grants, consent, apps });
const owned = new Kernel({ powers, apps, attention, policy: asking });
owned.addKeeper(grants);
const { tools, invocations } = owned;
const { turns } = addAgent(owned, { powers, consent, attention });
const { installed } = addCanisters(owned, {
  powers,
  consent,
  store: { load: () => null, save: () => {} },
});
installed.install("notes", new LocalCanister({ candid: "service : {}", methods: {} }));
addPermissionTools(tools, { policy: asking, apps, invocations });
addAuditTools(tools, owned.audit);
const { origin } = location;
addInstallOffer(tools, { consent, apps, invocations, origin, onOffer: () => {} });
const openTile = async () => "app:notes:tile:main:instance:1";
addOpenTileTool(tools, {
  ...{ consent, apps, invocations, powers, openTile },
  tilesOf: () => [],
  isShown: () => true,
});
addTrayActions(owned, { powers, onBadge: () => {}, onDismiss: () => {} });
addClipboardAction(owned, { consent, attention, writeText: async () => {} });
addConnectionActions(owned, { powers, consent, providers: enteredCredentials() });
addWalletActions(owned, { powers, consent, events: pageWalletEvents(window) });
const keys = new WebCryptoKeys({
  subtle: crypto.subtle,
  fillRandom: (bytes) => crypto.getRandomValues(bytes),
  store: storedKeys(indexedDB),
  wallNow: powers.wallNow,
});
addVetkeyActions(owned, { keys });
console.log(turns.all().length, consent.current?.prompt.title);

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
