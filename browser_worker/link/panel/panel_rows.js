// @ts-check
/** How a call and a session look as a row. Every name in them is text, isolated and bounded. */

import { shownName } from "./shown_name.js";

/** @import { CallRow } from "./call_list.js" */
/** @import { SessionRow } from "./session_list.js" */

const TIME = new Intl.DateTimeFormat(undefined, {
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
});

/**
 * @param {HTMLElement} element
 * @param {CallRow} row
 */
export function drawCall(element, row) {
  element.setAttribute("part", "call");
  element.dataset["phase"] = row.phase;
  element.replaceChildren(
    piece(element, "span", row.kind ?? "", `kind ${row.kind ?? "unknown"}`),
    nameOf(element, row.name),
    piece(element, "span", outcome(row), row.code === "DISABLED" ? "outcome held" : "outcome"),
    piece(element, "span", `${shownName(row.session, 40)} · ${TIME.format(row.wallMs)}`, "detail"),
  );
}

/**
 * @param {HTMLElement} element
 * @param {SessionRow} row
 */
export function drawSession(element, row) {
  element.setAttribute("part", "session");
  element.dataset["phase"] = row.running > 0 ? "running" : "idle";
  const calls = `${row.calls} ${row.calls === 1 ? "call" : "calls"}`;
  const detail = [
    row.running > 0 ? `${row.running} running` : "",
    row.last === "" ? "" : `last ${shownName(row.last, 40)}`,
    row.lastWallMs === null ? "" : TIME.format(row.lastWallMs),
  ];
  element.replaceChildren(
    nameOf(element, row.key),
    piece(element, "span", calls, "outcome"),
    piece(element, "span", detail.filter(Boolean).join(" · "), "detail"),
  );
}

/** @param {CallRow} row */
function outcome({ phase, asks, code, durationMs }) {
  if (asks) return "waits for a yes";
  if (phase === "running") return "running";
  if (phase === "failed") return code ?? "failed";
  const ms = Math.round(durationMs ?? 0);
  const lasted = ms < 1_000 ? `${ms} ms` : `${(ms / 1_000).toFixed(1)} s`;
  return phase === "deferred" ? `task after ${lasted}` : lasted;
}

/**
 * @param {HTMLElement} near
 * @param {string} name
 */
function nameOf(near, name) {
  const element = piece(near, "bdi", shownName(name, 64), "name");
  element.title = shownName(name, 400);
  return element;
}

/**
 * @param {HTMLElement} near
 * @param {string} tag
 * @param {string} text
 * @param {string} className
 */
function piece(near, tag, text, className) {
  const element = near.ownerDocument.createElement(tag);
  element.textContent = text;
  element.className = className;
  return element;
}
