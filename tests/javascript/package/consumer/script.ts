import { ActionError, BridgeFailure, DeadlineExceeded, connect, startBridge } from "bascule/node";
import type { CallResult, Outcome } from "bascule/node";

const bridge = await startBridge({ origin: "http://127.0.0.1:8765", channel: false });
const app = connect(bridge, { timeoutMs: 1_000 });
try {
  const { output, revision }: CallResult = await app.call(
    "todo.add",
    { title: "x" },
    { expectedRevision: "latest", signal: AbortSignal.timeout(500) },
  );
  const names: string[] = (await app.actions("todo")).map(({ name }) => name);
  const next: number | bigint | null = revision;
  console.log(output, names, next, (await app.describe("todo.add")).inputSchema);
} catch (error) {
  if (error instanceof ActionError) console.log(error.code, error.number, error.data["code"]);
  else if (error instanceof DeadlineExceeded || error instanceof BridgeFailure) {
    const outcome: Outcome = error.outcome;
    console.log(outcome === "unknown" ? "inspect the state first" : "nothing was done");
  } else throw error;
} finally {
  await app.close();
  await bridge.close();
}
