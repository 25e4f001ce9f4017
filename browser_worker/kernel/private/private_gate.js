// @ts-check
/**
 * Whether a private action is accepted from an endpoint now, by its row and nothing else.
 * Contract: bus, private actions.
 */

import { BusError } from "../../contract/bus_error.js";

/** @import { EndpointPlace } from "../../contract/bus_names.js" */
/** @import { PrivateRule } from "./private_actions.js" */
/** @import { SenderActivation } from "./sender_activation.js" */

/**
 * @typedef {object} AppDeclarations What an app's manifest declares beyond its pages.
 * @property {boolean} [tray]
 * @property {readonly string[]} [agent] Tools of its background that an agent's turn begins with.
 * @property {readonly string[]} [connections] Providers.
 * @property {boolean} [wallets]
 * @property {readonly ("background" | "tile")[]} [vetkeys] Which of its endpoints derive keys.
 */

/**
 * @typedef {object} Attention Where the person is, as the trusted page sees it.
 * @property {() => string | null} focusedEndpoint The tile that has the focus.
 * @property {() => { active: boolean, moved: boolean }} activation `active`: a click or a key is fresh.
 *   `moved`: the focus came to where it is while one was, so that it was perhaps meant for another.
 * @property {(endpoint: string) => Promise<void>} [caughtUp] Waits for a moment for the page to be told of a
 *   click in that tile, which can be later here than what the tile has sent in it.
 */

/** @typedef {{ refusal: BusError, click: false } | { refusal: null, click: boolean }} Admission */

/** Nobody has the focus. @type {Attention} */
export const NO_ATTENTION = Object.freeze({
  focusedEndpoint: () => null,
  activation: () => ({ active: false, moved: false }),
});

/**
 * @param {string} action For words only.
 * @param {PrivateRule} rule
 * @param {object} asked
 * @param {string} asked.id The endpoint that asks.
 * @param {EndpointPlace} asked.place
 * @param {AppDeclarations} asked.declares
 * @param {Attention} asked.attention
 * @param {SenderActivation | null} asked.sender Refuses what the rest lets in, and lets in nothing: where the
 *   browser cannot tell, it is null.
 * @returns {Admission} `click`: whether the page still has to ask for a click.
 */
export function admit(action, rule, { id, place, declares, attention, sender }) {
  if (!rule.from.includes(place.kind)) {
    return refused("UNKNOWN_ACTION", `${action} is not for a ${place.kind}`);
  }
  if (rule.declares !== null && !isDeclared(rule, place, declares)) {
    return refused("OWNER_REQUIRED", `the app's manifest does not declare ${rule.declares}`);
  }
  if (rule.focused && attention.focusedEndpoint() !== id) {
    return refused("OWNER_REQUIRED", `${action} is for the tile that the person works in`);
  }
  const { active, moved } = attention.activation();
  if (rule.activation && !active) {
    return refused("OWNER_REQUIRED", `${action} has to come from a click or a key, at once`);
  }
  if (rule.sender !== null && sender !== null && !sender[rule.sender]) {
    const how = rule.sender === "fresh" ? "has to come, at once, from" : "has to follow";
    return refused("OWNER_REQUIRED", `${action} ${how} a click or a key in that tile itself`);
  }
  return { refusal: null, click: rule.click === "always" || (rule.click === "moved" && moved) };
}

/**
 * Whether it is refused only for where the person seems to be: then the page may not have been told yet.
 *
 * @param {string} action
 * @param {PrivateRule} rule
 * @param {Parameters<typeof admit>[2]} asked
 */
export function isPerhapsEarly(action, rule, asked) {
  if (admit(action, rule, asked).refusal === null) return false;
  const attention = {
    focusedEndpoint: () => asked.id,
    activation: () => ({ active: true, moved: false }),
  };
  return admit(action, rule, { ...asked, attention }).refusal === null;
}

/**
 * @param {PrivateRule} rule
 * @param {EndpointPlace} place
 * @param {AppDeclarations} declares
 */
function isDeclared({ declares: what, kindDeclared }, { kind }, declares) {
  const declared = what === null ? true : declares[what];
  if (typeof declared === "boolean" || declared === undefined) return declared === true;
  const named = /** @type {readonly string[]} */ (declared);
  return kindDeclared ? named.includes(kind) : named.length > 0;
}

/**
 * @param {"UNKNOWN_ACTION" | "OWNER_REQUIRED"} code
 * @param {string} why
 * @returns {Admission}
 */
function refused(code, why) {
  return { refusal: new BusError(code, `Not accepted: ${why}. Nothing was done.`), click: false };
}
