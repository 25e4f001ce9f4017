// @ts-check
/**
 * The kernel's tool by which apps navigate, and the only one: it opens a tile of the caller's own app while
 * something of it is on the screen, or with the owner's yes one of any app. Contract: bus, kernel tools.
 */

import { BusError } from "../../contract/bus_error.js";
import { appFact, between, callerFacts, whoIs } from "../grants/call_prompt.js";
import { requireYesFor } from "../consent/ask_for.js";
import { seen } from "../well_formed.js";

/** @import { CallSource } from "../calls/broker.js" */
/** @import { Consent, Prompt } from "../consent/consent_queue.js" */
/** @import { Invocations, Root } from "../calls/invocations.js" */
/** @import { AppSummary } from "../kernel.js" */
/** @import { KernelPowers } from "../kernel_powers.js" */
/** @import { KernelTools } from "./kernel_tools.js" */

/** @typedef {{ id: string, title: string }} TileSummary */

/**
 * @typedef {object} OpenTileParts
 * @property {Consent} consent
 * @property {() => readonly AppSummary[]} apps
 * @property {Pick<Invocations, "via">} invocations
 * @property {(app: string) => readonly TileSummary[]} tilesOf None for an app that is not installed.
 * @property {(app: string) => boolean} isShown Whether a tile or the popover of the app is on the bus: one that
 *   the person has closed does not come back of itself.
 * @property {(app: string, tile: string) => Promise<string>} openTile Gives the endpoint. May reject with a
 *   `BusError`.
 * @property {Pick<KernelPowers, "now">} powers
 */

/** A screen that changes more often is nobody's to work at. */
const MAX_OPENED = 4;
const WINDOW_MS = 10_000;
const NAME = { type: "string", maxLength: 40 };

/**
 * @param {KernelTools} tools
 * @param {OpenTileParts} parts
 */
export function addOpenTileTool(tools, parts) {
  const pace = new Pace(parts.powers.now);
  tools.add("workspace.open_tile", {
    description: {
      title: "Open a tile",
      description:
        "Opens a tile of an app, or shows it where it is open, and gives its endpoint. Of another app than the caller's own the owner is asked first, and of the own one where nothing of it is shown.",
      inputSchema: {
        type: "object",
        properties: {
          app: NAME,
          tile: { ...NAME, description: "The app's first one by default." },
        },
        required: ["app"],
        additionalProperties: false,
      },
      outputSchema: {
        type: "object",
        properties: { endpoint: { type: "string" } },
        required: ["endpoint"],
        additionalProperties: false,
      },
      annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: false },
    },
    asksOwner: true,
    run: async (/** @type {{ app: string, tile?: string }} */ input, source, signal) => {
      const tiles = parts.tilesOf(input.app);
      const tile = tiles.find(({ id }) => input.tile === undefined || id === input.tile);
      if (tile === undefined) {
        const text = "No such app or tile is installed; nothing was opened.";
        throw new BusError("UNKNOWN_ENDPOINT", text);
      }
      const { root } = source;
      pace.require(root?.subject ?? source.id);
      const own = root?.kind === "app" && root.app === input.app && source.app === input.app;
      if (root !== null && !(own && parts.isShown(input.app))) {
        const prompt = promptFor(input.app, tile, root, source, parts);
        await requireYesFor(parts.consent, root, prompt, signal, `open ${input.app}`);
      }
      return { endpoint: await parts.openTile(input.app, tile.id) };
    },
  });
}

/**
 * @param {string} app
 * @param {TileSummary} tile
 * @param {Root} root
 * @param {CallSource} source
 * @param {OpenTileParts} parts
 * @returns {Prompt}
 */
function promptFor(app, tile, root, { id, app: caller, invocation }, { apps, invocations }) {
  return {
    subject: root.subject,
    title: `Let ${whoIs(root, between(root, caller))} open a tile of ${app}?`,
    facts: [
      ...callerFacts({ root, caller: id, via: invocations.via(invocation) }, apps()),
      appFact("App", app, apps()),
      { label: "Tile", value: `${tile.id}, which the app calls “${seen(tile.title, 80)}”` },
    ],
    choices: [{ id: "once", label: "Only this time" }],
    confirm: "Open it",
  };
}

/** How often each may have something opened. */
class Pace {
  /** @param {() => number} now */
  constructor(now) {
    this._now = now;
    /** When each did, by subject. @type {Map<string, number[]>} */
    this._opened = new Map();
  }

  /**
   * @param {string} subject
   * @throws {BusError} `UI_BUSY`
   */
  require(subject) {
    const now = this._now();
    for (const [each, times] of this._opened) {
      const fresh = times.filter((time) => time > now - WINDOW_MS);
      if (fresh.length === 0) this._opened.delete(each);
      else this._opened.set(each, fresh);
    }
    const times = this._opened.get(subject) ?? [];
    const [first] = times;
    if (first !== undefined && times.length >= MAX_OPENED) {
      const text = `${MAX_OPENED} tiles were asked for in your name just now; this one was not opened. Try again later.`;
      throw new BusError("UI_BUSY", text, { retryAfterMs: Math.ceil(first + WINDOW_MS - now) });
    }
    this._opened.set(subject, [...times, now]);
  }
}
