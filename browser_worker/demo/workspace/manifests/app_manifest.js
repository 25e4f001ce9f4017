// @ts-check
/**
 * What an app says of itself: its name, its icon, and which of its pages are tiles, tray and
 * background. Data, never code, and checked before it is believed. Its tools it tells live, by the bus.
 */

import { isAppId } from "../../../contract/bus_names.js";
import { compile } from "../../../contract/schema.js";
import { shownName } from "../../../link/panel/shown_name.js";
import { DECLARATION_SCHEMAS, declarationProblem, readDeclarations } from "./app_declarations.js";
import { problemWords } from "./manifest_problems.js";

/** @import { AppDeclarations } from "./app_declarations.js" */

/**
 * @typedef {object} TileManifest
 * @property {string} id Unique within the app.
 * @property {string} title
 * @property {string} url
 */

/**
 * @typedef {object} AppManifest
 * @property {string} id
 * @property {string} name
 * @property {string} version
 * @property {string} description
 * @property {string} icon Path data of an outline in a box of 20 by 20.
 * @property {string | null} background The address of its background page.
 * @property {readonly [TileManifest, ...TileManifest[]]} tiles The first is what opening the app opens.
 * @property {{ title: string, url: string } | null} tray
 * @property {AppDeclarations} declares What it may ask for.
 */

const NAME = { type: "string", pattern: "^[a-z0-9][a-z0-9_-]{0,39}$" };
const MAX_TITLE = 60;
const MAX_DESCRIPTION = 300;
const TITLE = { type: "string", minLength: 1, maxLength: MAX_TITLE };
/** A page within the app's own folder: no scheme, no way out, and no second dot to hide one. */
const PAGE = {
  type: "string",
  maxLength: 200,
  pattern: "^[a-z0-9_-]+(?:/[a-z0-9_-]+)*\\.html(?:\\?[a-z0-9_=&-]*)?$",
};

/** A manifest as an app writes it, in `manifest.json`. */
export const MANIFEST_SCHEMA = Object.freeze({
  type: "object",
  properties: {
    id: NAME,
    name: TITLE,
    version: { type: "string", minLength: 1, maxLength: 40 },
    description: { type: "string", maxLength: MAX_DESCRIPTION },
    icon: { type: "string", maxLength: 2000, pattern: "^[MmLlHhVvCcSsQqTtAaZz0-9 ,.-]+$" },
    background: PAGE,
    tiles: {
      type: "array",
      minItems: 1,
      maxItems: 8,
      items: {
        type: "object",
        properties: { id: NAME, title: TITLE, page: PAGE },
        required: ["id", "title", "page"],
        additionalProperties: false,
      },
    },
    tray: {
      type: "object",
      properties: { title: TITLE, page: PAGE },
      required: ["title", "page"],
      additionalProperties: false,
    },
    ...DECLARATION_SCHEMAS,
  },
  required: ["id", "name", "version", "icon", "tiles"],
  additionalProperties: false,
});

const manifest = compile(MANIFEST_SCHEMA);

/** An app cannot be installed; the message says why. */
export class ManifestError extends Error {
  /** @param {string} message */
  constructor(message) {
    super(message);
    this.name = "ManifestError";
  }
}

/**
 * Reads a manifest.
 *
 * @param {any} value Parsed JSON.
 * @param {string} id What the app is installed as; it cannot take another's name.
 * @param {string} folder The address that its pages are relative to, with a slash at its end.
 * @returns {AppManifest}
 * @throws {ManifestError}
 */
export function readManifest(value, id, folder) {
  const [problem] = manifest.errors(value);
  if (problem !== undefined) {
    throw new ManifestError(problemWords(problem));
  }
  if (!isAppId(id) || value.id !== id) {
    throw new ManifestError(`it is installed as ${id}, and calls itself ${value.id}`);
  }
  /** @type {[TileManifest, ...TileManifest[]]} */
  const tiles = value.tiles.map(
    (/** @type {{ id: string, title: string, page: string }} */ tile) => ({
      id: tile.id,
      title: shownName(tile.title, MAX_TITLE),
      url: new URL(tile.page, folder).href,
    }),
  );
  if (
    new Set(value.tiles.map((/** @type {{ id: string }} */ tile) => tile.id)).size < tiles.length
  ) {
    throw new ManifestError("two of its tiles have the same id");
  }
  const { name, version, description = "", icon, background, tray } = value;
  const declares = readDeclarations(value);
  const wrong = declarationProblem(declares, background !== undefined);
  if (wrong !== null) throw new ManifestError(wrong);
  return {
    id,
    name: shownName(name, MAX_TITLE),
    version: shownName(version, MAX_TITLE),
    description: description === "" ? "" : shownName(description, MAX_DESCRIPTION),
    icon,
    background: background === undefined ? null : new URL(background, folder).href,
    tiles,
    tray:
      tray === undefined
        ? null
        : { title: shownName(tray.title, MAX_TITLE), url: new URL(tray.page, folder).href },
    declares,
  };
}
