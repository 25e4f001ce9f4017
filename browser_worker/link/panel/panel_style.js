// @ts-check
/**
 * How the panel looks. A constructed style sheet, which a page's Content-Security-Policy lets pass
 * without 'unsafe-inline'. Its colours are in `panel_theme.js`.
 */

import { PANEL_THEME } from "./panel_theme.js";

const CSS = `
:host {
  display: block;
  box-sizing: border-box;
  min-width: 0;
  max-width: 100%;
  color: var(--_ink);
  font: var(--bascule-font, 0.9375rem/1.5 system-ui, sans-serif);
  text-align: start;
}

:host([hidden]) { display: none; }

*,
*::before,
*::after {
  box-sizing: border-box;
}

[hidden] { display: none !important; }

details {
  --_tone: var(--_quiet);
  overflow: clip;
  background: var(--_paper);
  border: 1px solid var(--_line);
  border-radius: var(--bascule-radius, 0.6rem);
}

details[data-tone="ask"] { --_tone: var(--_accent); }
details[data-tone="wait"] { --_tone: var(--_wait); }
details[data-tone="good"] { --_tone: var(--_good); }
details[data-tone="bad"] { --_tone: var(--_bad); }

summary {
  display: flex;
  flex-wrap: wrap;
  align-items: center;
  gap: 0.15rem 0.5rem;
  position: relative;
  padding-block: 0.6rem;
  padding-inline: 0.9rem 2.1rem;
  border-radius: inherit;
  cursor: pointer;
  list-style: none;
}

summary::-webkit-details-marker {
  display: none;
}

/* Beside the words, however many lines they take. */
summary::after {
  content: "";
  position: absolute;
  inset-block-start: 1.1rem;
  inset-inline-end: 1.1rem;
  width: 0.45rem;
  height: 0.45rem;
  border-inline-end: 2px solid var(--_quiet);
  border-block-end: 2px solid var(--_quiet);
  transform: rotate(45deg) translate(-0.1rem, -0.1rem);
}

details[open] > summary::after {
  transform: rotate(225deg) translate(-0.1rem, -0.1rem);
}

.title { font-weight: 600; }

#bascule-dot {
  flex: none;
  width: 0.75rem;
  height: 0.75rem;
  border: 2px solid var(--_tone);
  border-radius: 50%;
}

[data-tone="good"] #bascule-dot,
[data-tone="bad"] #bascule-dot {
  background: var(--_tone);
}

[data-tone="bad"] #bascule-dot {
  border-radius: 0.1rem;
}

[data-tone="wait"] #bascule-dot,
[data-tone="ask"] #bascule-dot {
  background: linear-gradient(90deg, var(--_tone) 50%, transparent 50%);
}

#bascule-state { color: var(--_tone); }

#bascule-badge {
  padding: 0 0.45rem;
  border: 1px solid currentColor;
  border-radius: 1rem;
  color: var(--_tone);
  font-size: 0.85em;
  font-variant-numeric: tabular-nums;
}

#bascule-body {
  container-type: inline-size;
  padding: 0 0.9rem 0.9rem;
  outline: none;
}

p { margin: 0; }

.status {
  display: flex;
  flex-wrap: wrap;
  gap: 0.5rem 0.75rem;
  align-items: flex-start;
}

#bascule-message {
  flex: 1 1 12rem;
  min-width: 0;
  overflow-wrap: anywhere;
}

[data-tone="bad"] #bascule-message,
[data-tone="wait"] #bascule-message {
  padding-inline-start: 0.6rem;
  border-inline-start: 3px solid var(--_tone);
}

.buttons,
.row {
  display: flex;
  flex-wrap: wrap;
  gap: 0.5rem;
  align-items: center;
}

/* Where Attach stood, nothing stands after it was pressed: a double click does not detach again. */
.end {
  margin-inline-start: auto;
}

.detail {
  color: var(--_quiet);
  font-size: 0.9em;
  overflow-wrap: anywhere;
}

#bascule-transport { margin-top: 0.35rem; }

#bascule-offer {
  margin-top: 0.6rem;
  padding: 0.7rem 0.8rem;
  background: var(--_field);
  border: 1px solid var(--_accent);
  border-radius: 0.4rem;
}

#bascule-offer .buttons {
  margin-top: 0.6rem;
}

dl {
  display: grid;
  grid-template-columns: auto minmax(0, 1fr);
  gap: 0.1rem 0.75rem;
  margin: 0 0 0.35rem;
}

dt { color: var(--_quiet); }

dd {
  margin: 0;
  min-width: 0;
}

/* A name is somebody else's text: it keeps to its own direction and its own lines. */
.name {
  unicode-bidi: isolate;
  overflow: clip;
  overflow-wrap: anywhere;
  font-weight: 600;
}

#bascule-link-form {
  margin-top: 0.6rem;
}

button,
input {
  min-height: 2rem;
  font: inherit;
  color: inherit;
  border-radius: 0.4rem;
}

input {
  flex: 1 1 8rem;
  min-width: 0;
  width: auto;
  padding: 0.25rem 0.6rem;
  background: var(--_field);
  border: 1px solid var(--_quiet);
}

button {
  padding: 0.15rem 0.8rem;
  background: transparent;
  border: 1px solid var(--_quiet);
  cursor: pointer;
}

button:hover:not(:disabled) {
  border-color: var(--_accent);
  color: var(--_accent);
}

button:disabled {
  border-color: var(--_line);
  color: var(--_quiet);
  cursor: default;
}

button.primary:not(:disabled),
button.primary:hover:not(:disabled) {
  background: var(--_accent);
  border-color: var(--_accent);
  color: var(--_accent-ink);
}

button.small {
  min-height: 1.6rem;
  margin-inline-start: auto;
  padding: 0 0.55rem;
  font-size: 0.85em;
}

:focus-visible {
  outline: 3px solid var(--_accent);
  outline-offset: 2px;
}

summary:focus-visible,
.scroller:focus-visible { outline-offset: -3px; }

.lists {
  margin-top: 0.9rem;
}

.heading {
  display: block;
  margin: 0 0 0.2rem;
  font-size: 0.9em;
  font-weight: 600;
}

.scroller {
  max-height: var(--bascule-list-height, 15rem);
  overflow: auto;
  scrollbar-width: thin;
  scrollbar-color: var(--_quiet) transparent;
  border-radius: 0.3rem;
}

.scroller:has(#bascule-sessions) {
  max-height: 9rem;
}

ul,
ol {
  margin: 0;
  padding: 0;
  list-style: none;
  font-size: 0.93em;
}

li {
  display: grid;
  grid-template-columns: minmax(0, 1fr) auto;
  gap: 0 0.5rem;
  padding: 0.3rem 0.15rem;
  border-top: 1px solid var(--_line);
  line-height: 1.35;
  contain: paint;
}

#bascule-calls li {
  grid-template-columns: 3.1rem minmax(0, 1fr) auto;
}

li .detail {
  grid-column: 1 / -1;
  font-size: 0.88em;
  font-variant-numeric: tabular-nums;
}

#bascule-calls .detail {
  grid-column: 2 / -1;
}

/* In a narrow panel the name has its line, and what became of the call stands below it. */
@container (max-width: 22rem) {
  #bascule-calls li { grid-template-columns: 3.1rem auto minmax(0, 1fr); }
  #bascule-calls .name { grid-column: 2 / -1; }
  #bascule-calls .outcome { grid-column: 2; font-size: 0.88em; }
  #bascule-calls .detail { grid-column: 3; }
}

.kind {
  align-self: start;
  padding: 0.05rem 0;
  border: 1px solid var(--_line);
  border-radius: 0.25rem;
  color: var(--_quiet);
  font-size: 0.8em;
  text-align: center;
}

.kind.write {
  border-color: var(--_ink);
  color: var(--_ink);
  font-weight: 600;
}

.kind.unknown {
  visibility: hidden;
}

.outcome {
  color: var(--_quiet);
  font-variant-numeric: tabular-nums;
  overflow-wrap: anywhere;
}

[data-phase="failed"] .outcome {
  color: var(--_bad);
}

[data-phase="failed"] .outcome.held,
[data-phase="deferred"] .outcome,
#bascule-calls [data-phase="running"] .outcome {
  color: var(--_wait);
}

[data-phase="running"] .outcome::before {
  content: "";
  display: inline-block;
  width: 0.5rem;
  height: 0.5rem;
  margin-inline-end: 0.35rem;
  border-radius: 50%;
  background: var(--_wait);
  animation: pulse 1.2s ease-in-out infinite alternate;
}

@keyframes pulse {
  to {
    opacity: 0.25;
  }
}

@media (prefers-reduced-motion: reduce) {
  [data-phase="running"] .outcome::before {
    animation: none;
  }
}

.heard {
  position: absolute;
  width: 1px;
  height: 1px;
  overflow: hidden;
  clip-path: inset(50%);
  white-space: nowrap;
}
`;

/** A constructed sheet is of one document only. @type {WeakMap<Document, CSSStyleSheet>} */
const SHEETS = new WeakMap();

/**
 * @param {Document} document
 * @returns {CSSStyleSheet} shared by all panels of the document
 */
export function panelStyle(document) {
  const known = SHEETS.get(document);
  if (known !== undefined) return known;
  const sheet = new (document.defaultView ?? globalThis).CSSStyleSheet();
  sheet.replaceSync(PANEL_THEME + CSS);
  SHEETS.set(document, sheet);
  return sheet;
}
