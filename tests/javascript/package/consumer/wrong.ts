// Each line that ends in "wrong" must be refused, and no other.
import { ActionSpec, AppError, Dispatcher, attach } from "bascule";
import { nothing } from "bascule"; // wrong
import { connect, startBridge } from "bascule/node";
import "bascule/kernel"; // wrong

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
export { nothing };
