// @ts-check
/**
 * The official client of `@modelcontextprotocol/sdk`, which knows the legacy revisions only, as a
 * program: as it is now (mode "legacy"), or as it was when 2025-06-18 was the newest (that mode).
 */
import { serveCommands } from "./commands.mjs";

/** @import { SetUp } from "./commands.mjs" */

/** @typedef {import("@modelcontextprotocol/sdk/shared/transport.js").Transport} Transport */

/** @param {SetUp} setUp */
async function connect(setUp) {
  const sdk = setUp.mode === "legacy" ? "@modelcontextprotocol/sdk" : `sdk-of-${setUp.mode}`;
  const { Client } = await import(`${sdk}/client/index.js`);
  const client = new Client({ name: "tests of Bascule", version: "1" });
  let protocolVersion = "";
  const carrier = await transport(sdk, setUp);
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

/**
 * @param {string} sdk
 * @param {SetUp} setUp
 * @returns {Promise<Transport>}
 */
async function transport(sdk, { url, command: [command = "", ...args] = [], env = {}, cwd = "." }) {
  if (url !== undefined) {
    const { StreamableHTTPClientTransport } = await import(`${sdk}/client/streamableHttp.js`);
    return new StreamableHTTPClientTransport(new URL(url));
  }
  const { StdioClientTransport } = await import(`${sdk}/client/stdio.js`);
  return new StdioClientTransport({ command, args, env, cwd });
}

await serveCommands(connect);
