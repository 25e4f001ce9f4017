// @ts-check
/**
 * A set-up and commands in, outcomes out, in lines: what both official npm clients have in common.
 *
 * One line holds commands that are in flight together, and is answered with one line. The same
 * words as the program of the Python client takes, so that one conversation judges all.
 */
import { createInterface } from "node:readline";

/**
 * @typedef {object} SetUp
 * @property {string} [url] where it is reached over HTTP
 * @property {string[]} [command] or else the program
 * @property {Record<string, string>} [env]
 * @property {string} [cwd]
 * @property {string} mode
 */

/**
 * @typedef {object} Command
 * @property {string} do
 * @property {string} [name]
 * @property {object} [arguments]
 * @property {string} [uri]
 * @property {boolean} [progress] take progress
 * @property {boolean} [giveUp] cancel the call at its first progress
 */

/** @typedef {{ signal?: AbortSignal, onprogress?: (progress: object) => void }} CallOptions */

/**
 * @typedef {object} OfficialClient
 * @property {() => Promise<unknown>} listTools
 * @property {(params: any, options: CallOptions) => Promise<unknown>} callTool
 * @property {() => Promise<unknown>} listResources
 * @property {() => Promise<unknown>} listResourceTemplates
 * @property {(params: { uri: string }) => Promise<unknown>} readResource
 * @property {() => Promise<unknown>} ping
 */

/** @typedef {{ client: OfficialClient, told: object, close: () => Promise<unknown> }} Connected */

/**
 * Connects, says how, and obeys until the input ends.
 *
 * @param {(setUp: SetUp) => Promise<Connected>} connect
 */
export async function serveCommands(connect) {
  /** @type {Connected | undefined} */
  let connected;
  for await (const line of createInterface({ input: process.stdin })) {
    const given = JSON.parse(line);
    if (connected === undefined) {
      connected = await connect(given);
      write({ ready: connected.told });
      continue;
    }
    const { client } = connected;
    write(await Promise.all(given.map((/** @type {Command} */ command) => run(client, command))));
  }
  await connected?.close();
}

/** @param {unknown} value */
function write(value) {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

/**
 * @param {OfficialClient} client
 * @param {Command} command
 */
async function run(client, command) {
  /** @type {object[]} */
  const progress = [];
  const giveUp = new AbortController();
  /** @type {CallOptions} */
  const options = {};
  if (command.progress || command.giveUp) {
    options.signal = giveUp.signal;
    options.onprogress = (told) => {
      progress.push(told);
      if (command.giveUp) giveUp.abort();
    };
  }
  try {
    return { result: await begin(client, command, options), progress };
  } catch (error) {
    if (giveUp.signal.aborted) return { cancelled: true, progress };
    const { code, message, data } = /** @type {any} */ (error);
    // The SDK puts "MCP error N: " before what the server said.
    const said = String(message).replace(/^MCP error -?\d+: /, "");
    return typeof code === "number"
      ? { error: { code, message: said, data } }
      : { failure: `${error}` };
  }
}

/**
 * @param {OfficialClient} client
 * @param {Command} command
 * @param {CallOptions} options
 */
function begin(client, command, options) {
  switch (command.do) {
    case "listTools":
      return client.listTools();
    case "callTool":
      return client.callTool({ name: command.name, arguments: command.arguments }, options);
    case "listResources":
      return client.listResources();
    case "listTemplates":
      return client.listResourceTemplates();
    case "readResource":
      return client.readResource({ uri: command.uri ?? "" });
    case "ping":
      return client.ping();
    default:
      throw new TypeError(command.do);
  }
}
