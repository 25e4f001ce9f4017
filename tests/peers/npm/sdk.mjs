// @ts-check
/** The older official client, of `@modelcontextprotocol/sdk`, as a program. It has one mode. */
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

import { serveCommands } from "./commands.mjs";

/** @import { SetUp } from "./commands.mjs" */

/** @param {SetUp} setUp */
async function connect(setUp) {
  const client = new Client({ name: "tests of Bascule", version: "1" });
  let protocolVersion = "";
  /** @type {import("@modelcontextprotocol/sdk/shared/transport.js").Transport} */
  const carrier = transport(setUp);
  // It tells its transport which revision was agreed on, and nobody else.
  const tell = carrier.setProtocolVersion?.bind(carrier);
  carrier.setProtocolVersion = (version) => {
    protocolVersion = version;
    tell?.(version);
  };
  await client.connect(carrier);
  return {
    client: {
      listTools: () => client.listTools(),
      callTool: (/** @type {any} */ params, /** @type {object} */ options) =>
        client.callTool(params, undefined, options),
      listResources: () => client.listResources(),
      listResourceTemplates: () => client.listResourceTemplates(),
      readResource: (/** @type {{ uri: string }} */ params) => client.readResource(params),
      ping: () => client.ping(),
    },
    told: {
      protocolVersion,
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
