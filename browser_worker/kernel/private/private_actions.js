// @ts-check
/**
 * What an app may ask of the trusted page beside tools, and from where: one row for each action, and the
 * only place that says so. They are no tools: nobody discovers, routes or lists them.
 * Contract: bus, private actions.
 */

/** @import { EndpointKind } from "../../contract/bus_names.js" */

/**
 * @typedef {object} PrivateRule
 * @property {readonly EndpointKind[]} from The kinds of endpoint that it is accepted from.
 * @property {"tray" | "agent" | "connections" | "wallets" | "vetkeys" | null} declares What the app's
 *   manifest has to declare.
 * @property {boolean} kindDeclared Whether the declaration has to name this kind of endpoint.
 * @property {boolean} focused Only from the tile that has the focus.
 * @property {boolean} activation Only while a click or a key of the person's is fresh.
 * @property {"fresh" | "ever" | null} sender How the asking frame itself has to have been clicked, where the
 *   browser tells: a click elsewhere is fresh for the page, too. `ever` for what follows a yes of the
 *   owner's in the page, for which they take as long as they like.
 * @property {"never" | "moved" | "always"} click Whether the page itself asks for a click: always, or
 *   where the focus moved while an activation was running, so that the click was perhaps another's.
 */

/** @type {readonly EndpointKind[]} */
const ANY = Object.freeze(["background", "tile", "tray"]);
/** @type {readonly EndpointKind[]} */
const BACKGROUND = Object.freeze(["background"]);
/** @type {readonly EndpointKind[]} */
const TILE = Object.freeze(["tile"]);
/** @type {readonly EndpointKind[]} */
const TRAY = Object.freeze(["tray"]);
/** @type {readonly EndpointKind[]} */
const NO_TRAY = Object.freeze(["background", "tile"]);

/**
 * @param {readonly EndpointKind[]} from
 * @param {PrivateRule["declares"]} declares
 * @param {Partial<PrivateRule>} [more]
 * @returns {PrivateRule}
 */
function row(from, declares, more = {}) {
  const { kindDeclared = false, focused = false, activation = false, click = "never" } = more;
  const { sender = activation ? "fresh" : null } = more;
  return Object.freeze({ from, declares, kindDeclared, focused, activation, sender, click });
}

// What only reads, or ends a session, is let through by the click that the session began with.
const CLICKED = Object.freeze({ focused: true, activation: true, click: "always" });
const WALLET = row(TILE, "wallets", { ...CLICKED, sender: "ever" });
const CONNECTION = row(BACKGROUND, "connections");
const KEY_LIFECYCLE = row(TILE, "vetkeys", { focused: true });

/** @type {Readonly<Record<string, PrivateRule>>} */
export const PRIVATE_ACTIONS = Object.freeze({
  "tray.set_state": row(BACKGROUND, "tray"),
  "tray.dismiss": row(TRAY, "tray"),
  "clipboard.write_text": row(TILE, null, { focused: true, activation: true, click: "moved" }),
  "connections.list": CONNECTION,
  "connections.request": CONNECTION,
  "connections.credential": CONNECTION,
  "connections.disconnect": CONNECTION,
  "ethereum_provider.discover": row(TILE, "wallets", CLICKED),
  "ethereum_provider.connect": WALLET,
  "ethereum_provider.request": WALLET,
  "ethereum_provider.disconnect": WALLET,
  "vetkeys.list": KEY_LIFECYCLE,
  "vetkeys.create": KEY_LIFECYCLE,
  "vetkeys.remove": KEY_LIFECYCLE,
  "vetkeys.derive": row(NO_TRAY, "vetkeys", { kindDeclared: true }),
  "agent.mode.request": row(TILE, "agent", CLICKED),
  "agent.mode.status": row(ANY, null),
  "agent.mode.disable": row(ANY, null),
});

/** @param {string} action */
export function isPrivateAction(action) {
  return Object.hasOwn(PRIVATE_ACTIONS, action);
}
