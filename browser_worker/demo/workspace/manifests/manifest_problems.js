// @ts-check
/** What is wrong with a manifest, in words for who wrote it: which member, and what it has to be. */

import { shownName } from "../../../link/panel/shown_name.js";

/** @import { SchemaProblem } from "../../../contract/schema.js" */

const PAGE =
  "must be a page in the app’s own folder, such as tile.html or parts/tile.html: small letters, digits, _ and - only";

const NAME =
  "must have small letters, digits, _ and - only, begin with a letter or a digit, and be no longer than 40";

/** What the pattern of a member says. @type {Readonly<Record<string, string>>} */
const FORMS = {
  id: NAME,
  connections: NAME,
  page: PAGE,
  background: PAGE,
  icon: "must be the path data of an outline, such as M4 4h12v12H4z",
};

/** @type {Readonly<Record<string, string>>} */
const TYPES = {
  "must be string": "must be text",
  "must be array": "must be a list",
  "must be object": "must be an object, in { }",
};

const MAX_NAME = 60;

/**
 * @param {SchemaProblem} problem
 * @returns {string} Without a full stop.
 */
export function problemWords({ path, message }) {
  const names = path.split("/").slice(1);
  const last = names.findLast((name) => !/^\d+$/.test(name)) ?? "";
  const isForm = message.startsWith("must match the pattern");
  const form = isForm && Object.hasOwn(FORMS, last) ? FORMS[last] : undefined;
  return `${whereOf(names)} ${form ?? TYPES[message] ?? message}`;
}

/** @param {readonly string[]} names */
function whereOf(names) {
  const [first = "", second = "", third = ""] = names.map((name) => shownName(name, MAX_NAME));
  if (first === "") return "its manifest";
  if (first === "tiles" && second !== "") {
    const tile = `its tile ${Number(second) + 1}`;
    return third === "" ? tile : `the member ${third} of ${tile}`;
  }
  return second === "" ? `its member ${first}` : `the member ${second} of its ${first}`;
}
