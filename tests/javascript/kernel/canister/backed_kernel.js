// @ts-check
/** A kernel with apps of which one has a backend: what reaches it, the test sees. */

import { addCanisters } from "../../../../browser_worker/kernel/canister/add_canisters.js";
import {
  LocalCanister,
  withAttachment,
} from "../../../../browser_worker/kernel/canister/local_canister.js";
import { makeOwnedKernel } from "../../support/owned_kernel.js";

export const CANDID = `
  type Entry = record { key : text; value : nat64; by : opt principal };
  service : {
    get : (key : text) -> (opt Entry) query;
    put : (Entry) -> (variant { ok : nat64; full });
    wrong : () -> (nat8) query;
    breaks : () -> ();
    hangs : () -> ();
    picture : (key : text) -> (nat32);
  }`;

/** A store that a test looks into. @param {string | null} [text] */
export function memoryStore(text = null) {
  const store = {
    text,
    fails: false,
    /** Told of what another page has saved. @type {(() => void)[]} */
    watching: [],
    load: () => store.text,
    save: (/** @type {string} */ saved) => {
      if (store.fails) throw new Error("the disk is full");
      store.text = saved;
    },
    watch: (/** @type {() => void} */ observer) => void store.watching.push(observer),
  };
  return store;
}

/** @param {{ store?: ReturnType<typeof memoryStore>, preapproved?: readonly string[] }} [options] */
export function backedKernel({
  store = memoryStore(),
  preapproved = ["get", "put", "wrong", "breaks", "hangs", "picture"],
} = {}) {
  let approved = preapproved;
  const made = makeOwnedKernel();
  const { kernel, consent, powers } = made;
  const { installed, grants: backendGrants } = addCanisters(kernel, { consent, store, powers });
  /** @type {Map<string, any>} */
  const entries = new Map();
  /** What reached the backend. @type {{ method: string, args: any[] }[]} */
  const reached = [];
  /** @type {AbortSignal[]} */
  const signals = [];
  /** @param {string} method @param {(args: any[], call: any) => unknown} run */
  const noted = (method, run) => (/** @type {any[]} */ args, /** @type {any} */ call) => {
    reached.push({ method, args });
    signals.push(call.signal);
    return run(args, call);
  };
  const backend = new LocalCanister({
    candid: CANDID,
    methods: {
      get: noted("get", ([key]) => (entries.has(key) ? [entries.get(key)] : [])),
      put: noted("put", ([entry]) => {
        if (entries.size >= 3) return { full: null };
        entries.set(entry.key, entry);
        return { ok: BigInt(entries.size) };
      }),
      wrong: noted("wrong", () => 256),
      breaks: noted("breaks", () => {
        throw new Error("a secret of the backend");
      }),
      hangs: noted("hangs", () => new Promise(() => {})),
      picture: noted("picture", (_args, { attachment }) => {
        const bytes = new Uint8Array(attachment);
        return withAttachment(bytes.length, Uint8Array.from(bytes).reverse().buffer);
      }),
    },
    attachments: { picture: { input: true, required: true, output: true } },
  });
  installed.install("notes", backend, { preapproved: () => approved });
  const notes = made.connect("notes");
  const board = made.connect("board");
  const { ports } = made;
  /**
   * Calls a tool of the kernel and settles.
   *
   * @param {{ app: import("../../support/raw_app.js").RawApp }} from
   * @param {string} tool
   * @param {any} [given]
   * @param {any} [more]
   */
  const ask = async (from, tool, given = {}, more = {}) => {
    const id = from.app.call("kernel", tool, given, more);
    await ports.settle();
    return () => from.app.response(id);
  };
  /**
   * Calls the app's own backend and settles.
   *
   * @param {{ app: import("../../support/raw_app.js").RawApp }} from
   * @param {"query" | "update"} kind
   * @param {any} payload
   * @param {ArrayBuffer} [attachment]
   */
  const self = async (from, kind, payload, attachment = undefined) => {
    const id = from.app.ask(`canister.${kind}_self`, payload, attachment);
    await ports.settle();
    return () => from.app.response(id);
  };
  /** Gives an app another version. @param {string} app @param {string} version */
  const change = (app, version) => {
    const summary = made.summaries.find(({ id }) => id === app);
    if (summary !== undefined) summary.version = version;
  };
  return {
    ...made,
    installed,
    backend,
    backendGrants,
    store,
    reached,
    signals,
    notes,
    board,
    ask,
    self,
    change,
    /** What the app's manifest declares from now on. @param {readonly string[]} methods */
    approve: (methods) => void (approved = methods),
  };
}

export const ENTRY = Object.freeze({ key: "a", value: "18446744073709551615", by: null });
