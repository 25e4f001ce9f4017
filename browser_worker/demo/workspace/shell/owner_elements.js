// @ts-check
/** The page's own elements in which the owner is asked, and sees who may do what. */

import { button, dialog, element } from "../../page/elements.js";

/** @import { ConsentElements } from "../view/consent_view.js" */
/** @import { GrantsElements } from "../view/grants_view.js" */

/** @returns {ConsentElements} */
export function consentElements() {
  return {
    dialog: dialog("consent"),
    title: element("consent-title", HTMLElement),
    body: element("consent-body", HTMLElement),
    left: element("consent-left", HTMLElement),
    waiting: element("consent-waiting", HTMLElement),
    stop: button("consent-stop"),
    deny: button("consent-deny"),
    allow: button("consent-allow"),
  };
}

/** @returns {GrantsElements} */
export function grantsElements() {
  return {
    list: element("grant-list", HTMLElement),
    none: element("no-grants", HTMLElement),
    all: button("revoke-all"),
    heading: element("grants-title", HTMLElement),
  };
}
