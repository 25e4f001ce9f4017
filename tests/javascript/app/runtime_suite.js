// @ts-check
/**
 * What the runtime does for an app, over whatever carries its port: run over ports in memory, over real
 * channels, and in frames. Uses nothing but the language and timers, so that it runs in a page too.
 */

/** @import { AppRuntime } from "../../../browser_worker/app/app_runtime.js" */

/**
 * @typedef {Pick<AppRuntime, "exposeTool" | "removeExposedTool" | "callTool" | "callToolWithAttachment"
 *   | "listApps" | "listEndpoints" | "listTools" | "publishAppStateChange" | "onAppStateChange"
 *   | "followAppState" | "createMsgBusClient">} Bus
 */

/**
 * @typedef {object} Connected
 * @property {Bus} bus
 * @property {string} endpoint What the kernel calls it.
 * @property {() => void | Promise<void>} disconnect
 */

/** @typedef {(app: string, kind: "background" | "tile" | "tray") => Connected | Promise<Connected>} Connect */
/** @typedef {{ name: string, run: () => Promise<void> }} Case */

const BOUND_MS = 20_000;
const SEARCH = {
  title: "Search notes",
  description: "Search the notes.",
  inputSchema: {
    type: "object",
    required: ["query"],
    properties: { query: { type: "string" } },
    additionalProperties: false,
  },
  outputSchema: {
    type: "object",
    required: ["matches"],
    properties: { matches: { type: "array" } },
    additionalProperties: false,
  },
  annotations: { readOnlyHint: true },
};
const ANY = { description: "Takes anything.", inputSchema: { type: "object" } };
const BUFFERS = { ...ANY, annotations: { "bascule:attachments": { api: 1 } } };

/**
 * @param {Connect} connect Connects an endpoint of an app; by its default policy, apps are refused to
 *   each other. The apps `notes` and `board` are installed.
 * @returns {Case[]}
 */
export function runtimeSuite(connect) {
  /** @type {Case[]} */
  const cases = [];

  /**
   * @param {string} name
   * @param {(workspace: { background: Connected, tile: Connected, open: Connect }) => Promise<void>} body
   */
  const test = (name, body) => {
    const run = async () => {
      /** @type {Connected[]} */
      const opened = [];
      /** @type {Connect} */
      const open = async (app, kind) => {
        const one = await connect(app, kind);
        opened.push(one);
        return one;
      };
      try {
        const background = await open("notes", "background");
        const tile = await open("notes", "tile");
        await inTime(body({ background, tile, open }));
      } finally {
        for (const one of opened) await one.disconnect();
      }
    };
    cases.push({ name, run });
  };

  test("a tile calls a tool of its background", async ({ background, tile }) => {
    /** @type {any} */
    let told;
    background.bus.exposeTool("notes_search", SEARCH, ({ query }, context) => {
      told = context.caller;
      return { matches: [query] };
    });
    const call = { target: background.endpoint, name: "notes_search" };
    equal(await tile.bus.callTool({ ...call, arguments: { query: "roadmap" } }), {
      matches: ["roadmap"],
    });
    equal(told, tile.endpoint);
    const client = tile.bus.createMsgBusClient();
    equal(await client.callTool({ ...call, arguments: { query: "a" } }), { matches: ["a"] });
  });

  test("a background calls a tool of a tile, and a tray one of the background", async (all) => {
    const { background, tile, open } = all;
    const tray = await open("notes", "tray");
    tile.bus.exposeTool("scroll", ANY, () => undefined);
    background.bus.exposeTool("count", ANY, async () => 3);
    equal(await background.bus.callTool({ target: tile.endpoint, name: "scroll" }), {});
    equal(await tray.bus.callTool({ target: background.endpoint, name: "count" }), 3);
  });

  test("arguments and results are checked by the tool's schemas", async ({ background, tile }) => {
    let runs = 0;
    background.bus.exposeTool("notes_search", SEARCH, () => {
      runs += 1;
      return { found: 1 };
    });
    const call = { target: background.endpoint, name: "notes_search" };
    const wrong = await failure(tile.bus.callTool({ ...call, arguments: { query: 1 } }));
    equal([wrong.code, runs], ["INVALID_INPUT", 0]);
    equal(wrong.data.errors[0].path, "/query");
    const broken = await failure(tile.bus.callTool({ ...call, arguments: { query: "a" } }));
    equal([broken.code, runs], ["INVALID_OUTPUT", 1]);
  });

  test("tools are listed as they are at that moment", async ({ background, tile }) => {
    equal(await tile.bus.listTools(background.endpoint), []);
    background.bus.exposeTool("notes_search", SEARCH, () => ({ matches: [] }));
    background.bus.exposeTool("other", ANY, () => ({}));
    equal(await tile.bus.listTools(background.endpoint), [
      { name: "notes_search", ...SEARCH },
      { name: "other", ...ANY },
    ]);
    equal(background.bus.removeExposedTool("other"), true);
    equal(background.bus.removeExposedTool("other"), false);
    equal(
      (await tile.bus.listTools(background.endpoint)).map(({ name }) => name),
      ["notes_search"],
    );
    const gone = tile.bus.callTool({ target: background.endpoint, name: "other" });
    equal((await failure(gone)).code, "UNKNOWN_TOOL");
  });

  test("a tool exposed anew is called by its new schema", async ({ background, tile }) => {
    const call = { target: background.endpoint, name: "notes_search", arguments: { query: "a" } };
    background.bus.exposeTool("notes_search", SEARCH, () => ({ matches: [1] }));
    equal(await tile.bus.callTool(call), { matches: [1] });
    background.bus.exposeTool("notes_search", ANY, (given) => given);
    equal(await tile.bus.callTool(call), { query: "a" });
    equal(await tile.bus.callTool({ ...call, arguments: { other: 1 } }), { other: 1 });
  });

  test("progress comes in order and before the result", async ({ background, tile }) => {
    background.bus.exposeTool("notes_import", ANY, async (_given, context) => {
      for (const completed of [1, 2, 3]) context.reportProgress({ completed });
      await Promise.resolve();
      return { imported: 3 };
    });
    /** @type {unknown[]} */
    const told = [];
    const result = await tile.bus.callTool(
      { target: background.endpoint, name: "notes_import" },
      { timeout: 120, onProgress: (value) => told.push(value) },
    );
    equal(told, [{ completed: 1 }, { completed: 2 }, { completed: 3 }]);
    equal(result, { imported: 3 });
  });

  test("a consumer of progress that throws changes nothing", async ({ background, tile }) => {
    background.bus.exposeTool("work", ANY, (_given, context) => {
      context.reportProgress(1);
      context.reportProgress(2);
      return "done";
    });
    let told = 0;
    const silenced = silence();
    try {
      const result = await tile.bus.callTool(
        { target: background.endpoint, name: "work" },
        {
          onProgress: () => {
            told += 1;
            throw new Error("a consumer of its own");
          },
        },
      );
      equal([result, told], ["done", 2]);
    } finally {
      silenced();
    }
  });

  test("what cannot be sent is refused by name and path, at once", async ({ background, tile }) => {
    let runs = 0;
    background.bus.exposeTool("work", ANY, () => void (runs += 1));
    const call = { target: background.endpoint, name: "work" };
    /** @type {any} */
    const cycle = { list: [] };
    cycle.list.push(cycle);
    /** @type {[any, string, RegExp][]} */
    const refused = [
      [{ a: { b: undefined } }, "/a/b", /undefined/],
      [{ at: new Date(0) }, "/at", /Date/],
      [{ bytes: new Uint8Array(2) }, "/bytes", /Uint8Array/],
      [{ n: [0, Infinity] }, "/n/1", /Infinity/],
      [{ f: () => 1 }, "/f", /function/],
      [cycle, "/list/0", /itself/],
    ];
    for (const [given, path, words] of refused) {
      const error = await failure(tile.bus.callTool({ ...call, arguments: given }));
      equal([error.code, error.data.path], ["NOT_JSON", path]);
      if (!words.test(error.message)) throw new Error(`${error.message} does not say ${words}`);
    }
    const large = await failure(
      tile.bus.callTool({ ...call, arguments: { text: "x".repeat(1_048_576) } }),
    );
    equal([large.code, runs], ["TOO_LARGE", 0]);
    equal(await tile.bus.callTool(call), {});
    equal(runs, 1);
  });

  test("reactive proxies go as plain data, both ways", async ({ background, tile }) => {
    /** @param {any} value @returns {any} */
    const reactive = (value) =>
      new Proxy(value, {
        get: (target, key) =>
          typeof target[key] === "object" ? reactive(target[key]) : target[key],
      });
    background.bus.exposeTool("echo", ANY, (given, context) => {
      context.reportProgress(reactive({ list: [given.list.length] }));
      return reactive({ given: { list: given.list } });
    });
    /** @type {unknown[]} */
    const told = [];
    const result = await tile.bus.callTool(
      { target: background.endpoint, name: "echo", arguments: reactive({ list: [1, 2] }) },
      { onProgress: (value) => told.push(value) },
    );
    equal([result, told], [{ given: { list: [1, 2] } }, [{ list: [2] }]]);
  });

  test("a result that cannot be sent is answered with its path", async ({ background, tile }) => {
    background.bus.exposeTool("date", ANY, () => ({ at: new Date(0) }));
    const error = await failure(tile.bus.callTool({ target: background.endpoint, name: "date" }));
    equal([error.code, error.data.path], ["NOT_JSON", "/at"]);
  });

  test("an error of the bus keeps its code, any other tells nothing", async (all) => {
    const { background, tile } = all;
    background.bus.exposeTool("broken", ANY, () => {
      throw new Error("a secret of the app");
    });
    const silenced = silence();
    const error = await failure(tile.bus.callTool({ target: background.endpoint, name: "broken" }));
    silenced();
    equal(error.code, "TOOL_FAILED");
    equal(/secret/.test(error.message), false);
    // What one call failed with is what the other tells of it, as data.
    background.bus.exposeTool("nested", ANY, () =>
      background.bus.callTool({ target: "app:board:background", name: "draw" }),
    );
    const nested = await failure(
      tile.bus.callTool({ target: background.endpoint, name: "nested" }),
    );
    equal([nested.code, nested.data.code], ["TOOL_FAILED", "UNKNOWN_ENDPOINT"]);
  });

  test("another app is refused, with a code", async ({ background, open }) => {
    background.bus.exposeTool("work", ANY, () => 1);
    const other = await open("board", "background");
    const call = { target: background.endpoint, name: "work" };
    equal((await failure(other.bus.callTool(call))).code, "OWNER_REQUIRED");
    equal((await failure(other.bus.listTools(background.endpoint))).code, "OWNER_REQUIRED");
    equal(await background.bus.callTool(call), 1);
  });

  test("apps and endpoints are listed, and only those that are live", async (all) => {
    const { background, tile, open } = all;
    const ids = (await tile.bus.listApps()).map(({ id }) => id);
    equal(ids.includes("notes"), true);
    const tray = await open("notes", "tray");
    const names = async () => (await tile.bus.listEndpoints()).map(({ endpoint }) => endpoint);
    for (const { endpoint } of [background, tile, tray]) {
      equal((await names()).includes(endpoint), true);
    }
    await tray.disconnect();
    equal((await names()).includes(tray.endpoint), false);
  });

  test("a cancelled call tells its handler", async ({ background, tile }) => {
    /** @type {(signal: AbortSignal) => void} */
    let begun = () => {};
    const running = new Promise((/** @type {(signal: AbortSignal) => void} */ resolve) => {
      begun = resolve;
    });
    background.bus.exposeTool("work", ANY, (_given, { signal }) => {
      begun(signal);
      return new Promise(() => {});
    });
    const controller = new AbortController();
    const call = tile.bus.callTool(
      { target: background.endpoint, name: "work" },
      { signal: controller.signal },
    );
    const signal = await running;
    const aborted = new Promise((resolve) => signal.addEventListener("abort", resolve));
    equal(signal.aborted, false);
    controller.abort();
    equal((await failure(call)).code, "CANCELLED");
    await aborted;
    const late = tile.bus.callTool(
      { target: background.endpoint, name: "work" },
      { signal: controller.signal },
    );
    equal((await failure(late)).code, "CANCELLED");
  });

  test("a tool that never answers ends by the call's time-out", async ({ background, tile }) => {
    /** @type {AbortSignal | undefined} */
    let signal;
    background.bus.exposeTool("hang", ANY, (_given, context) => {
      signal = context.signal;
      return new Promise(() => {});
    });
    const call = tile.bus.callTool({ target: background.endpoint, name: "hang" }, { timeout: 1 });
    equal((await failure(call)).code, "TIMEOUT");
    for (const timeout of [0, 0.9, 601, NaN, /** @type {any} */ ("2")]) {
      const wrong = tile.bus.callTool({ target: background.endpoint, name: "hang" }, { timeout });
      equal((await failure(wrong)).code, "INVALID_MESSAGE");
    }
    equal(signal === undefined, false);
  });

  test("a call to an endpoint that goes away fails", async ({ background, tile }) => {
    /** @type {() => void} */
    let begun = () => {};
    const running = new Promise((resolve) => {
      begun = () => resolve(undefined);
    });
    background.bus.exposeTool("hang", ANY, () => {
      begun();
      return new Promise(() => {});
    });
    const call = tile.bus.callTool({ target: background.endpoint, name: "hang" });
    await running;
    await background.disconnect();
    equal((await failure(call)).code, "ENDPOINT_GONE");
    const again = tile.bus.callTool({ target: background.endpoint, name: "hang" });
    equal((await failure(again)).code, "UNKNOWN_ENDPOINT");
  });

  test("the ninth call in flight is refused, and the eight end well", async (all) => {
    const { background, tile } = all;
    /** @type {(() => void)[]} */
    const waiting = [];
    /** @type {() => void} */
    let full = () => {};
    const eight = new Promise((resolve) => {
      full = () => resolve(undefined);
    });
    background.bus.exposeTool("wait", ANY, ({ n }) => {
      const ended = new Promise((resolve) => waiting.push(() => resolve(n)));
      if (waiting.length === 8) full();
      return ended;
    });
    const call = { target: background.endpoint, name: "wait" };
    const calls = [0, 1, 2, 3, 4, 5, 6, 7].map((n) =>
      tile.bus.callTool({ ...call, arguments: { n } }),
    );
    await eight;
    equal((await failure(tile.bus.callTool(call))).code, "TOO_MANY_CALLS");
    for (const end of waiting) end();
    equal(await Promise.all(calls), [0, 1, 2, 3, 4, 5, 6, 7]);
  });

  test("a buffer goes to the tool and another comes back", async ({ background, tile }) => {
    background.bus.exposeTool("invert", BUFFERS, (_given, { attachment, replyAttachment }) => {
      const bytes = new Uint8Array(attachment ?? new ArrayBuffer(0)).map((byte) => 255 - byte);
      replyAttachment(bytes.buffer);
      return { bytes: bytes.length };
    });
    const call = { target: background.endpoint, name: "invert" };
    const sent = new Uint8Array([1, 2, 255]).buffer;
    const { result, attachment } = await tile.bus.callToolWithAttachment({
      ...call,
      attachment: sent,
    });
    equal(result, { bytes: 3 });
    equal([...new Uint8Array(attachment ?? new ArrayBuffer(0))], [254, 253, 0]);
    equal(sent.byteLength, 0);
    // A second try must not send what is gone.
    const retry = await failure(tile.bus.callTool({ ...call, attachment: sent }));
    equal(retry.code, "ATTACHMENT_DETACHED");
  });

  test("a buffer that may not go stays its owner's", async ({ background, tile }) => {
    background.bus.exposeTool("invert", BUFFERS, () => ({}));
    background.bus.exposeTool("plain", ANY, () => ({}));
    const target = background.endpoint;
    const large = new ArrayBuffer(16_777_217);
    const refused = tile.bus.callTool({ target, name: "invert", attachment: large });
    equal([(await failure(refused)).code, large.byteLength], ["ATTACHMENT_TOO_LARGE", 16_777_217]);
    const exact = new ArrayBuffer(16_777_216);
    equal(await tile.bus.callTool({ target, name: "invert", attachment: exact }), {});
    const small = tile.bus.callTool({ target, name: "plain", attachment: new ArrayBuffer(1) });
    equal((await failure(small)).code, "ATTACHMENT_UNSUPPORTED");
    const view = /** @type {any} */ (new Uint8Array(1));
    const typed = tile.bus.callTool({ target, name: "invert", attachment: view });
    equal((await failure(typed)).code, "ATTACHMENT_UNSUPPORTED");
  });

  test("state changes reach the other endpoints of the app, and no other app", async (all) => {
    const { background, tile, open } = all;
    const other = await open("board", "background");
    /** @type {unknown[]} */
    const told = [];
    /** @type {unknown[]} */
    const foreign = [];
    /** @type {unknown[]} */
    const own = [];
    tile.bus.onAppStateChange("notes", (change) => told.push(change));
    other.bus.onAppStateChange("notes", (change) => foreign.push(change));
    background.bus.onAppStateChange("notes", (change) => own.push(change));
    const base = 1000 * ++published;
    for (const revision of [base + 1, base + 2, base + 2]) {
      await background.bus.publishAppStateChange("notes", revision);
    }
    const back = await failure(background.bus.publishAppStateChange("notes", base + 1));
    equal(back.code, "INVALID_INPUT");
    await tile.bus.listEndpoints();
    await other.bus.listEndpoints();
    equal(told, [
      { topic: "notes", revision: base + 1 },
      { topic: "notes", revision: base + 2 },
    ]);
    equal([foreign, own], [[], []]);
  });

  test("a view follows its state", async ({ background, tile }) => {
    const base = 1000 * ++published;
    let state = { revision: base, text: "first" };
    background.bus.exposeTool("read", ANY, () => state);
    /** @type {(text: string) => void} */
    let shown = () => {};
    const show = (/** @type {string} */ wanted) =>
      new Promise((/** @type {(value?: unknown) => void} */ resolve) => {
        shown = (text) => {
          if (text === wanted) resolve();
        };
      });
    const first = show("first");
    const stop = tile.bus.followAppState("view", {
      fetch: () => tile.bus.callTool({ target: background.endpoint, name: "read" }),
      apply: (view) => shown(view.text),
    });
    await first;
    const second = show("second");
    state = { revision: base + 1, text: "second" };
    await background.bus.publishAppStateChange("view", base + 1);
    await second;
    stop();
  });

  return cases;
}

/** Revisions only rise, also where cases share a workspace. */
let published = 0;

/**
 * @param {unknown} actual
 * @param {unknown} expected
 */
function equal(actual, expected) {
  const [got, wanted] = [written(actual), written(expected)];
  if (got !== wanted) throw new Error(`got ${got} instead of ${wanted}`);
}

/** JSON in which the order of members says nothing. @param {unknown} value */
function written(value) {
  return JSON.stringify(value, (_name, member) =>
    member === null || typeof member !== "object" || Array.isArray(member)
      ? member
      : Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1))),
  );
}

/**
 * @param {Promise<unknown>} promise
 * @returns {Promise<any>} What it rejects with.
 */
async function failure(promise) {
  /** @type {unknown} */
  let result;
  try {
    result = await promise;
  } catch (error) {
    return error;
  }
  throw new Error(`it did not fail, but gave ${JSON.stringify(result)}`);
}

/** Keeps what an app reports to its console out of the test's. @returns {() => void} Ends it. */
function silence() {
  const { error } = console;
  console.error = () => {};
  return () => {
    console.error = error;
  };
}

/**
 * @template T
 * @param {Promise<T>} promise
 * @returns {Promise<T>}
 */
async function inTime(promise) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  const late = new Promise((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error("it did not end in time")), BOUND_MS);
  });
  try {
    return /** @type {T} */ (await Promise.race([promise, late]));
  } finally {
    clearTimeout(timer);
  }
}
