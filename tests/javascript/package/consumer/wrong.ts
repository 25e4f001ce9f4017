// Each line that ends in "wrong" must be refused, and no other.
import { ActionSpec, AppError, Dispatcher, attach } from "bascule";
import { nothing } from "bascule"; // wrong
import { connect, startBridge } from "bascule/node";
import { exposeTool } from "bascule/app";
import { OWNER_ONLY } from "bascule/kernel";
import type { RoutingPolicy } from "bascule/kernel";
import "bascule/kernel/kernel.js"; // wrong

ActionSpec.write("a"); // wrong
new AppError("NO_SUCH_CODE", "text"); // wrong
new Dispatcher({ actions: () => [], revision: () => 1 }, { app: { name: "a", version: "1" } }); // wrong
attach({ url: "http://127.0.0.1:1", token: "t" }); // wrong
const app = connect({ url: "http://127.0.0.1:1" }); // wrong
app.call("a", {}, { expectedRevision: "newest" }); // wrong
app.call("a", {}, { timeout: 1 }); // wrong
const bridge = await startBridge({ page: "http://127.0.0.1/" }); // wrong
bridge.token = "x"; // wrong
export const text: string = await app.call("a"); // wrong
exposeTool("a", { title: "No description" }, () => 1); // wrong
exposeTool("a", { description: "A." }, (_given, context) => context.caller.nobody); // wrong
OWNER_ONLY.decide({ caller: "kernel", target: "app:a:background" }); // wrong
export const policy: RoutingPolicy = { decide: () => ({ allow: false, code: "NO", message: "" }) }; // wrong
export { nothing };
