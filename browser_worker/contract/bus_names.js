// @ts-check
/**
 * Names on the bus: apps, tools, topics, and the endpoints that only the kernel names.
 * Contract: bus, endpoints.
 */

const NAME = /^[a-z0-9][a-z0-9_-]{0,39}$/;
const KERNEL_TOOL = /^[a-z][a-z0-9_]{0,39}(?:\.[a-z][a-z0-9_]{0,39})+$/;
const TOPIC = /^[a-z0-9][a-z0-9_.-]{0,63}$/;
const APP_ENDPOINT =
  /^app:([a-z0-9][a-z0-9_-]{0,39}):(?:(background)|(tile):([a-z0-9][a-z0-9_-]{0,39}):instance:([a-z0-9][a-z0-9_-]{0,39})|(tray):instance:([a-z0-9][a-z0-9_-]{0,39}))$/;

/** The trusted page itself. */
export const KERNEL_ENDPOINT = "kernel";

/** @typedef {"background" | "tile" | "tray"} EndpointKind */

/**
 * @typedef {object} EndpointPlace Where in an app an endpoint is.
 * @property {string} app
 * @property {EndpointKind} kind
 * @property {string} [tile] Of a tile.
 * @property {string} [instance] Of a tile or a tray.
 */

/** @param {unknown} value */
export function isAppId(value) {
  return typeof value === "string" && NAME.test(value);
}

/** @param {unknown} value */
export function isToolName(value) {
  return typeof value === "string" && NAME.test(value);
}

/**
 * Whether it may name a tool of the kernel: those have dots, and an app's have none.
 *
 * @param {unknown} value
 */
export function isKernelToolName(value) {
  return typeof value === "string" && KERNEL_TOOL.test(value);
}

/** @param {unknown} value */
export function isTopic(value) {
  return typeof value === "string" && TOPIC.test(value);
}

/**
 * The name of an endpoint.
 *
 * @param {EndpointPlace} place
 * @returns {string}
 * @throws {TypeError} Where a part of it is missing, or no name.
 */
export function endpointId({ app, kind, tile, instance }) {
  const id =
    kind === "background"
      ? `app:${app}:background`
      : kind === "tile"
        ? `app:${app}:tile:${tile ?? ""}:instance:${instance ?? ""}`
        : `app:${app}:tray:instance:${instance ?? ""}`;
  if (!APP_ENDPOINT.test(id)) throw new TypeError(`not an endpoint: ${id.slice(0, 200)}`);
  return id;
}

/**
 * Reads the name of an app's endpoint.
 *
 * @param {unknown} id
 * @returns {EndpointPlace | undefined} Undefined for the kernel and for what is no endpoint.
 */
export function readEndpointId(id) {
  const parts = typeof id === "string" ? APP_ENDPOINT.exec(id) : null;
  if (parts === null) return undefined;
  const [, app = "", background, tile, tileId, tileInstance, , trayInstance] = parts;
  if (background !== undefined) return { app, kind: "background" };
  if (tile !== undefined) {
    return { app, kind: "tile", tile: tileId ?? "", instance: tileInstance ?? "" };
  }
  return { app, kind: "tray", instance: trayInstance ?? "" };
}
