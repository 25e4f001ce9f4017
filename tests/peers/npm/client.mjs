// @ts-check
/** The official client `@modelcontextprotocol/client` as a program; its mode is told in the set-up. */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

import { serveCommands } from "./commands.mjs";

/** @import { SetUp } from "./commands.mjs" */

/** @param {SetUp} setUp */
async function connect(setUp) {
  const mode = setUp.mode === "legacy" || setUp.mode === "auto" ? setUp.mode : { pin: setUp.mode };
  const client = new Client(
    { name: "tests of Bascule", version: "1" },
    { versionNegotiation: { mode } },
  );
  await client.connect(transport(setUp));
  return {
    client,
    told: {
      protocolVersion: client.getNegotiatedProtocolVersion(),
      serverInfo: client.getServerVersion(),
      instructions: client.getInstructions(),
      capabilities: client.getServerCapabilities(),
    },
    close: () => client.close(),
  };
}

/** @param {SetUp} setUp */
function transport({ url, command: [command = "", ...args] = [], env = {}, cwd = "." }) {
  if (url !== undefined) return new StreamableHTTPClientTransport(new URL(url));
  return new StdioClientTransport({ command, args, env, cwd });
}

await serveCommands(connect);
