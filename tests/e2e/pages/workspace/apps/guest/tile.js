// @ts-check
/** A test's app, with a button for each thing that an owner is asked about. It tells how each went. */

import {
  callTool,
  clipboard,
  ethereumProvider,
  listEndpoints,
  listTools,
} from "../../../../app/index.js";

const NOTES = "app:notes:background";
const buttons = /** @type {HTMLElement} */ (document.getElementById("buttons"));
const told = /** @type {HTMLElement} */ (document.getElementById("told"));

/** The session with a wallet that was begun last. */
let session = "";

/** @type {Record<string, () => Promise<unknown>>} */
const DEEDS = {
  "Search the notes": () =>
    callTool({ target: NOTES, name: "notes_search", arguments: { query: "road" } }),
  "List tools of the notes": () => listTools(NOTES),
  "Wait for the other": async () => {
    const endpoints = await listEndpoints();
    const other = endpoints.find(({ app, kind }) => app === "other" && kind === "tile");
    return callTool({ target: other?.endpoint ?? "", name: "other_wait", arguments: {} });
  },
  Copy: () => clipboard.writeText("Copied from the guest"),
  Badge: () =>
    callTool({ target: "app:guest:background", name: "guest_badge", arguments: { badge: 7 } }),
  "No badge": () =>
    callTool({ target: "app:guest:background", name: "guest_badge", arguments: { badge: null } }),
  Connect: () => callTool({ target: "app:guest:background", name: "guest_connect", arguments: {} }),
  "Use the credential": () =>
    callTool({ target: "app:guest:background", name: "guest_credential", arguments: {} }),
  "Connect a wallet": async () => {
    const { wallets } = /** @type {any} */ (await ethereumProvider.discover());
    const connected = await ethereumProvider.connect({ wallet: wallets[0].wallet });
    ({ session } = /** @type {any} */ (connected));
  },
  "Ask the wallet": () => ethereumProvider.request({ session, method: "eth_chainId" }),
  Offer: () =>
    callTool({
      target: "kernel",
      name: "apps.install_offer",
      arguments: { url: "https://apps.example/one/manifest.json" },
    }),
  "Open the notes": () =>
    callTool({ target: "kernel", name: "workspace.open_tile", arguments: { app: "notes" } }),
  "Keep a method": () =>
    callTool({
      target: "kernel",
      name: "backend_calls.request",
      arguments: { op: "reserve", app: "notes", method: "list" },
    }),
  "Own calls": () => callTool({ target: "kernel", name: "audit.list", arguments: {} }),
};

for (const [name, deed] of Object.entries(DEEDS)) {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = name;
  button.addEventListener("click", () => {
    told.textContent = "asked";
    deed().then(
      (value) => {
        told.textContent = `done ${JSON.stringify(value ?? null).slice(0, 4_000)}`;
      },
      (error) => {
        told.textContent = `${error.code}: ${error.message}`;
      },
    );
  });
  buttons.append(button);
}
